#!/usr/bin/env bash
# Puts a build into one relocatable archive or folder: the programs, all that they read, and every library that they
# need, a C library among them. It runs wherever it is unpacked, without packages and without root. What kernels need
# beyond that is the machine's: g++ and binutils; for GPUs also a driver and NVRTC. `bin/kernelevolve doctor` tells.
# usage: experiments/bundle.sh [OUT.tar.gz|FOLDER] [BUILD]
#   OUT    kernelevolve.tar.gz if not given; a folder must not be there yet
#   BUILD  a build folder, taken as it is; if not given, build/release is brought up to date
set -euo pipefail
out=$(realpath -m "${1:-kernelevolve.tar.gz}")
build=$(realpath -m "${2:-$(dirname "$0")/../build/release}")
[ ! -d "$out" ] || { echo "bundle: the folder $out is there already" >&2; exit 2; }

started=(kernelevolve kernelevolve-cuda)  # by the launcher, with libraries of the bundle
# Machines with an older C library, or none, get all of ours: parts of two do not fit together.
glibc=(ld-linux-x86-64.so.2 libc.so.6 libm.so.6 libmvec.so.1 libdl.so.2 libpthread.so.0 librt.so.1 libresolv.so.2)

if [ $# -lt 2 ]; then
  (cd "$(dirname "$0")/.." && { [ -e "$build/CMakeCache.txt" ] || cmake --preset release -DKE_TESTS=OFF; } &&
    cmake --build "$build" --target "${started[@]}" kernelevolve-{worker,sandbox,reference,opencl,launcher})
fi

staging=$(mktemp -d)
trap 'rm -rf "$staging"' EXIT
bundle=$staging/kernelevolve
cmake --install "$build" --prefix "$bundle" --component programs --strip >"$staging/log" ||
  { cat "$staging/log" >&2; exit 1; }
mkdir -p "$bundle/lib" "$bundle/glibc"
for program in "${started[@]}"; do
  mv "$bundle/bin/$program" "$bundle/bin/$program.bin"
  strip -o "$bundle/bin/$program" "$build/kernelevolve-launcher"
done

needed=$(ldd "$bundle"/bin/*.bin)
if grep 'not found' <<<"$needed" >&2; then exit 1; fi
libraries=$(awk '$2 == "=>" { print $3 }' <<<"$needed" | sort -u)
cp -L $libraries "$bundle/lib"
system=$(dirname "$(grep '/libc\.so\.6$' <<<"$libraries")")
for name in "${glibc[@]}"; do
  rm -f "$bundle/lib/$name"
  cp -L "$system/$name" "$bundle/glibc"
done

# Whoever passes libraries on passes their licences on. Packages list files below /lib or below /usr/lib.
mkdir "$bundle/share/licences"
for package in $(dpkg -S $libraries ${libraries//\/lib\//\/usr\/lib\/} 2>/dev/null | cut -d: -f1 | sort -u); do
  cp -L "/usr/share/doc/$package/copyright" "$bundle/share/licences/$package"
done

if [[ $out == *.tar.gz ]]; then
  tar -C "$staging" --sort=name --owner=0 --group=0 --numeric-owner -czf "$out" kernelevolve
else
  mv "$bundle" "$out"
fi
echo "$out: $(du -sh "$out" | cut -f1), $(wc -w <<<"$libraries") libraries"
