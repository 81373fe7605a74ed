#!/usr/bin/env python3
"""A Python reference is also a baseline: kernels are timed against it, and a search can start
without kernels."""

import json
import os
import pathlib
import shutil
import subprocess
import sys

from python_reference import KERNEL, NEGATIVE, NUMPY, PYTHON, SKIPPED, TORCH, USAGE

import python_reference as shared

FOLDER = shared.FOLDER = pathlib.Path("python_baseline").resolve()
CONFIG = pathlib.Path(os.environ["KE_SOURCE"]) / "configs/module.yaml"
ANSWERED = ("llm={kind: command, program: [cat, answer.md]}", "budget={evaluations: 1, proposals: 4}", "operators={llm_draft: 1}",
            "device.verify_time=100ms")
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


def evaluated(task, kernel, opponent):
    """Answer of eval; repeats it if a busy machine reports that it timed nothing."""
    for _ in range(3):
        code, out, err = shared.call("eval", task, kernel, "--against", opponent, "--json")
        answer = json.loads(out)
        if answer["verdict"] != "unreliable":
            return code, answer
    return code, answer


def judge(reference, names):
    shared.task(reference)
    shared.kernel(KERNEL)
    for name in names:
        code, answer = evaluated("./task", "kernel.cpp", name)
        assert code == 0 and answer["verdict"] == "ok" and answer["speedup"] > 0, (name, answer)


def parameters():
    """A module is built once with its parameters, which never change."""
    (FOLDER / "layer.py").write_text(MODULE)
    shared.expect(shared.call("import", "module", "layer.py", "-o", "tasks"), 0, "1 imported")
    (FOLDER / "linear.cpp").write_text(LINEAR)
    code, answer = evaluated("tasks/layer", "linear.cpp", "anchor")
    assert code == 0 and answer["verdict"] == "ok", answer


def in_place():
    """A module that changes its input gets a copy: the memory that both arms read stays as it is."""
    (FOLDER / "act.py").write_text(IN_PLACE)
    shared.expect(shared.call("import", "module", "act.py", "-o", "tasks"), 0, "1 imported")
    shared.expect((0, (FOLDER / "tasks/act/task.yaml").read_text(), ""), 0, "forward() changes x in place")
    (FOLDER / "relu.cpp").write_text(RELU)
    code, answer = evaluated("tasks/act", "relu.cpp", "anchor")
    assert code == 0 and answer["verdict"] == "ok", answer


def failing():
    """A fault in the baseline alone is reported as such and not blamed on the kernel."""
    shared.task(TORCH.replace("    assert x.dtype in (torch.float64, torch.float32) and",
                             "    assert x.dtype == torch.float64, 'not double'\n    assert"))
    shared.kernel(KERNEL)
    code, answer = evaluated("./task", "kernel.cpp", "anchor")
    assert code == NEGATIVE and answer["reason"] == "opponent_failed" and "not double" in answer["message"], answer


def search():
    """Runs configs/module.yaml with a program instead of the language model, up to a library of the
    champion."""
    (FOLDER / "answer.md").write_text("```cpp\n" + LINEAR + "```\n")
    shared.expect(shared.call("run", CONFIG, "task=tasks/layer", *ANSWERED, "--out", "runs"), 0, "pytorch eager")
    run = next((FOLDER / "runs").glob("*.kev"))
    shared.expect(shared.call("show", run), 0, "champion     0.0.0 by llm_draft", "holdout")
    made = shared.call("dispatch", run, "-k", "1", "-v", "1", "--draw", "0", "-o", "library")
    shared.expect(made, 0, "library over pytorch eager")
    shared.expect(shared.call("run", CONFIG, "task=tasks/layer", *ANSWERED, "kernels=~"), USAGE, "set kernels: none")
    code, _, said = shared.call("run", CONFIG, "task=tasks/layer", *ANSWERED, "device=riscv")
    assert code != 0 and "error" in said, said


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    for module in ("torch", "numpy"):
        if subprocess.run([PYTHON, "-c", f"import {module}"], capture_output=True).returncode != 0:
            print(f"{PYTHON} has no {module}: install Debian's python3-torch and python3-numpy")
            sys.exit(SKIPPED)
    judge(TORCH.replace("x.dtype == torch.float64 and ", ""), ("anchor",))
    judge(NUMPY, ("anchor",))
    parameters()
    in_place()
    failing()
    search()


if __name__ == "__main__":
    main()
