#!/bin/sh
# Records the landscapes that this project ships into configs/landscapes, one task after the other.
# Leave the machine alone meanwhile. A recording that was interrupted goes on where it was; one that
# is there is kept. Usage: experiments/record_landscapes.sh [CONFIGURATIONS_A_TASK]
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
program=${KERNELEVOLVE:-$root/build/release/kernelevolve}
limit=${1:-2000}
mkdir -p "$root/configs/landscapes"
for task in softmax layernorm depthwise_conv1d dot_interaction embedding_bag conv2d; do
  file=$root/configs/landscapes/$task.json.gz
  if [ -e "$file" ]; then
    echo "$task: recorded"
    continue
  fi
  "$program" landscape record "$task" --limit "$limit" -o "$file"
  rm -f "$file.partial"
done
"$program" landscape stats "$root"/configs/landscapes/*.json.gz
