#!/usr/bin/env bash
# Times nothing: may run beside others.
# The installed tree serves a foreign project: find_package(KernelEvolve), compile, link, run.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
rm -rf prefix consumer
cmake --install "$KE_BUILD" --prefix "$PWD/prefix" >install.log
cmake -G Ninja -S "$here" -B consumer -DCMAKE_PREFIX_PATH="$PWD/prefix" -DCMAKE_BUILD_TYPE=Release >configure.log
cmake --build consumer
answer=$(consumer/consumer)
# NIST FIPS 180-2, appendix B.1.
expected=ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad
[ "$answer" = "$expected" ] || { echo "consumer printed '$answer', expected '$expected'"; exit 1; }
# The installed headers name nothing outside the prefix.
if grep -rlF -e "$KE_SOURCE/" prefix/include prefix/lib/*/cmake prefix/lib/cmake 2>/dev/null; then
  echo "these installed files name the source tree"; exit 1
fi
