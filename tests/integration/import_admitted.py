#!/usr/bin/env python3
# Long: tests/run.sh --all runs it.
# Times nothing: may run beside others.
"""Imports small modules of many kinds. Each becomes a task that `check` admits, or is refused with the reason.

Exit code 77: PyTorch is missing."""

import json
import pathlib
import sys
import time

sys.path.insert(0, sys.path[0] + "/../support")
from importer import HEAD, expect  # noqa: E402
from importer import module as written  # noqa: E402
from needs import need  # noqa: E402
from program import call, carry_out, fresh_folder, json_of, write  # noqa: E402

need("torch")
DROPPED = "outputs are random"


def module(arguments, body, inputs, parts="", constants=""):
    return written(arguments, body, f"[{inputs}]", parts, constants)


# name: (source, its axes, roles of the workloads, or the reason of a refusal)
SEVERAL = {"test": 7, "bench": 1, "validation": 1, "holdout": 3}
ONE = {"bench": 1}
ATTENTION = "return torch.softmax(q @ k.transpose(-1, -2) / 4, -1) @ v"
MODULES = {
    "scaled": (module("x", "return x * 2", "torch.randn(64, 32)"), "x_dim0 x_dim1", SEVERAL),
    "gelu": (module("x", "return torch.nn.functional.gelu(x)", "torch.randn(64, 300)"), "x_dim0 x_dim1", None),
    "power_of_two": (module("x", "return x * 2", "torch.randn(rows, 32)", constants="rows = 64"), "rows", SEVERAL),
    "little_room": (module("x", "return x * self.table[:, :x.shape[1]]", "torch.randn(40, cols)",
                           "self.table = nn.Parameter(torch.randn(40, 7))", "cols = 5"), "cols",
                    {"test": 3, "bench": 1, "validation": 1, "holdout": 2}),
    "least_room": (module("x", "return x * self.table[:, :x.shape[1]]", "torch.randn(40, cols)",
                          "self.table = nn.Parameter(torch.randn(40, 3))", "cols = 2"), "cols",
                   {"test": 1, "bench": 1, "validation": 1}),
    "three_inputs": (module("x, y, z", "return x * y + z", "torch.randn(64, 32), torch.randn(64, 32), torch.randn(32)"),
                     "x_dim0 x_dim1", SEVERAL),
    "attention": (module("q, k, v", ATTENTION, ", ".join(["torch.randn(2, 32, 16)"] * 3)),
                  "q_dim0 q_dim1 k_dim1 q_dim2 v_dim2", SEVERAL),
    "mask": (module("x, m", "return torch.softmax(x.masked_fill(m, float('-inf')), -1)",
                    "torch.randn(16, 24), torch.rand(16, 24) > 0.5"), "x_dim0 x_dim1", {**SEVERAL, "test": 8}),
    "square_product": (module("a, b", "return a @ b", "torch.randn(64, 64), torch.randn(64, 64)"), "a_dim0 a_dim1 b_dim1",
                       SEVERAL),
    "scalars": (module("x, s, t", "return x * s + t", "torch.randn(1000), torch.tensor(2.5), 3.0"), "x_dim0", None),
    "convolution": (module("x", "return self.c(x)", "torch.randn(2, 3, 32, 32)", "self.c = nn.Conv2d(3, 8, 3, padding=1)"),
                    "x_dim0 x_dim2 x_dim3", {**SEVERAL, "test": 8}),
    "recurrent": (module("x", "return self.l(x)[0]", "torch.randn(4, 10, 8)", "self.l = nn.LSTM(8, 12, batch_first=True)"),
                  "x_dim0 x_dim1", None),
    "table": (module("i", "return self.e(i)", "torch.randint(0, 100, (64,))", "self.e = nn.Embedding(100, 16)"), "i_dim0",
              SEVERAL),
    "places_in_an_input": (module("t, i", "return t[i]", "torch.randn(100, 16), torch.randint(0, 100, (64,))"),
                           "t_dim0 i_dim0 t_dim1", None),
    "found_on_values": (module("i, x", "return torch.zeros(50, 8).index_add_(0, i, x)",
                               "torch.randint(0, 50, (300,)), torch.randn(300, 8)"), "i_dim0", None),
    "broadcast": (module("x, y", "return x + y", "torch.randn(64, 1), torch.randn(1, 32)"), "x_dim0 y_dim1", SEVERAL),
    "view": (module("x", "return x.t()", "torch.randn(64, 32)"), "x_dim0 x_dim1", SEVERAL),
    "batch_of_one": (module("x, y", "return torch.tanh(x) * y", "torch.randn(1, 64), torch.randn(1, 64)"),
                     "x_dim0 x_dim1", None),
    "heads": (module("x", "return x.view(x.shape[0], 8, 4).sum(1)", "torch.randn(16, 32)"), "x_dim0", SEVERAL),
    "fixed": (module("x", "return x.reshape(8, 4, 16).mean(1) + self.w", "torch.randn(32, 16)",
                     "self.w = nn.Parameter(torch.randn(8, 16))"), "", ONE),
    "one_number": (module("x", "return x.sin() + x", "torch.tensor(1.0)"), "", ONE),
    "width_is_a_constant": (module("x", "return self.l(x)", "torch.randn(64, 24)", "self.l = nn.Linear(24, hidden)",
                                   "hidden = 32"), "hidden x_dim0", SEVERAL),
    "batch_statistics": (module("x", "return self.n(x)", "torch.randn(32, 24)", "self.n = nn.BatchNorm1d(24)"), "x_dim0",
                         SEVERAL),
    "no_element": (module("x", "return x * 2", "torch.randn(0, 32)"), "input 'x' has shape [0, 32]"),
    "length_of_values": (module("x", "return x[x > 0]", "torch.randn(64)"), "a shape must not depend on values"),
    "no_such_method": (module("x", "y = x + 1\nreturn y.no_such()", "torch.randn(8, 16)"), "(no_such_method.py:11)"),
    "not_python": (HEAD + "class Model(nn.Module:\n    pass\n", "(not_python.py:4)"),
    "no_inputs": (HEAD + "class Model(nn.Module):\n    def forward(self, x): return x\n", "defines no get_inputs"),
    "dropout": (module("x", "return F.dropout(x, 0.5, True)", "torch.randn(64, 32)"), DROPPED),
}


def roles_of(task):
    found = {}
    for role in ("test", "bench", "validation", "holdout"):
        count = task.count(f"role: {role}}}")
        found.update({role: count} if count else {})
    return found


def check_row(row, name, tasks):
    expected = MODULES[name][1:]
    if len(expected) == 1:
        expect((row["result"], expected[0] in row["reason"]), ("refused", True), f"{name}: {row['reason']}")
        expect((tasks / name).exists(), False, f"a folder of {name}")
        return
    axes, roles = expected
    expect((row["result"], row["reason"]), ("imported", ""), name)
    task = (tasks / name / "task.yaml").read_text()
    signature = next(line for line in task.splitlines() if line.startswith("signature"))
    expect(signature.endswith(", ".join(["out", *axes.split()]) + "]"), True, f"{name}: {signature}")
    expect(row["note"].startswith("no length varies: "), not axes, f"{name}: {row['note']}")
    if roles is not None:
        expect(roles_of(task), roles, name)


def every_module_is_admitted_or_refused_with_the_reason():
    tasks = pathlib.Path("tasks")
    write({f"modules/{name}.py": source for name, (source, *_) in MODULES.items()})
    started = time.monotonic()
    rows = {row["problem"]: row for row in json_of("import", "module", "modules", "-o", tasks)["problems"]}
    print(f"imported in {time.monotonic() - started:.0f} s", flush=True)
    expect(sorted(rows), sorted(MODULES), "problems")
    for name in MODULES:
        check_row(rows[name], name, tasks)
    expect(sorted(path.name for path in tasks.iterdir()),
           sorted(["import.tsv", *(name for name, one in MODULES.items() if len(one) == 3)]), "the folder of tasks")
    lines = (tasks / "import.tsv").read_text().splitlines()
    expect([line.split("\t")[0] for line in lines], ["problem", *rows], "import.tsv")
    fixed = rows["fixed"]["note"]
    expect("x.shape[0] = 32 (33: RuntimeError" in fixed and "(fixed.py:11)" in fixed, True, fixed)


def kernels_of_gpus_are_not_judged_where_there_is_none():
    write({"scaled.py": MODULES["scaled"][0]})
    row = json_of("import", "module", "scaled.py", "-o", "cuda", "--language", "cuda")["problems"][0]
    expect(row["result"], "imported", "a task of CUDA")
    if not pathlib.Path("/dev/nvidia0").exists():
        expect("not judged here: " in row["note"], True, row["note"])


GELU = """#include <cmath>
#include <cstddef>
extern "C" void kernel(const float* x, float* out, std::size_t rows, std::size_t cols) {
  for (std::size_t i = 0; i < rows * cols; ++i) {
    const float v = x[i];
    out[i] = 0.5f * v * (1.0f + std::erf(v * 0.70710678f));
  }
}
"""


def a_formula_is_as_exact_as_in_pytorch():
    """1 + erf(-6) is 0 in single precision, to PyTorch too, and rows whose values are all like that have no others to
    measure an error by."""
    for text, verdict, times in ((GELU, "ok", 4), (GELU.replace("= 0.5f", "= v < -3.0f ? 0.0f : 0.5f"), "wrong_result", 1)):
        write({"gelu.cpp": text})
        for _ in range(times):
            found = json.loads(call("eval", "tasks/gelu", "gelu.cpp", "--only", "correctness", "--json")[1])
            expect(found["verdict"], verdict, found["message"])


if __name__ == "__main__":
    fresh_folder("import_admitted")
    carry_out(every_module_is_admitted_or_refused_with_the_reason, kernels_of_gpus_are_not_judged_where_there_is_none,
              a_formula_is_as_exact_as_in_pytorch)
