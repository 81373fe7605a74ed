#!/bin/sh
# Runs the study's claims of a tier (smoke, replay or full), then writes table.md and figure.svg into OUT.
set -eu
cd "$(dirname "$0")/../.."
tier=${1:-replay}
export KERNELEVOLVE="${KERNELEVOLVE:-$PWD/build/release/kernelevolve}"
export OUT="${OUT:-$(mktemp -d)}"
mkdir -p "$OUT"
status=0
papers/check_claims.py papers/map_elites_sphere "$tier" --keep "$OUT" || status=$?
papers/map_elites_sphere/table.py
echo "results: $OUT"
exit "$status"
