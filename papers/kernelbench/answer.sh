#!/usr/bin/env bash
# Gives the recorded answers of a problem one after another, whatever the prompt; fails when there is none left.
# usage: answer.sh ANSWERS TAKEN    (TAKEN: a folder that notes which were given)
set -euo pipefail
cat >/dev/null
for answer in "$1"/*.md; do
  mkdir -p "$2"
  mkdir "$2/$(basename "$answer")" 2>/dev/null && exec cat "$answer"
done
exit 1
