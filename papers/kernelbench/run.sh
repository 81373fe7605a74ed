#!/usr/bin/env bash
# Imports the problems at their published shapes, runs each with the answers that a language model gave, in float32 and in
# bfloat16, and writes the tables beside it anew. Needs PyTorch 2 and an NVIDIA GPU of 140 GB, and about an hour and a half of it.
# usage: papers/kernelbench/run.sh KERNELBENCH [OUT]
#   KERNELBENCH  a copy of its repository
#   OUT          kernelbench if not given
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
problems=$(cd "$1/KernelBench" && pwd)
out=${2:-kernelbench}
kernelevolve=${KERNELEVOLVE:-$here/../../build/release/kernelevolve}

imported() { # FOLDER PROBLEM... -- OPTION...
  local folder=$1 problems_of=()
  shift
  while [ "$1" != -- ]; do problems_of+=("$1") && shift; done
  shift
  for problem in "${problems_of[@]}"; do
    "$kernelevolve" import kernelbench "$problems/$problem"_*.py --language cuda --memory 126 "$@" -o "$out/$folder"
  done
}

answered() { # TASKS RUNS ANSWERS
  for task in "$out/$1"/*/; do
    name=$(basename "$task")
    # A program without a path, so that the recordings are those of any machine.
    PATH=$here:$PATH TAKEN=$(realpath -m "$out")/taken/$2/$name "$kernelevolve" run "$here/../../configs/module-gpu.yaml" \
      "task=$task" budget.evaluations=6 budget.proposals=14 'islands={count: 1, lag: 3}' device.profile=off \
      'operators={llm_draft: 1, surrogate: {weight: 4, initial: 3}, knob_step: 1}' \
      "llm={kind: command, program: [answer.sh, $3$name]}" -o "$out/$2/$name" || true
  done
}

imported tasks level1/{5,10,15,20,25,35,40,55,60,65,75,80,85,95} level2/{5,10,15,20,25,35,40,45,55,60,65,75,81,85,95} level3/{25,50} --
imported tasks_bfloat16 level1/{5,10,15,20,25,40,55,60,65,75,80,85,95} level2/{5,10,15,25,40,60} level3/50 -- --dtype bfloat16
answered tasks runs ""
answered tasks_bfloat16 runs_bfloat16 bfloat16/
"$here/collect.py" "$out/runs"
"$here/collect.py" "$out/runs_bfloat16" bfloat16
"$here/table.py"
