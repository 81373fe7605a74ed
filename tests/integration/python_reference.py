#!/usr/bin/env python3
"""References in Python, with PyTorch and NumPy: their results decide, and faults in them are
reported."""
# Times nothing: may run beside others.

import os
import shutil
import sys

sys.path.insert(0, sys.path[0] + "/../support")
from needs import need_of_debian  # noqa: E402
from program import DEVICE, NEGATIVE, USAGE, fresh_folder, says, write  # noqa: E402

os.environ["PATH"] = "/usr/bin:/bin"  # of Debian's Python
TASK = """schema: kernelevolve-task/1
name: rows
description: "softmax of rows, and their largest elements"
axes: {rows: var, cols: var}
signature: [x, y, most, rows, cols]
inputs:
  x: {shape: [rows, cols], classes: [normal, positive, constant]}
outputs:
  y: {shape: [rows, cols]}
  most: {shape: [rows]}
tolerance: {relative: 1.0e-4, relative_l2: 1.0e-4, scale: 1.0e-4}
row: cols
cost: {bytes: "8*rows*cols", flops: "4*rows*cols"}
reference: reference.py
reference_limit: 2s
workloads:
  - {rows: 1, cols: 1, role: test}
  - {rows: 3, cols: 129, role: test}
  - {rows: 64, cols: 1000, role: bench}
  - {rows: 100, cols: 300, role: validation}
  - {rows: 17, cols: 2000, role: holdout}
  - {rows: 400, cols: 30, role: holdout}
  - {rows: 5, cols: 777, role: holdout}
"""
TORCH = """import torch


def reference(x, rows, cols):
    assert x.dtype in (torch.float64, torch.float32) and x.shape == (rows, cols)  # as reference, as opponent
    return torch.softmax(x, dim=1), x.amax(dim=1)
"""
NUMPY = """import numpy


def reference(x, **axes):
    e = numpy.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True), x.max(axis=1)
"""
KERNEL = """#include <cmath>
#include <cstddef>
extern "C" void kernel(const float* x, float* y, float* most, std::size_t rows, std::size_t cols) {
  for (std::size_t r = 0; r < rows; ++r, x += cols, y += cols) {
    float best = x[0], sum = 0;
    for (std::size_t c = 1; c < cols; ++c) best = x[c] > best ? x[c] : best;
    for (std::size_t c = 0; c < cols; ++c) sum += y[c] = std::exp(x[c] - best);
    for (std::size_t c = 0; c < cols; ++c) y[c] /= sum;
    most[r] = best;
  }
}
"""


# w lies column after column, x in rows of `pitch` elements of which `cols` count.
STRIDED_TASK = """schema: kernelevolve-task/1
name: strided
axes: {rows: var, cols: var, pitch: var}
signature: [x, w, y, rows, cols, pitch]
inputs:
  x: {shape: [rows, pitch], classes: [normal, positive]}
  w: {shape: [cols, rows], classes: [normal]}
outputs:
  y: {shape: [rows, cols]}
tolerance: {relative: 1.0e-5, relative_l2: 1.0e-5, scale: 1.0e-6}
row: cols
cost: {bytes: "12*rows*cols"}
reference: reference.py
workloads:
  - {rows: 3, cols: 5, pitch: 8, role: test}
  - {rows: 33, cols: 63, pitch: 64, role: test}
  - {rows: 100, cols: 200, pitch: 208, role: bench}
  - {rows: 17, cols: 90, pitch: 96, role: holdout}
  - {rows: 70, cols: 31, pitch: 32, role: holdout}
  - {rows: 9, cols: 300, pitch: 304, role: holdout}
"""
STRIDED = """import torch


def reference(x, w, rows, cols, pitch):
    x, w = x[:, :cols], w.t()
    assert x.stride() == (pitch, 1) and w.stride() == (1, rows)
    return x + w
"""
STRIDED_KERNEL = """#include <cstddef>
extern "C" void kernel(const float* x, const float* w, float* y, std::size_t rows, std::size_t cols, std::size_t pitch) {
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < cols; ++c) y[r * cols + c] = x[r * pitch + c] + w[c * rows + r];
}
"""


def task(reference, text=TASK):
    shutil.rmtree("task", ignore_errors=True)
    write({"task.yaml": text, "reference.py": reference}, "task")


def judged(kernel, said="verdict ok", code=0):
    write({"kernel.cpp": kernel})
    says(("eval", "./task", "kernel.cpp", "--only", "correctness"), said, code=code)


def judge(reference):
    """Checks a task without kernels; a right kernel passes and a wrong one does not."""
    task(reference)
    says(("check", "./task"), "task rows is admitted", "no 'kernels'")
    judged(KERNEL)
    judged(KERNEL.replace("most[r] = best", "most[r] = best + 0.001f"), "wrong_result", NEGATIVE)


def strides_are_shapes_in_memory():
    """A kernel that takes the tensors for dense rows is wrong; the baseline sees the same strides."""
    task(STRIDED, STRIDED_TASK)
    judged(STRIDED_KERNEL)
    for strided, dense in (("r * pitch + c", "r * cols + c"), ("w[c * rows + r]", "w[r * cols + c]")):
        judged(STRIDED_KERNEL.replace(strided, dense), "wrong_result", NEGATIVE)


def refused(reference, *parts, code=USAGE):
    task(reference)
    says(("check", "./task"), "reference.py", *parts, code=code)


def main():
    need_of_debian("torch", "numpy")
    fresh_folder("python_reference")
    judge(TORCH)
    judge(NUMPY)
    strides_are_shapes_in_memory()
    at = "at workload 'rows="
    refused(TORCH.replace("x.amax(dim=1)", "x"), "threw ValueError: output 'most' has shape", at)
    # Whatever the library: NumPy is there in a fraction of the time that PyTorch takes.
    refused(NUMPY.replace("=True), x", "=True), 1 // 0, x"), "threw ZeroDivisionError", at)
    refused(NUMPY.replace("=True), x.max(axis=1)", "=True)"), "1 outputs, the task has 2", at)
    refused(NUMPY.replace("    e =", "    import time; time.sleep(500)\n    e ="), "took longer than", at)
    refused(NUMPY.replace("    e =", "    import ctypes; ctypes.string_at(8)\n    e ="), "crashed with signal 11", at)
    refused(NUMPY.replace("x.max(axis=1)\n", "x.max(axis=1) * float('nan')\n"), "nan in output 'most'", code=NEGATIVE)
    refused(NUMPY.replace("def reference", "def other"), "defines no function 'reference'")
    refused(NUMPY.replace("import numpy", "import numpy, no_such_module"), "no_such_module",
            "/usr/bin/python3, the first python3 in PATH")
    refused("def reference(:", "SyntaxError")
    task(NUMPY)
    says(("check", "./task"), "no python3 in PATH can be used", code=DEVICE, PATH="/no/folder")
    says(("eval", "./task", "kernel.cpp", "--against", "naive"), "has no kernels of its own", code=USAGE)
    write({"run.yaml": "name: r\ntask: ./task\nbudget: {proposals: 2}\n"})
    says(("run", "run.yaml"), "has no kernel to start from; set kernels: none", code=USAGE)


if __name__ == "__main__":
    main()
