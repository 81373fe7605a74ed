#!/usr/bin/env python3
# Long: tests/run.sh --all runs it.
"""`import` makes tasks from small local problems in each format, and `check` admits them.

Exit code 77: PyTorch or pycparser is missing."""
# Times nothing: may run beside others.

import json
import os
import sys

sys.path.insert(0, sys.path[0] + "/../support")
from needs import need_of_debian  # noqa: E402
from program import NEGATIVE, USAGE, carry_out, fresh_folder, says, write  # noqa: E402

os.environ["PATH"] = "/usr/bin:/bin"  # of Debian's Python
FOLDER = fresh_folder("import_formats")
MODULE = """import torch
rows, cols = 32, 48
class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x) * 2
def get_inputs():
    return [torch.randn(rows, cols)]
def get_init_inputs():
    return []
"""

APACHE = "\n                                 Apache License\n                           Version 2.0, January 2004\n"
FLASHINFER = {
    "name": "scaled_softmax",
    "op_type": "softmax",
    "description": "Softmax of scaled rows.",
    "axes": {"rows": {"type": "var"}, "cols": {"type": "const", "value": 24}},
    "inputs": {"x": {"shape": ["rows", "cols"], "dtype": "float32"}, "factor": {"shape": None, "dtype": "float32"}},
    "outputs": {"y": {"shape": ["rows", "cols"], "dtype": "float32"},
                "largest": {"shape": ["rows"], "dtype": "float32"}},
    "reference": "import torch\n\ndef run(x, factor):\n    z = x.to(torch.float32) * factor\n"
                 "    return {'largest': z.amax(1), 'y': torch.softmax(z, 1).to(torch.float32)}\n",
}
SOL = {
    "name": "halves",
    "axes": {"rows": {"type": "var"}, "width": {"type": "var"},
             "double_width": {"type": "expr", "expression": "2 * width"}},
    "custom_inputs_entrypoint": "make",
    "inputs": {"x": {"shape": ["rows", "double_width"], "dtype": "float32"}},
    "outputs": {"y": {"shape": ["rows", "width"], "dtype": "float32"}},
}
SOL_REFERENCE = """import torch

def make(axes, device):
    return {"x": torch.rand(axes["rows"], 2 * axes["width"], device=device) / 8}

@torch.no_grad()
def run(x):
    left, right = x.float().chunk(2, dim=1)
    return left * torch.sigmoid(right)
"""

HEADER = """#ifndef SMOOTH_H
# define SMOOTH_H
# if !defined(TSTEPS) && !defined(N)
#  ifdef MINI_DATASET
#   define TSTEPS 2
#   define N 10
#  endif
#  ifdef SMALL_DATASET
#   define TSTEPS 4
#   define N 30
#  endif
#  ifdef MEDIUM_DATASET
#   define TSTEPS 8
#   define N 100
#  endif
#  ifdef LARGE_DATASET
#   define TSTEPS 16
#   define N 200
#  endif
#  ifdef EXTRALARGE_DATASET
#   define TSTEPS 100
#   define N 9000
#  endif
# endif
# define _PB_TSTEPS POLYBENCH_LOOP_BOUND(TSTEPS,tsteps)
# define _PB_N POLYBENCH_LOOP_BOUND(N,n)
# define DATA_TYPE double
# define SCALAR_VAL(x) x
#endif
"""
KERNEL = """#include <stdio.h>
#include <polybench.h>
#include "smooth.h"

static void init_array(int n, DATA_TYPE *share, DATA_TYPE POLYBENCH_2D(A,N,N,n,n)) {
  int i, j;
  *share = 0.25;
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++) A[i][j] = (DATA_TYPE)(i * j) / n;
}
static void print_array(int n, DATA_TYPE POLYBENCH_2D(A,N,N,n,n)) {
  POLYBENCH_DUMP_START;
  fprintf(stderr, "%f", A[0][0]);
}
static void kernel_smooth(int tsteps, int n, DATA_TYPE share, DATA_TYPE POLYBENCH_2D(A,N,N,n,n),
                          DATA_TYPE POLYBENCH_2D(old,N,N,n,n)) {
  int t, i, j;
#pragma scop
  for (t = 0; t < _PB_TSTEPS; t++) {
    for (i = 0; i < _PB_N; i++)
      for (j = 0; j < _PB_N; j++) old[i][j] = A[i][j];
    for (i = 1; i < _PB_N; i++)
      for (j = 0; j < i; j++) A[i][j] = share * old[i-1][j] + (SCALAR_VAL(1.0) - share) * old[i][j];
  }
#pragma endscop
}
int main(int argc, char** argv) {
  int tsteps = TSTEPS;
  int n = N;
  DATA_TYPE share;
  POLYBENCH_2D_ARRAY_DECL(A, DATA_TYPE, N, N, n, n);
  POLYBENCH_2D_ARRAY_DECL(old, DATA_TYPE, N, N, n, n);
  init_array(n, &share, POLYBENCH_ARRAY(A));
  polybench_start_instruments;
  kernel_smooth(tsteps, n, share, POLYBENCH_ARRAY(A), POLYBENCH_ARRAY(old));
  polybench_prevent_dce(print_array(n, POLYBENCH_ARRAY(A)));
  POLYBENCH_FREE_ARRAY(A);
  return 0;
}
"""


def contains(text, *parts):
    for part in parts:
        assert part in text, (part, text)


def imported(form, problems, count, refused=0):
    """Imports all problems of a folder at once, which checks each task. Starting PyTorch takes longer than a problem."""
    says(("import", form, problems, "-o", "tasks"), f"{count} imported, {refused} refused")


def task(name):
    return (FOLDER / "tasks" / name / "task.yaml").read_text()


def refused(form, problem, reason):
    says(("import", form, problem, "-o", "refused"), reason, code=NEGATIVE)
    contains((FOLDER / "refused" / "import.tsv").read_text(), reason)


def lines_of(shapes, kind, **more):
    return "".join(json.dumps({"uuid": str(i), "axes": shape, "inputs": kind, **more}) + "\n"
                   for i, shape in enumerate(shapes))


def a_module_of_ones_own_has_no_source():
    write({"mine.py": MODULE})
    imported("module", "mine.py", 1)
    says(("check", "./tasks/mine"), "task mine is admitted")
    text = task("mine")
    contains(text, "axes: {rows: var, cols: var}", "reference: reference.py")
    assert "source" not in text and "licence" not in text, text


def flashinfer_takes_scalars_as_constants():
    given = {"x": {"type": "random"}, "factor": {"type": "scalar", "value": 0.5}}
    shapes = [{"rows": n} for n in (8, 300, 64, 40, 100, 9, 11, 20)]
    wrapped = [json.dumps({"definition": "scaled_softmax", "solution": None, "workload": json.loads(line)})
               for line in lines_of(shapes, given).splitlines()]
    for name, folder, changed in (("scaled_softmax", "flashinfer", ()), ("float8", "flashinfer", ("float32", "float8_e4m3fn")),
                                  ("shape", "flashinfer", ("z.amax(1)", "z")), ("configured", "flashinfer/set", ())):
        text = json.dumps(FLASHINFER)
        write({f"definitions/softmax/{name}.json": text.replace(*changed) if changed else text,
               f"workloads/softmax/{name}.jsonl": "\n".join(wrapped) + "\n"}, folder)
    write({"definitions/LICENCE": APACHE,
           "set/eval_config.yaml": "op_type_config:\n  softmax: {required_matched_ratio: 0.95, atol: 0.004}\n"
                                   "definition_config:\n  scaled_softmax: {atol: 0.002}\n  other: {atol: 9}\n"}, "flashinfer")
    imported("flashinfer", "flashinfer", 2, refused=2)
    contains((FOLDER / "tasks/import.tsv").read_text(), "float8_e4m3fn", "output 'largest' of run() has shape")
    text = task("scaled_softmax")
    contains(text, "axes: {rows: var, cols: 24}", "signature: [x, y, largest, rows]", "rows: 300, role: bench",
             "Fixed: factor = 0.5", 'licence: "Apache-2.0"')
    assert text.count("role: bench") == 4 and text.count("role: holdout") == 3, text
    # Half of each figure: their rule is the larger of both bounds, a task's their sum.
    contains(task("configured"), "tolerance: {relative: 0.005, absolute: 0.001, matched_ratio: 0.95}")
    write({"broken.json": "{"})
    refused("flashinfer", "broken.json", "broken.json is not JSON")


def sol_takes_expressions_and_inputs_of_its_own_function():
    shapes = [{"rows": 16, "width": 20}, {"rows": 64, "width": 33}]
    strict = [{"max_atol": 0.005, "max_error_cap": 0.25}, {"max_rtol": 0.001, "required_matched_ratio": 0.999}]
    for folder, tolerances in (("halves", [{"max_rtol": 0.02}] * 2), ("copy/L1/strict", strict),
                               ("loose", [{"max_atol": 1.0, "max_rtol": 0.01}])):
        workloads = (lines_of([shape], {"x": {"type": "custom"}}, tolerance=one) for shape, one in zip(shapes, tolerances))
        write({"definition.json": json.dumps(SOL), "reference.py": SOL_REFERENCE, "workload.jsonl": "".join(workloads)}, f"sol/{folder}")
    write({"sol/copy/LICENSE": "MIT License\n\nCopyright (c) 2026\n"})
    imported("sol", "sol", 3)
    text = task("halves")
    contains(text, "x: {shape: [rows, \"2 * width\"]", "classes: [positive]", "scale: 0.0625",
             "rows: 64, width: 33, role: bench", "tolerance: {relative: 0.02, absolute: 0.01, matched_ratio: 0.99}",
             "The tolerance is the published one.")
    assert "licence" not in text and "category" not in text, text
    # The strictest of two workloads' tolerances; the problem stands in a group, below a licence.
    contains(task("strict"), 'licence: "MIT"', 'category: "level 1"',
             "tolerance: {relative: 0.001, absolute: 0.005, matched_ratio: 0.999, max_error: 0.25}")
    # A published tolerance that zeros pass is not taken.
    text = task("loose")
    contains(text, "does not tell right from wrong", "relative_l2:")
    assert "absolute: 1.0" not in text.split("tolerance: {relative")[-1], text


def polybench_keeps_the_kernel_and_copies_what_it_overwrites():
    write({"stencils/smooth/smooth.h": HEADER, "stencils/smooth/smooth.c": KERNEL,
           "LICENSE.txt": "OHIO STATE UNIVERSITY SOFTWARE DISTRIBUTION LICENSE\n\nPolyBench/C\n"})
    imported("polybench", "stencils", 1)
    text = task("polybench_smooth")
    (FOLDER / "LICENSE.txt").unlink()
    contains(text, 'licence: "OHIO STATE UNIVERSITY SOFTWARE DISTRIBUTION LICENSE"', 'category: "stencils"')
    contains(text, "signature: [A_in, A, tsteps, n]", "dtype: float64", "tsteps: 8, n: 100, role: bench",
             "EXTRALARGE from tsteps 100 n 9000")
    naive = (FOLDER / "tasks/polybench_smooth/naive.cpp").read_text()
    contains(naive, "std::copy_n(A_in, n * n, A);", "std::vector<double> old_work(n * n);", "const double share = 0.25;",
             "old[(i - 1) * n + j]")
    write({"other/smooth.h": HEADER, "other/smooth.c": KERNEL.replace("kernel_smooth", "smooth")})
    refused("polybench", "other", "one function kernel_*")


def what_cannot_be_read_is_one_error():
    says(("import", "excel", "mine.py"), "'excel' is none of the formats that are read: kernelbench", code=USAGE)
    says(("import", "sol", "no_such_folder"), "no file or folder 'no_such_folder'", code=USAGE)
    write({"empty/readme.txt": ""})
    says(("import", "polybench", "empty"), "no problem of format polybench", code=NEGATIVE)


if __name__ == "__main__":
    need_of_debian("torch", "pycparser", "yaml")
    carry_out(a_module_of_ones_own_has_no_source, flashinfer_takes_scalars_as_constants,
              sol_takes_expressions_and_inputs_of_its_own_function, polybench_keeps_the_kernel_and_copies_what_it_overwrites,
              what_cannot_be_read_is_one_error)
