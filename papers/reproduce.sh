#!/bin/sh
# reproduce.sh STUDY [smoke|replay|full]: judges the study's claims of the tier, and in full its predictions; then writes
# tables and figures into OUT.
set -eu
cd "$(dirname "$0")/.."
study=$1
tier=${2:-replay}
export KERNELEVOLVE="${KERNELEVOLVE:-$PWD/build/release/kernelevolve}"
export OUT="${OUT:-$(mktemp -d)}"
mkdir -p "$OUT"
status=0
papers/check_claims.py "papers/$study" "$tier" --keep "$OUT" || status=$?
if [ "$tier" = full ] && [ -e "papers/$study/predictions.yaml" ]; then
  papers/check_claims.py "papers/$study" predictions --keep "$OUT" || status=$?
fi
if [ -e "papers/$study/report.py" ]; then
  "papers/$study/report.py"
else
  papers/report.py "$study" "$tier"
fi
echo "results: $OUT"
exit "$status"
