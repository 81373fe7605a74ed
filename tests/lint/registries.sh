#!/usr/bin/env bash
# A line of a `.def` table without its source file stops the configuration and says so.
set -euo pipefail
tree=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/room/part"
cat >"$scratch/CMakeLists.txt" <<CMAKE
cmake_minimum_required(VERSION 3.25)
project(Scratch LANGUAGES CXX)
include($tree/cmake/room.cmake)
add_subdirectory(room)
CMAKE
echo 'ke_room(room)' >"$scratch/room/CMakeLists.txt"
echo 'int here;' >"$scratch/room/part/here.cpp"
echo 'KE_OPERATOR(here, Here)' >"$scratch/room/part/parts.def"
cmake -G Ninja -S "$scratch" -B "$scratch/build" >"$scratch/log" 2>&1 || { cat "$scratch/log"; exit 1; }
echo 'KE_OPERATOR(absent, Absent)' >>"$scratch/room/part/parts.def"
if cmake -G Ninja -S "$scratch" -B "$scratch/build" >"$scratch/log" 2>&1; then
  echo "a table line without its file was accepted"; exit 1
fi
grep -q "'absent' has no file absent.cpp" "$scratch/log" || { cat "$scratch/log"; exit 1; }
