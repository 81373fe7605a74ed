#!/usr/bin/env bash
# Imports the problems at their published shapes and runs each with the three answers that a language model gave. Needs
# PyTorch 2 and an NVIDIA GPU of 140 GB, and about 25 minutes of it.
# usage: papers/kernelbench/run.sh KERNELBENCH [OUT]
#   KERNELBENCH  a copy of its repository
#   OUT          kernelbench if not given
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
problems=$(cd "$1/KernelBench" && pwd)
out=${2:-kernelbench}
kernelevolve=${KERNELEVOLVE:-$here/../../build/release/kernelevolve}

for problem in level1/{5,20,25,40,60,65,80,85} level2/{5,20,25,40,45,60,65,81,85}; do
  "$kernelevolve" import kernelbench "$problems/$problem"_*.py --language cuda --memory 126 -o "$out/tasks"
done
for task in "$out"/tasks/*/; do
  name=$(basename "$task")
  # A program without a path, so that the recordings are those of any machine.
  PATH=$here:$PATH TAKEN=$(realpath -m "$out")/taken/$name "$kernelevolve" run "$here/../../configs/module-gpu.yaml" "task=$task" \
    budget.evaluations=6 budget.proposals=14 'islands={count: 1, lag: 3}' device.profile=off \
    'operators={llm_draft: 1, surrogate: {weight: 4, initial: 3}, knob_step: 1}' \
    "llm={kind: command, program: [answer.sh, $name]}" -o "$out/runs/$name" || true
done
"$kernelevolve" show "$out"/runs/*
