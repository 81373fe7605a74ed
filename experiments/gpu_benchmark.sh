#!/usr/bin/env bash
# The benchmark of one NVIDIA GPU: PyTorch's times where python3 has torch, a search of configs/recsys-h200.yaml for each
# arm and seed, and the table of both. It works in parts: one ends in time, and the same command goes on.
# usage: experiments/gpu_benchmark.sh [-a ARMS] [-s SEEDS] [-p SECONDS] [-n] [OUT] [a.b=1 ...]
#   -a  of: evolution; random, random search on the same genomes with the same budget; naive, evolution that starts from
#       the naive kernels alone. In quotes, evolution if not given
#   -s  seeds, 1 if not given: "1 2 3" makes intervals between runs visible
#   -p  longest part, 450 if not given, at least 120; what is under way then is interrupted with its state saved
#   -n  say what is left to do, and a bound on its time; do nothing
# OUT is runs/gpu if not given; further words override keys of the configuration, as in `kernelevolve run`.
# Exit code: 0 all is measured, 2 usage, 3 the part is over, 4 no GPU or no compiler for it; others are the search's.
set -euo pipefail
usage() { sed -n '/^# usage/,/^# OUT/s/^# \?//p' "$0" >&2; exit 2; }

arms=evolution seeds=1 part=450 dry=
while getopts a:s:p:n option; do
  case $option in a) arms=$OPTARG ;; s) seeds=$OPTARG ;; p) part=$OPTARG ;; n) dry=1 ;; *) usage ;; esac
done
shift $((OPTIND - 1))
[ "$part" -ge 120 ] || usage
out=runs/gpu
case ${1:-} in '' | *=*) ;; *) out=$1 && shift ;; esac
root=$(cd "$(dirname "$0")/.." && pwd)  # the tree, or share/kernelevolve of an installation
config=$root/configs/recsys-h200.yaml
KERNELEVOLVE=${KERNELEVOLVE:-$(PATH=$root/../../bin:$root/build/release:$PATH command -v kernelevolve || true)}
[ -x "$KERNELEVOLVE" ] || { echo "gpu_benchmark: no program 'kernelevolve'; KERNELEVOLVE names it" >&2; exit 2; }

declare -A changes=(
  [evolution]=""
  [random]="strategy=random operators.knob_step=0 operators.knob_crossover=0 operators.flag_step=0
    operators.surrogate=0"
  [naive]="kernels=naive budget.proposals=120")  # their genomes have few points
for arm in $arms; do [ -n "${changes[$arm]+known}" ] || usage; done

left() { echo $((part - SECONDS)); }
over() { echo "gpu_benchmark: this part is over; the same command goes on"; exit 3; }

# with the folder, the name and the changes of each run of the search that is not finished
each_search() {
  local seed arm
  for seed in $seeds; do
    for arm in $arms; do
      [ -e "$out/$arm.s$seed/finished" ] || "$1" "$out/$arm.s$seed" name="$arm" seed="$seed" ${changes[$arm]} "${@:2}"
    done
  done
}

say() {
  local said
  said=$("$KERNELEVOLVE" check "$config" "${@:2}" 2>/dev/null)
  echo "$1: $(awk '/ runs, /{ runs = $1 } /^budget.evaluations/{ kernels = $3 } /^safety.wall/{ ms = $3 + 0 }
    END { printf "%d runs of at most %d evaluations, at most %d min of search\n", runs, kernels, runs * ms / 6e4 }' <<<"$said")"
}

search() {
  local status=0 words=(run "$config" "${@:2}" --out "$1")
  [ ! -e "$1/index.json" ] || words=(resume "$1")
  [ "$(left)" -gt 10 ] || over
  timeout --foreground --preserve-status -s INT "$(left)" "$KERNELEVOLVE" "${words[@]}" --quiet >"$out/log" || status=$?
  [ "$status" != 130 ] || over
  [ "$status" = 0 ] || [ "$status" = 3 ] || { cat "$out/log"; exit "$status"; }
  touch "$1/finished"
  echo "$1: done"
}

if [ -n "$dry" ]; then
  each_search say "$@"
  exit 0
fi
mkdir -p "$out"
"$KERNELEVOLVE" doctor >"$out/doctor.txt" || true
grep '^cuda' "$out/doctor.txt"
[ "$(grep -cE '^cuda (driver|compiler) +ok' "$out/doctor.txt")" = 2 ] || exit 4

if python3 -c 'import torch, yaml' 2>/dev/null; then
  status=0
  timeout --foreground "$(left)" "$root/experiments/gpu_baselines.py" measure -o "$out/pytorch.json" \
    --limit "$(($(left) - 60))" || status=$?
  [ "$status" != 3 ] && [ "$status" != 124 ] || over
  [ "$status" = 0 ] || exit "$status"
else
  echo "PyTorch is not measured: python3 has not both torch and yaml"
fi
each_search search "$@"
"$root/experiments/gpu_baselines.py" table "$out"/*.s*/*.kev $(ls "$out/pytorch.json" 2>/dev/null)
