#!/bin/sh
# Searches again from what the recorded run measured and was answered, with no model and no compiler: prints 1 when the
# history is the same.
set -eu
"$(dirname "$0")/recorded.sh" >/dev/null
"$KERNELEVOLVE" verify --replay "$OUT/recorded/freezing.kev"
echo 1
