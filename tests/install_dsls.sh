#!/usr/bin/env bash
# Installs the Python packages of tests/packages.txt (group dsl: DSLs, PyTorch 2 and with it CUDA's run-time compiler) into
# an environment of their own, build/dsls, so that tests use the real packages; no GPU is needed.
# usage: tests/install_dsls.sh
# Without network, or after 10 minutes, it says so and goes on: those tests are then skipped. KE_SKIP_DSLS=1: not at all.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2
[ "${KE_SKIP_DSLS:-0}" != 1 ] || { echo "dsls: left out (KE_SKIP_DSLS=1)"; exit 0; }

mapfile -t wanted < <(awk '$1 == "dsl" { print $2 }' tests/packages.txt)
folder=build/dsls
log=$folder/install.log
mkdir -p "$folder"
installed() { [ -x "$folder/bin/python3" ] && cmp -s "$folder/installed.txt" <(printf '%s\n' "${wanted[@]}"); }
installed && { echo "dsls: ${wanted[*]} are installed"; exit 0; }

if { python3 -m venv "$folder" && timeout 600 "$folder/bin/python3" -m pip install --disable-pip-version-check \
  --no-input --only-binary=:all: --retries 1 --timeout 15 "${wanted[@]}"; } >"$log" 2>&1 </dev/null; then
  printf '%s\n' "${wanted[@]}" >"$folder/installed.txt"
  echo "dsls: installed ${wanted[*]}"
else
  echo "dsls: not installed, tests of the real packages are skipped; the last lines of $log:"
  tail -n 3 "$log"
fi
exit 0
