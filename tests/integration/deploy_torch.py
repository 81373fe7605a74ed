#!/usr/bin/env python3
"""Libraries of three searches become PyTorch operators: they pass opcheck, compile, compute the
same as PyTorch at any shape, stride and address and in any thread, and refuse unsuitable inputs.

Exit code 77: this python3 has no PyTorch 2.4 or later."""
import os
import pathlib
import shutil
import subprocess
import sys
import threading
import warnings

SKIPPED = 77
try:
    import torch
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(SKIPPED)
if tuple(int(part) for part in torch.__version__.split(".")[:2]) < (2, 4):
    print(f"skipped: PyTorch 2.4 or later is needed, this is {torch.__version__}")
    sys.exit(SKIPPED)

BINARY = os.environ["KERNELEVOLVE"]
FOLDER = pathlib.Path("deploy_torch").resolve()
USAGE = 2
CONFIG = """schema: kernelevolve/1
task: TASK
budget: {evaluations: 1, proposals: 20}
operators: {knob_step: 1}
device: {verify_time: 100ms, verify_clusters: 2}
verify: {cells: 0}
"""

# Keeps half of the weights in a thread-local variable and half in a shared one.
SCALED = {"task.yaml": """schema: kernelevolve-task/1
name: scaled
description: "y[r][c] = x[r][c] * w[c]."
source: this test
licence: Apache-2.0
axes: {rows: var, cols: var}
signature: [x, w, y, rows, cols]
inputs:
  x: {shape: [rows, cols], classes: [normal, positive]}
  w: {shape: [cols], changes: never, classes: [normal]}
outputs:
  y: {shape: [rows, cols]}
tolerance: {relative: 1.0e-5, relative_l2: 1.0e-5, scale: 1.0e-6}
row: cols
cost: {bytes: "8*rows*cols", flops: "rows*cols"}
reference: reference.cpp
kernels: {naive: naive.cpp, anchor: kept.cpp}
workloads:
  - {rows: 1, cols: 1, role: test}
  - {rows: 7, cols: 129, role: test}
  - {rows: 300, cols: 1024, role: bench}
  - {rows: 1000, cols: 32, role: validation}
  - {rows: 280, cols: 1000, role: holdout}
  - {rows: 973, cols: 33, role: holdout}
  - {rows: 3, cols: 2000, role: holdout}
""", "reference.cpp": """#include <cstddef>
extern "C" void reference(const double* x, const double* w, double* y, std::size_t rows, std::size_t cols) {
  for (std::size_t i = 0; i < rows * cols; ++i) y[i] = x[i] * w[i % cols];
}
""", "naive.cpp": """// @task scaled
// @flags -O2
#include <cstddef>
extern "C" void kernel(const float* x, const float* w, float* y, std::size_t rows, std::size_t cols) {
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < cols; ++c) y[r * cols + c] = x[r * cols + c] * w[c];
}
""", "kept.cpp": """// @task scaled
// @knob N int {1, 2} = 1
// @flags -O2 -march=native
#include <cstddef>
#include <cstring>
static thread_local float own[1 << 14];
static float shared[1 << 14];
extern "C" void prepare(const float* w, std::size_t, std::size_t cols) {
  std::memcpy(own, w, cols * sizeof *w);
  std::memcpy(shared, w, cols * sizeof *w);
}
extern "C" void kernel(const float* x, const float*, float* y, std::size_t rows, std::size_t cols) {
  x = static_cast<const float*>(__builtin_assume_aligned(x, 64));
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < cols; ++c) y[r * cols + c] = x[r * cols + c] * (c % 2 == 0 ? own : shared)[c];
}
"""}

# Two outputs, an axis that no input tells, indices, an even number of rows in all workloads, and a
# kernel that keeps a row in a variable shared by all threads.
GATHERED = {"task.yaml": """schema: kernelevolve-task/1
name: gathered
description: "y[t][r][c] = (t + 1) * table[index[r]][c]; most[r] is the largest element of row r of the first."
axes: {times: var, vocab: var, rows: var, cols: var}
signature: [table, index, y, most, times, vocab, rows, cols]
inputs:
  table: {shape: [vocab, cols], classes: [normal, positive]}
  index: {shape: [rows], dtype: int64, range: [0, vocab], classes: [uniform]}
outputs:
  y: {shape: [times, rows, cols]}
  most: {shape: [rows]}
tolerance: {relative: 1.0e-5, relative_l2: 1.0e-5, scale: 1.0e-6}
row: cols
cost: {bytes: "8*times*rows*cols", flops: "times*rows*cols"}
reference: reference.py
kernels: {naive: naive.cpp, anchor: naive.cpp}
ranges: {times: [1, 8]}
workloads:
  - {times: 1, vocab: 1, rows: 2, cols: 1, role: test}
  - {times: 2, vocab: 9, rows: 8, cols: 17, role: test}
  - {times: 6, vocab: 5, rows: 2, cols: 3, role: test}
  - {times: 3, vocab: 400, rows: 500, cols: 64, role: bench}
  - {times: 4, vocab: 100, rows: 200, cols: 100, role: validation}
  - {times: 2, vocab: 300, rows: 900, cols: 33, role: holdout}
  - {times: 1, vocab: 50, rows: 600, cols: 90, role: holdout}
  - {times: 5, vocab: 64, rows: 128, cols: 256, role: holdout}
""", "reference.py": """import torch


def reference(table, index, times, vocab, rows, cols):
    first = table[index]
    factors = torch.arange(1, times + 1, dtype=table.dtype).reshape(times, 1, 1)
    return factors * first, first.amax(dim=1)
""", "naive.cpp": """// @task gathered
// @knob N int {1, 2} = 1
// @flags -O2
#include <cstddef>
#include <cstdint>
#include <cstring>
extern "C" void kernel(const float* table, const std::int64_t* index, float* y, float* most, std::size_t times,
                       std::size_t, std::size_t rows, std::size_t cols) {
  for (std::size_t t = 0; t < times; ++t)
    for (std::size_t r = 0; r < rows; ++r) {
      static float row[1 << 12];
      std::memcpy(row, table + static_cast<std::size_t>(index[r]) * cols, cols * sizeof *row);
      float best = row[0];
      for (std::size_t c = 0; c < cols; ++c) {
        y[(t * rows + r) * cols + c] = static_cast<float>(t + 1) * row[c];
        best = row[c] > best ? row[c] : best;
      }
      most[r] = best;
    }
}
"""}

MODULE = """import torch
import torch.nn as nn

batch_size = 64
inner = 48
outer = 40


class Model(nn.Module):
    def __init__(self, inner, outer):
        super().__init__()
        self.linear = nn.Linear(inner, outer)

    def forward(self, x):
        return torch.relu(self.linear(x))


def get_inputs():
    return [torch.randn(batch_size, inner)]


def get_init_inputs():
    return [inner, outer]
"""
LINEAR = """// @task linear_relu
// @knob N int {1, 2} = 1
// @flags -O2 -ffast-math
#include <cstddef>
extern "C" void kernel(const float* x, const float* weight, const float* bias, float* out, std::size_t rows,
                       std::size_t inner, std::size_t outer) {
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t o = 0; o < outer; ++o) {
      float sum = bias[o];
      for (std::size_t i = 0; i < inner; ++i) sum += x[r * inner + i] * weight[o * inner + i];
      out[r * outer + o] = sum > 0 ? sum : 0;
    }
}
"""


def call(*words):
    return subprocess.run([BINARY, *map(str, words)], capture_output=True, text=True, cwd=FOLDER)


def succeeds(*words):
    done = call(*words)
    assert done.returncode == 0, (words, done.stdout, done.stderr)
    return done.stdout


def refuses(words, message):
    done = call("deploy", *words)
    assert done.returncode == USAGE and message in done.stderr, (words, done)


def write_tasks():
    for name, files in (("scaled", SCALED), ("gathered", GATHERED)):
        (FOLDER / "tasks" / name).mkdir(parents=True)
        for file, text in files.items():
            (FOLDER / "tasks" / name / file).write_text(text)
    (FOLDER / "linear_relu.py").write_text(MODULE)
    succeeds("import", "kernelbench", "linear_relu.py", "-o", "tasks")
    task = FOLDER / "tasks" / "linear_relu"
    (task / "naive.cpp").write_text(LINEAR)
    with open(task / "task.yaml", "a", encoding="utf-8") as file:
        file.write("kernels: {naive: naive.cpp, anchor: naive.cpp}\n")


def make_libraries():
    for task in ("scaled", "gathered", "linear_relu"):
        (FOLDER / f"{task}.yaml").write_text(CONFIG.replace("TASK", task))
        succeeds("run", f"{task}.yaml", "-q", "-o", f"runs/{task}")
        succeeds("dispatch", f"runs/{task}", "--draw", "0", "-k", "1", "-v", "1", "-o", task)
    (FOLDER / "old").mkdir()
    shutil.copytree(FOLDER / "scaled", FOLDER / "old" / "scaled")
    (FOLDER / "old" / "scaled" / "interface.json").unlink()


def scaled_inputs(rows, cols):
    return torch.randn(rows, cols), torch.randn(cols)


def gathered_inputs(times, vocab, rows, cols):
    return torch.randn(vocab, cols), torch.randint(0, vocab, (rows,)), times


def linear_inputs(rows, inner, outer):
    return torch.randn(rows, inner), torch.randn(outer, inner), torch.randn(outer)


def scaled(x, w):
    return x * w


def gathered(table, index, times):
    rows = torch.nn.functional.embedding(index, table)
    return torch.stack([(t + 1) * rows for t in range(times)]), rows.max(dim=1).values


def linear_relu(x, weight, bias):
    return torch.nn.functional.linear(x, weight, bias).clamp(min=0)


def columns_first(tensor):
    """The same values, not contiguous."""
    return tensor.t().contiguous().t() if torch.is_tensor(tensor) and tensor.dim() == 2 else tensor


def misaligned(tensor):
    """The same values, one element after an aligned address."""
    if not torch.is_tensor(tensor):
        return tensor
    memory = torch.empty(tensor.numel() + 1, dtype=tensor.dtype)
    moved = memory[1:].view(tensor.shape).copy_(tensor)
    assert moved.data_ptr() % 64 != 0
    return moved


CASES = {  # operator: (inputs, what PyTorch computes, shapes that are verified, shapes that are not)
    "scaled": (scaled_inputs, scaled, [(1, 1), (3, 700), (1000, 20)], [(2, 9000), (5000, 3)]),
    "gathered": (gathered_inputs, gathered, [(1, 1, 2, 1), (3, 40, 50, 33), (8, 5, 64, 7)],
                 [(2, 40, 51, 8), (9, 3, 4, 5)]),
    "linear_relu": (linear_inputs, linear_relu, [(24, 20, 16), (64, 48, 40), (33, 65, 17)], [(4000, 4, 4)]),
}


def close(got, wanted):
    torch.testing.assert_close(got, wanted, rtol=1e-4, atol=1e-5)


def operators_pass_opcheck(package):
    for name, (inputs, _, shapes, _) in CASES.items():
        for shape in shapes[:2]:
            for change in (lambda one: one, columns_first):
                torch.library.opcheck(getattr(package, name), tuple(map(change, inputs(*shape))))


def operators_compute_what_pytorch_does(package):
    for name, (inputs, function, shapes, _) in CASES.items():
        for shape in shapes:
            for change in (lambda one: one, columns_first, misaligned):
                given = tuple(map(change, inputs(*shape)))
                answer = getattr(package, name)(*given)
                close(answer, function(*given))
                for output in answer if isinstance(answer, tuple) else (answer,):
                    assert output.data_ptr() % 64 == 0
    close(package.scaled(torch.empty(0, 5), torch.randn(5)), torch.empty(0, 5))


def operators_compile(package):
    for name, (inputs, function, shapes, _) in CASES.items():
        operator = getattr(package, name)
        compiled = torch.compile(lambda first, *rest: operator(first + 1, *rest), fullgraph=True,
                                 backend="inductor" if name == "scaled" else "aot_eager")
        for shape in shapes[1:]:
            first, *rest = inputs(*shape)
            close(compiled(first, *rest), function(first + 1, *rest))


def other_shapes_are_computed_by_the_reference(package):
    for first, (name, (inputs, function, _, others)) in zip(("cols=9000", "rows=51", "batch_size=4000"), CASES.items()):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            for shape in others * 2:
                given = inputs(*shape)
                before = torch.random.get_rng_state()
                close(getattr(package, name)(*given), function(*given))
                assert torch.equal(before, torch.random.get_rng_state())
        texts = [str(one.message) for one in caught]
        assert len(texts) == 1, texts
        assert texts[0].startswith(f"kernelevolve::{name}: {first} ") and "not verified" in texts[0], texts


def what_does_not_fit_is_refused(package):
    x, w = scaled_inputs(4, 8)
    table, index, _ = gathered_inputs(1, 4, 6, 5)
    fake = torch._subclasses.FakeTensorMode()
    with fake:
        on_gpu = torch.empty(4, 8, device="cuda"), torch.empty(8)
    for kind, arguments, message in (
            (TypeError, (x.double(), w), "kernelevolve::scaled: 'x' is torch.float64, expected torch.float32"),
            (ValueError, (x, w[None]), "'w' has 2 dimensions, expected 1: [cols]"),
            (ValueError, (x, w[:7]), "'w' has shape [7], expected [cols] = [8] where rows=4 (from 'x'), cols=8 (from 'x')"),
            (ValueError, (x.to_sparse(), w), "'x' has layout torch.sparse_coo, expected torch.strided"),
            (RuntimeError, (x, w.clone().requires_grad_()), "'w' requires a gradient, and this operator has none"),
            (ValueError, (x, w.to("meta")), "'w' is on device meta, expected cpu"),
            (ValueError, on_gpu, "'x' is on device cuda:0, expected cpu")):
        raises(kind, message, package.scaled, *arguments)
    with torch.no_grad():
        close(package.scaled(x, w.clone().requires_grad_()), x * w)
    raises(IndexError, "'index' holds values from 0 to 4, expected values in [0, 4)", package.gathered, table,
           torch.tensor([0, 4, 1, 1]), 1)
    raises(ValueError, "'times' is -1, expected a length", package.gathered, table, index, -1)


def raises(kind, message, function, *arguments):
    try:
        function(*arguments)
    except kind as error:
        assert message in str(error), (message, str(error))
    else:
        raise AssertionError(f"not refused: {message}")


def written_weights_are_prepared_again(package):
    x, w = scaled_inputs(8, 16)
    for change in (lambda: None, lambda: w.mul_(2), lambda: w[3:].fill_(5), lambda: w.set_(torch.randn(16))):
        change()
        close(package.scaled(x, w), x * w)
    w.data.fill_(7)
    package.forget_prepared()
    close(package.scaled(x, w), x * w)
    with torch.inference_mode():
        inference = torch.ones(16)
        for value in (1, 2):
            inference.fill_(value)
            close(package.scaled(x, inference), x * value)


def threads_do_not_disturb_each_other(package):
    calls, wrong = 2500, []

    def cases(seed):
        torch.manual_seed(seed)
        for name, (inputs, function, shapes, _) in CASES.items():
            for shape in shapes:
                given = inputs(*shape)
                yield getattr(package, name), given, function(*given)

    shared = list(cases(0))

    def work(own):
        for i in range(calls):
            operator, given, wanted = own[i % len(own)]
            try:
                close(operator(*given), wanted)
            except Exception as error:
                wrong.append(f"{operator}: {error}")
    threads = [threading.Thread(target=work, args=(shared + list(cases(seed)),)) for seed in range(1, 5)]
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sys.setswitchinterval(usual)
    assert not wrong, wrong[:3]
    print(f"4 threads x {calls} calls: none wrong")


def older_pytorch_is_named():
    (FOLDER / "older").mkdir()
    (FOLDER / "older" / "torch.py").write_text('__version__ = "2.3.1+cpu"\n')
    done = subprocess.run([sys.executable, "-c", "import fast_ops"], capture_output=True, text=True, cwd=FOLDER,
                          env={**os.environ, "PYTHONPATH": "older"})
    assert "fast_ops needs PyTorch 2.4 or later; this is PyTorch 2.3.1+cpu" in done.stderr, done


def the_page_tells_what_there_is():
    page = (FOLDER / "fast_ops" / "README.md").read_text()
    for text in ("# fast_ops", "fast_ops.scaled(x, w)", "fast_ops.gathered(table, index, times)",
                 "values in [0, vocab)", "`rows` from 2 to 3600 in steps of 2", "Task: scaled; source: this test; licence: Apache-2.0.",
                 "`fast_ops.forget_prepared()`", "| fallback | task scaled, naive |",
                 "mean of 3"):
        assert text in page, (text, page)
    assert page.count("Threads: several may call at once.") == 1, page
    assert page.count("calls of several threads take turns") == 2, page


def main():
    torch.manual_seed(1)
    torch.set_num_threads(1)
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    write_tasks()
    make_libraries()
    refuses(["scaled"], "deploy: needs --torch FOLDER")
    refuses(["runs", "--torch", "ops"], "runs: no library that 'dispatch' made")
    refuses(["old/scaled", "--torch", "ops"], "interface.json: cannot be read; make the library again")
    refuses(["scaled", "--torch", "fast-ops"], "--torch: 'fast-ops' is no name of a Python package")
    refuses(["scaled", "--torch", "runs"], "holds other things; name a new folder")
    refuses(["scaled", "./scaled", "--torch", "ops"], "scaled and ./scaled: both make an operator 'scaled'")
    for _ in range(2):  # the second replaces the first
        answer = succeeds("deploy", "scaled", "gathered", "linear_relu", "--torch", "fast_ops")
    assert answer == """kernelevolve::scaled: scaled(x, w), one call at a time
kernelevolve::gathered: gathered(table, index, times), one call at a time
kernelevolve::linear_relu: linear_relu(x, linear_weight, linear_bias)
fast_ops
""", answer
    the_page_tells_what_there_is()
    older_pytorch_is_named()
    sys.path.insert(0, str(FOLDER))
    import fast_ops
    for test in (operators_pass_opcheck, operators_compute_what_pytorch_does, operators_compile,
                 other_shapes_are_computed_by_the_reference, what_does_not_fit_is_refused,
                 written_weights_are_prepared_again, threads_do_not_disturb_each_other):
        test(fast_ops)
        print(f"ok {test.__name__}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
