#!/bin/sh
# reproduce.sh [smoke|replay|full]: judges the claims of a tier, PASS or FAIL each; exit code 0 when all pass.
# KERNELEVOLVE names the binary (kernelevolve of PATH if not set); OUT keeps what is made.
set -eu
cd "$(dirname "$0")"
tier=${1:-replay}
case $tier in smoke | replay | full) ;; *) echo "reproduce.sh: '$tier' is none of smoke, replay, full" >&2 && exit 2 ;; esac
KERNELEVOLVE=${KERNELEVOLVE:-$(command -v kernelevolve || true)}
if [ ! -x "$KERNELEVOLVE" ]; then
  echo "reproduce.sh: no program 'kernelevolve': README.md says how to build it; KERNELEVOLVE names it" >&2
  exit 2
fi
OUT=${OUT:-$(mktemp -d)}
export KERNELEVOLVE OUT PYTHONDONTWRITEBYTECODE=1
status=0
papers/check_claims.py . "$tier" --keep "$OUT" || status=$?
for study in papers/*/claims.yaml; do
  [ -e "$study" ] || continue
  papers/reproduce.sh "$(basename "$(dirname "$study")")" "$tier" || status=$?
done
echo "results: $OUT"
exit "$status"
