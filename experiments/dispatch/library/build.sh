#!/bin/sh
# Builds the library with g++ and binutils: each kernel with the flags that it was judged with, which
# kernels.sh names.
set -e
cd "$(dirname "$0")"
: "${CXX:=g++}"
. ./kernels.sh
rm -rf objects
mkdir objects

# needs NAME FLAG...: which instructions these flags allow, as data
needs() {
  name=$1
  shift
  "$CXX" -std=c++17 -fPIC "$@" -DNEEDS="${library}_${name}_needs" -c -o "objects/${name}_needs.o" needs.cpp
}

# variant NAME ARGUMENT...: an object whose only names are the kernel's own. What kernels have in common (inline
# functions of a header) must not be merged: it is compiled with other flags in each.
variant() {
  name=$1
  shift
  judged "$@" -fno-gnu-unique -c -o "objects/$name.part" "variants/$name.cpp"
  ld -r --force-group-allocation -o "objects/$name.o" "objects/$name.part"
  objcopy --redefine-sym "kernel=${library}_$name" --redefine-sym "prepare=${library}_${name}_prepare" "objects/$name.o"
  objcopy --keep-global-symbol="${library}_$name" --keep-global-symbol="${library}_${name}_prepare" "objects/$name.o"
  rm "objects/$name.part"
  # Sections of variables that all threads share; those in .tdata and .tbss belong to one thread.
  state=$(size -A "objects/$name.o" | awk '
    $1 ~ /^(\.data|\.bss|COMMON)/ && $1 !~ /^\.data\.rel\.ro/ && $2 > 0 { found = 1 }
    END { print found ? "true" : "false" }')
  echo "constexpr bool ${library}_${name}_keeps_state = $state;" >>objects/state.hpp
}

kernels
# The task's reference, for shapes at which no kernel was verified.
if [ -f reference.cpp ]; then judged -O2 -shared -o reference.so reference.cpp; fi
"$CXX" -std=c++17 -O2 -fPIC -c -o objects/dispatch.o dispatch.cpp
printf '{ global: %s; %s_prepare; %s_variant; local: *; };\n' "$library" "$library" "$library" >objects/exports
# Kernels of tasks with `libraries: allowed` may call BLAS.
blas=$(nm -u objects/*.o | grep -q " U cblas_" && echo -l:libopenblas.so.0 || true)
"$CXX" -shared -Wl,--version-script=objects/exports -Wl,-z,now -Wl,-z,noexecstack \
  -o "objects/lib$library.so" objects/*.o -Wl,--as-needed -lmvec -lm -lgomp -lpthread $blas
mv "objects/lib$library.so" "lib$library.so"
