#!/usr/bin/env python3
# Long: tests/run.sh --all runs it.
"""A Python reference is also a baseline: kernels are timed against it, and a search can start
without kernels."""

import json
import pathlib

from python_reference import KERNEL, NUMPY, TORCH, need_of_debian, task
from program import NEGATIVE, SOURCE, USAGE, call, carry_out, fresh_folder, run_file, says, write

CONFIG = SOURCE / "configs/module.yaml"
ANSWERED = ("llm={kind: command, program: [cat, answer.md]}", "budget={evaluations: 1, proposals: 4}", "operators={llm_draft: 1}",
            "device.verify_time=100ms", "device.verify_clusters=2", "verify.naive_flag_sets=1")
MODULE = """import torch

width = 96


class Model(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = torch.nn.Linear(width, width)

    def forward(self, x):
        return torch.relu(self.linear(x))


def get_inputs():
    return [torch.randn(64, width)]


def get_init_inputs():
    return [width]
"""
LINEAR = """#include <cstddef>
extern "C" void kernel(const float* x, const float* weight, const float* bias, float* out, std::size_t width,
                       std::size_t rows) {
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < width; ++c) {
      float sum = bias[c];
      for (std::size_t k = 0; k < width; ++k) sum += x[r * width + k] * weight[c * width + k];
      out[r * width + c] = sum > 0 ? sum : 0;
    }
}
"""


IN_PLACE = """import torch

rows = 300


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.act = torch.nn.ReLU(inplace=True)

    def forward(self, x):
        return {"sum": self.act(x).sum(1), "more": (self.act(x) + 1, None)}


def get_inputs():
    return {"x": torch.randn(rows, 32)}
"""
RELU = """#include <cstddef>
extern "C" void kernel(const float* x, float* sum, float* more, std::size_t rows) {
  for (std::size_t r = 0; r < rows; ++r) {
    sum[r] = 0;
    for (int c = 0; c < 32; ++c) {
      const float value = x[r * 32 + c] > 0 ? x[r * 32 + c] : 0;
      sum[r] += value;
      more[r * 32 + c] = value + 1;
    }
  }
}
"""


def evaluated(folder, kernel, opponent):
    """Answer of eval; repeats it if a busy machine reports that it timed nothing."""
    for _ in range(3):
        code, out, _ = call("eval", folder, kernel, "--against", opponent, "--json")
        answer = json.loads(out)
        if answer["verdict"] != "unreliable":
            return code, answer
    return code, answer


def references_are_opponents():
    for reference in (TORCH.replace("x.dtype == torch.float64 and ", ""), NUMPY):
        task(reference)
        write({"kernel.cpp": KERNEL})
        code, answer = evaluated("./task", "kernel.cpp", "anchor")
        assert code == 0 and answer["verdict"] == "ok" and answer["speedup"] > 0, answer


def parameters():
    """A module is built once with its parameters, which never change."""
    write({"linear.cpp": LINEAR})
    code, answer = evaluated("tasks/layer", "linear.cpp", "anchor")
    assert code == 0 and answer["verdict"] == "ok", answer


def in_place():
    """A module that changes its input gets a copy: the memory that both arms read stays as it is."""
    write({"relu.cpp": RELU})
    assert "forward() changes x in place" in pathlib.Path("tasks/act/task.yaml").read_text()
    code, answer = evaluated("tasks/act", "relu.cpp", "anchor")
    assert code == 0 and answer["verdict"] == "ok", answer


def failing():
    """A fault in the baseline alone is reported as such and not blamed on the kernel."""
    task(TORCH.replace("    assert x.dtype in (torch.float64, torch.float32) and",
                       "    assert x.dtype == torch.float64, 'not double'\n    assert"))
    write({"kernel.cpp": KERNEL})
    code, answer = evaluated("./task", "kernel.cpp", "anchor")
    assert code == NEGATIVE and answer["reason"] == "opponent_failed" and "not double" in answer["message"], answer


def search():
    """Runs configs/module.yaml with a program instead of the language model, up to a library of the
    champion."""
    write({"answer.md": "```cpp\n" + LINEAR + "```\n"})
    says(("run", CONFIG, "task=tasks/layer", *ANSWERED, "--out", "runs"), "pytorch eager")
    run = run_file("runs")
    says(("show", run), "champion     0.0.0 by llm_draft", "holdout")
    says(("dispatch", run, "-k", "1", "-v", "1", "--draw", "0", "-o", "library"), "library over pytorch eager")
    says(("run", CONFIG, "task=tasks/layer", *ANSWERED, "kernels=~"), "set kernels: none", code=USAGE)
    code, _, said = call("run", CONFIG, "task=tasks/layer", *ANSWERED, "device=riscv")
    assert code != 0 and "error" in said, said


if __name__ == "__main__":
    need_of_debian("torch", "numpy")
    fresh_folder("python_baseline")
    write({"modules/layer.py": MODULE, "modules/act.py": IN_PLACE})
    says(("import", "module", "modules", "-o", "tasks"), "2 imported")
    carry_out(references_are_opponents, parameters, in_place, failing, search)
