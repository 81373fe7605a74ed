#!/usr/bin/env bash
# From a bare Debian 12 to an evolved kernel: installs the packages that are missing, builds the release preset,
# runs configs/quickstart.yaml into runs/quickstart, prints what was found, writes it as report.html, and makes a C
# library of each run, whose figures stand before the last lines, which tell how to go on.
# usage: experiments/quickstart.sh [--wheel FILE] [a.b=1 ...]
#   --wheel FILE  installs the wheel that experiments/wheel.sh made, in build/quickstart, in place of a build
#   a.b=1         overrides of the config, e.g. budget.evaluations=50 or 'task=[softmax, layernorm, sgemm]'
# Run again, it resumes an interrupted run; after a finished one it starts a new folder.
# Exit code: that of `kernelevolve run` (README), or 1 when installing or building failed.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { printf '\n== %s\n' "$*"; }

# build_tree: the packages of a build, and the release preset without tests.
build_tree() {
  say "1/5 packages"
  tests/install_packages.sh build
  say "2/5 build (build/release)"
  local log=build/quickstart.log
  mkdir -p build
  if ! { cmake --preset quick -DKE_TESTS=OFF && cmake --build build/release -j "$(nproc)" --target \
      kernelevolve kernelevolve-worker kernelevolve-sandbox; } >"$log" 2>&1 </dev/null; then
    tail -n 40 "$log"
    echo "quickstart: the build failed; all of its output is in $log" >&2
    exit 1
  fi
  kernelevolve=build/release/kernelevolve
  echo "built $kernelevolve"
}

# install_wheel FILE: what the program of a wheel needs, and the wheel in an environment of its own.
install_wheel() {
  say "1/5 packages"
  tests/install_packages.sh wheel
  say "2/5 install (build/quickstart)"
  python3 -m venv --clear build/quickstart
  build/quickstart/bin/python3 -m pip install --quiet --disable-pip-version-check --no-index --no-deps "$1"
  kernelevolve=build/quickstart/bin/kernelevolve
  echo "installed $kernelevolve"
}

if [ "${1:-}" = --wheel ]; then
  [ -f "${2:-}" ] || { echo "quickstart: --wheel needs a file that experiments/wheel.sh made" >&2; exit 2; }
  install_wheel "$2"
  shift 2
else
  build_tree
fi

# A folder is finished when this script has seen its run end; one without the mark was interrupted.
folder=runs/quickstart
for ((n = 2; ; n++)); do
  [ -e "$folder/finished" ] || break
  echo "$folder holds a finished run; it stays"
  folder=runs/quickstart-$n
done

status=0
# The index is there once all run files are.
if [ -e "$folder/index.json" ]; then
  say "3/5 search: resuming $folder"
  "$kernelevolve" resume "$folder" || status=$?
else
  say "3/5 search: configs/quickstart.yaml into $folder"
  "$kernelevolve" run configs/quickstart.yaml --out "$folder" "$@" || status=$?
fi
# 0: planned end; 3: a safety limit ended it early, with all results so far in place.
if [ "$status" != 0 ] && [ "$status" != 3 ]; then
  echo "quickstart: the search ended with exit code $status; run this script again to resume it" >&2
  exit "$status"
fi
touch "$folder/finished"

say "4/5 result of the search"
"$kernelevolve" show "$folder"

# What is deployed is no champion but a library that chooses by shape, the anchor among its kernels.
say "5/5 library"
lines=()
mkdir -p "$folder/library"
for run in "$folder"/*.kev; do
  task=${run%.s*.kev}
  library=$folder/library/${task##*.}
  if "$kernelevolve" dispatch "$run" --kernels 3 --variants 1 --draw 2 -o "$library" >"$library.log"; then
    lines+=("$(tail -n 1 "$library.log")")
  else
    echo "no library of $run" >&2
  fi
done
echo
echo "run files: $PWD/$folder"
# Where npm was missing or had no registry, all else was built.
report=$("$kernelevolve" report "$folder" -o "$folder/report.html" 2>&1) && report="$PWD/$folder/report.html"
case $report in
  *"built without its page"*) echo "report: left out, for npm could not bundle its page when this was built" ;;
  *) echo "report: $report" ;;
esac
echo "libraries: $PWD/$folder/library"
((${#lines[@]} == 0)) || printf '%s\n' "${lines[@]}"
cat <<END

to go on:
  three kernels     experiments/quickstart.sh 'task=[softmax, layernorm, sgemm]'
  a PyTorch module  $kernelevolve optimise my_module.py
  a GPU             $kernelevolve doctor     says what this machine lacks for each backend
END
exit "$status"
