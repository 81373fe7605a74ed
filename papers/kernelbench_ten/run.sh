#!/usr/bin/env bash
# Imports the ten problems and runs each with the answer that a language model gave. Needs an NVIDIA GPU and PyTorch 2.
# usage: papers/kernelbench_ten/run.sh KERNELBENCH [OUT]
#   KERNELBENCH  a copy of its repository
#   OUT          kernelbench_ten if not given
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
problems=$(cd "$1/KernelBench" && pwd)
out=${2:-kernelbench_ten}
kernelevolve=${KERNELEVOLVE:-$here/../../build/release/kernelevolve}

for problem in level1/{20,40,60,80} level2/{20,40,60,81} level3/{20,40}; do
  "$kernelevolve" import kernelbench "$problems/$problem"_*.py --language cuda -o "$out/tasks/${problem%/*}"
done
for task in "$out"/tasks/*/*/; do
  name=$(basename "$task")
  "$kernelevolve" run "$here/../../configs/module-gpu.yaml" "task=$task" \
    budget.evaluations=8 budget.proposals=16 device.profile=off \
    'operators={llm_draft: 1, surrogate: {weight: 4, initial: 3}, knob_step: 1}' \
    "llm={kind: command, program: [cat, $here/answers/$name.md]}" -o "$out/runs/$name" || true
done
"$kernelevolve" show "$out"/runs/*
