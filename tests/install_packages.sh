#!/usr/bin/env bash
# Installs the Debian packages of the given groups (build, test, lint) that are missing; see packages.txt.
# usage: tests/install_packages.sh GROUP...
# Needs root or sudo only when something is missing. Exit code 1, with the list, when it cannot.
set -euo pipefail
[ $# -gt 0 ] || { sed -n 's/^# usage/usage/p' "$0" >&2; exit 2; }
list=$(dirname "$0")/packages.txt

wanted=()
declare -A program=()  # of a package, where another's does as well
for group in "$@"; do
  before=${#wanted[@]}
  while read -r name command; do
    wanted+=("$name")
    program[$name]=$command
  done < <(awk -v group="$group" '$1 == group { print $2, $3 }' "$list")
  [ ${#wanted[@]} -gt "$before" ] || { echo "install_packages: '$group' is not a group of $list" >&2; exit 2; }
done

installed() {
  [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ] ||
    { [ -n "${program[$1]:-}" ] && command -v "${program[$1]}" >/dev/null; }
}
missing=()
if command -v dpkg-query >/dev/null; then
  for name in "${wanted[@]}"; do installed "$name" || missing+=("$name"); done
else
  echo "install_packages: this is no Debian system; install the counterparts of these yourself:" >&2
  echo "  ${wanted[*]}" >&2
  echo "then set KE_SKIP_PACKAGES=1 to go on without this step" >&2
  [ "${KE_SKIP_PACKAGES:-0}" = 1 ] && exit 0 || exit 1
fi
[ ${#missing[@]} -gt 0 ] || { echo "packages: all ${#wanted[@]} are installed"; exit 0; }
[ "${KE_SKIP_PACKAGES:-0}" != 1 ] || { echo "packages: going on without ${missing[*]}"; exit 0; }

as_root=()
if [ "$(id -u)" != 0 ]; then
  if command -v sudo >/dev/null && { sudo -n true 2>/dev/null || { [ -t 0 ] && sudo true; }; }; then
    as_root=(sudo)
  else
    echo "install_packages: ${#missing[@]} packages are missing, and this user is neither root nor in sudo." >&2
    echo "Ask an administrator to run:  apt-get install ${missing[*]}" >&2
    exit 1
  fi
fi

echo "packages: installing ${missing[*]}"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=120 "$@" </dev/null >>"$log" 2>&1; }
if ! { apt update && apt install --yes --no-install-recommends "${missing[@]}"; }; then
  tail -n 30 "$log" >&2
  echo "install_packages: apt-get failed; its last lines stand above" >&2
  exit 1
fi
