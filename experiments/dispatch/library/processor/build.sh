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
  # Variables that all threads share lie in sections that are allocated (A) and writable (W) but not of one thread (T),
  # or in none yet (COMMON). What the loader writes once, such as .data.rel.ro, is no variable.
  state=$(
    {
      readelf -SW "objects/$name.o" | sed -n 's/^ *\[ *[0-9]*\] //p'
      readelf -sW "objects/$name.o" | awk '$7 == "COM" { print "COMMON NOBITS 0 0", $3, "0 WA" }'
    } | awk '
      $1 !~ /^\.data\.rel\.ro/ && $5 !~ /^(0x)?0+$/ &&
        $7 ~ /W/ && $7 ~ /A/ && $7 !~ /T/ { found = 1 }
      END { print found ? "true" : "false" }'
  )
  echo "constexpr bool ${library}_${name}_keeps_state = $state;" >>objects/state.hpp
}

kernels
# The task's reference, for shapes at which no kernel was verified.
if [ -f reference.cpp ]; then judged -O2 -shared -o reference.so reference.cpp; fi
"$CXX" -std=c++17 -O2 -fPIC -c -o objects/dispatch.o dispatch.cpp
functions=$(printf "$library%s; " "" _prepare _variant _call _call_prepare)
echo "{ global: ${functions}local: *; };" >objects/exports
# Kernels of tasks with `libraries: allowed` may call BLAS.
blas=$(nm -u objects/*.o | grep -q " U cblas_" && echo -l:libopenblas.so.0 || true)
"$CXX" -shared -Wl,--version-script=objects/exports -Wl,-z,now -Wl,-z,noexecstack \
  -o "objects/lib$library.so" objects/*.o -Wl,--as-needed -lmvec -lm -lgomp -lpthread $blas
mv "objects/lib$library.so" "lib$library.so"
