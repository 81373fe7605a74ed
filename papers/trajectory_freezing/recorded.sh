#!/bin/sh
# recorded.sh [CHANNEL FIGURE]: unpacks the recorded run into OUT and analyses it; without arguments a table.
set -eu
here=$(dirname "$0")
run="${OUT:?names the folder of results}/freezing.kev"
[ -e "$run" ] || gzip -dc "$here/recording/freezing.kev.gz" >"$run"
exec "$here/analyse.py" "$run" "$@"
