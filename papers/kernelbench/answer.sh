#!/usr/bin/env bash
# Gives the recorded answers of a problem one after another, whatever the prompt; fails when there is none left.
# usage: TAKEN=FOLDER answer.sh PROBLEM    (TAKEN: a folder that notes which were given)
set -euo pipefail
cat >/dev/null
for answer in "$(dirname "$0")/answers/$1"/*.md; do
  mkdir -p "$TAKEN"
  mkdir "$TAKEN/$(basename "$answer")" 2>/dev/null && exec cat "$answer"
done
exit 1
