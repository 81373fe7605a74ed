#!/bin/sh
# Builds the library with g++: the host code beside the kernels' code, which lies in variants/.
set -e
cd "$(dirname "$0")"
: "${CXX:=g++}"
. ./library.sh
rm -rf objects
mkdir objects
"$CXX" -c -o objects/code.o code.S
"$CXX" -std=c++17 -O2 -fPIC -Wall -Wextra -c -o objects/dispatch.o dispatch.cpp
# The task's reference, for shapes at which no kernel was verified.
if [ -f reference.cpp ]; then "$CXX" -std=c++17 -O2 -fPIC -shared -o reference.so reference.cpp; fi
printf '{ global: %s local: *; };\n' "$functions" >objects/exports
"$CXX" -shared -Wl,--version-script=objects/exports -Wl,-z,now -Wl,-z,noexecstack \
  -o "objects/lib$library.so" objects/*.o -ldl -lpthread
mv "objects/lib$library.so" "lib$library.so"
