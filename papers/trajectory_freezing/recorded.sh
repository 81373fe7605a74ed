#!/bin/sh
# recorded.sh [CHANNEL FIGURE]: unpacks the recorded run into OUT, where verify finds its task too, and analyses it;
# without arguments a table.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
"$here/damage.py"
folder="${OUT:?names the folder of results}/recorded"
if [ ! -e "$folder/freezing.kev" ]; then
  mkdir -p "$folder"
  printf '{"schema": "kernelevolve-index/1", "runs": [{"file": "freezing.kev", "task_folder": "%s"}]}\n' \
    "$here/softmax" >"$folder/index.json"
  gzip -dc "$here/recording/freezing.kev.gz" >"$folder/freezing.kev"
fi
exec "$here/analyse.py" "$folder/freezing.kev" "$@"
