#!/usr/bin/env python3
# Times nothing: may run beside others.
# Runs with the Python of build/dsls.
"""Libraries of three searches become PyTorch operators: they pass opcheck, compile, compute the
same as PyTorch at any shape, stride and address and in any thread, and refuse unsuitable inputs.
Derivatives of every kind are those of PyTorch, or an error. Several packages, reloads, copied
folders and forked processes each work, or say what to do. KE_SLOW=1 adds AOTInductor.

Exit code 77: this python3 has no PyTorch 2.4 or later."""
import concurrent.futures
import functools
import importlib
import json
import os
import re
import shutil
import sys
import threading
import warnings

sys.path.insert(0, sys.path[0] + "/../support")
from needs import has_torch, need_torch  # noqa: E402
from program import carry_out, fresh_folder, must, outcome, raises, refused, write  # noqa: E402

torch = need_torch(2, 4)
from tensors import columns_first, misaligned  # noqa: E402

FOLDER = fresh_folder("deploy_torch")
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


@functools.cache
def plain_path():
    """Debian's Python first, if it has a PyTorch: one before 2, which is no opponent that compiles a minute for each shape."""
    path = f"/usr/bin:{os.environ['PATH']}"
    return path if has_torch(path=path) else os.environ["PATH"]


def write_tasks():
    write(SCALED, "tasks/scaled")
    write(GATHERED, "tasks/gathered")
    write({"linear_relu.py": MODULE})
    must("import", "kernelbench", "linear_relu.py", "-o", "tasks", PATH=plain_path())
    write({"naive.cpp": LINEAR}, "tasks/linear_relu")
    with open("tasks/linear_relu/task.yaml", "a", encoding="utf-8") as file:
        file.write("kernels: {naive: naive.cpp, anchor: naive.cpp}\n")


def make_libraries():
    path = plain_path()
    for task in ("scaled", "gathered", "linear_relu"):
        write({f"{task}.yaml": CONFIG.replace("TASK", task)})
        must("run", f"{task}.yaml", "-q", "-o", f"runs/{task}", PATH=path)
        must("dispatch", f"runs/{task}", "--draw", "0", "-k", "1", "-v", "1", "-o", task, PATH=path)
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


CASES = {  # operator: (inputs, what PyTorch computes, shapes that are verified, shapes that are not)
    "scaled": (scaled_inputs, scaled, [(1, 1), (3, 700), (1000, 20)], [(2, 9000), (5000, 3)]),
    "gathered": (gathered_inputs, gathered, [(1, 1, 2, 1), (3, 40, 50, 33), (8, 5, 64, 7)],
                 [(2, 40, 51, 8), (9, 3, 4, 5)]),
    "linear_relu": (linear_inputs, linear_relu, [(24, 20, 16), (64, 48, 40), (33, 45, 17)], [(4000, 4, 4)]),
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
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # nothing is computed
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
        assert texts[0].startswith(f"fast_ops::{name}: {first} ") and "not verified" in texts[0], texts


def what_does_not_fit_is_refused(package):
    x, w = scaled_inputs(4, 8)
    table, index, _ = gathered_inputs(1, 4, 6, 5)
    fake = torch._subclasses.FakeTensorMode()
    with fake:
        on_gpu = torch.empty(4, 8, device="cuda"), torch.empty(8)
    for kind, arguments, message in (
            (TypeError, (x.double(), w), "fast_ops::scaled: 'x' is torch.float64, expected torch.float32"),
            (ValueError, (x, w[None]), "'w' has 2 dimensions, expected 1: [cols]"),
            (ValueError, (x[None], w), "'x' has 3 dimensions, expected 2: [rows, cols]; where the leading dimensions "
                                       "are rows, call scaled(x.reshape(-1, 8), w)"),
            (ValueError, (x[0], w), "'x' has 1 dimensions, expected 2: [rows, cols]"),
            (ValueError, (x, w[:7]), "'w' has shape [7], expected [cols] = [8] where rows=4 (from 'x'), cols=8 "
                                     "(from 'x')"),
            (ValueError, (x.to_sparse(), w), "'x' has layout torch.sparse_coo, expected torch.strided"),
            (RuntimeError, (x, w.clone().requires_grad_()), "'w' requires a gradient, and this operator has none"),
            (ValueError, (x, w.to("meta")), "'w' is on device meta, expected cpu"),
            (ValueError, on_gpu, "'x' is on device cuda:0, expected cpu")):
        raises(kind, lambda: package.scaled(*arguments), message)
    with torch.no_grad():
        close(package.scaled(x, w.clone().requires_grad_()), x * w)
    raises(IndexError, lambda: package.gathered(table, torch.tensor([0, 4, 1, 1]), 1),
           "'index' holds values from 0 to 4, expected values in [0, 4)")
    raises(ValueError, lambda: package.gathered(table, index, -1), "'times' is -1, expected a length")


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
    own = [shared + list(cases(seed)) for seed in range(1, 5)]
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    with concurrent.futures.ThreadPoolExecutor(4) as threads:
        list(threads.map(work, own))
    sys.setswitchinterval(usual)
    assert not wrong, wrong[:3]
    print(f"4 threads x {calls} calls: none wrong")


def scalar(function):
    """Sum of the cubes of all outputs."""
    def total(*given):
        outputs = function(*given)
        return sum(one.pow(3).sum() for one in (outputs if isinstance(outputs, tuple) else (outputs,)))
    return total


def first_output(function):
    def first(*given):
        outputs = function(*given)
        return outputs[0] if isinstance(outputs, tuple) else outputs
    return first


def gradients(function, given):
    """Gradients of all floating inputs by backward()."""
    leaves = [one.clone().requires_grad_() if is_float(one) else one for one in given]
    scalar(function)(*leaves).backward()
    return [one.grad for one in leaves if is_float(one)]


def is_float(one):
    return torch.is_tensor(one) and one.is_floating_point()


def of_place(function, given, place):
    return lambda one: function(*given[:place], one, *given[place + 1:])


def forward_tangent(function, given):
    forward_ad = torch.autograd.forward_ad
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(given[0], torch.ones_like(given[0]))
        return forward_ad.unpack_dual(first_output(function)(dual, *given[1:])).tangent


def double_backward(function, given):
    leaf = given[0].clone().requires_grad_()
    grad, = torch.autograd.grad(scalar(function)(leaf, *given[1:]), leaf, create_graph=True)
    grad.pow(2).sum().backward()
    return leaf.grad


def checkpointed(function, given):
    from torch.utils.checkpoint import checkpoint
    return gradients(lambda *inputs: checkpoint(function, *inputs, use_reentrant=False), given)


def compiled(function):
    torch._dynamo.reset()
    return torch.compile(function, fullgraph=True, backend="aot_eager")


def several(given):
    return torch.stack([given[0], 2 * given[0], -given[0]])


def mapped(function, given):
    return torch.func.vmap(of_place(first_output(function), given, 0))


F = torch.func
DERIVATIVES = {  # kind: what it gives for a function and its inputs
    "backward": gradients,
    "double backward": double_backward,
    "checkpoint": checkpointed,
    "forward_ad": forward_tangent,
    "func.grad": lambda f, given: [F.grad(of_place(scalar(f), given, i))(one) for i, one in enumerate(given)
                                   if is_float(one)],
    "func.vjp": lambda f, given: F.vjp(of_place(scalar(f), given, 0), given[0])[1](torch.tensor(2.0)),
    "func.jvp": lambda f, given: [F.jvp(of_place(first_output(f), given, i), (one,), (torch.ones_like(one),))
                                  for i, one in enumerate(given) if is_float(one)],
    "func.hessian": lambda f, given: F.hessian(of_place(scalar(f), given, 0))(given[0]),
    "func.jacrev": lambda f, given: F.jacrev(of_place(first_output(f), given, 0))(given[0]),
    "func.jacfwd": lambda f, given: F.jacfwd(of_place(first_output(f), given, 0))(given[0]),
    "vmap(grad)": lambda f, given: F.vmap(F.grad(of_place(scalar(f), given, 0)))(several(given)),
    "grad(vmap)": lambda f, given: F.grad(lambda all_: mapped(f, given)(all_).pow(3).sum())(several(given)),
    "compile, backward": lambda f, given: gradients(compiled(f), given),
    "compile, func.grad": lambda f, given: compiled(lambda one: F.grad(of_place(scalar(f), given, 0))(one))(given[0]),
    "functional_call": lambda f, given: torch.func.functional_call(
        Holder(first_output(f), given), {"held": given[0].clone().requires_grad_()}, ()).sum().backward,
}
SMALL = {"scaled": (3, 4), "gathered": (2, 5, 4, 3), "linear_relu": (3, 4, 5)}


class Holder(torch.nn.Module):
    """A module whose parameter is the function's first input."""

    def __init__(self, function, given):
        super().__init__()
        self.function, self.rest, self.held = function, given[1:], torch.nn.Parameter(given[0].clone())

    def forward(self):
        return self.function(self.held, *self.rest)


def derivatives_are_those_of_pytorch_or_an_error(package):
    """Prints a table of the kinds."""
    for name, (inputs, function, _, _) in CASES.items():
        given, operator = inputs(*SMALL[name]), getattr(package, name)
        for kind, derive in DERIVATIVES.items():
            if name == "scaled":  # its reference is in C++
                raises(RuntimeError, lambda: derive(operator, given), "requires a gradient, and this operator has none")
                continue
            wanted, got = derive(function, given), derive(operator, given)
            if not callable(wanted):
                close(got, wanted)
                leaves = torch.utils._pytree.tree_leaves(got)
                assert any(one.abs().max() > 0 for one in leaves), (name, kind)
    print("kind".ljust(20), *(name.ljust(12) for name in CASES))
    for kind in DERIVATIVES:
        print(kind.ljust(20), *("error" if name == "scaled" else "right" for name in CASES), sep="   ")


def derivatives_pass_gradcheck_and_opcheck(package):
    for name in ("gathered", "linear_relu"):
        inputs, operator = CASES[name][0], getattr(package, name)
        given = [one.double().requires_grad_() if is_float(one) else one for one in inputs(*SMALL[name])]
        assert torch.autograd.gradcheck(operator, given)
        # Without any tangent a call needs no derivative, and float64 is refused.
        assert torch.autograd.gradcheck(operator, given, check_forward_ad=True, check_undefined_grad=False)
        assert torch.autograd.gradgradcheck(operator, given)
        given = [one.requires_grad_() if is_float(one) else one for one in inputs(*SMALL[name])]
        torch.library.opcheck(operator, given)


def gradients_are_needed_only_where_they_are_recorded(package):
    x, weight, bias = linear_inputs(24, 20, 16)
    for context in (torch.no_grad, torch.inference_mode):
        with context():
            close(package.linear_relu(x, torch.nn.Parameter(weight), bias), linear_relu(x, weight, bias))
    mapped_ = torch.func.vmap(package.linear_relu, (0, None, None))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch calls it for each of the batch
        close(mapped_(torch.stack([x, -x]), weight, bias),
              torch.stack([linear_relu(x, weight, bias), linear_relu(-x, weight, bias)]))


def autocast_casts_inputs(package):
    x, weight, bias = linear_inputs(24, 20, 16)
    wanted = linear_relu(x.bfloat16().float(), weight, bias)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        answer = package.linear_relu(x.bfloat16(), weight, bias)
        assert answer.dtype is torch.float32
        close(answer, wanted)
        leaf = x.bfloat16().requires_grad_()
        package.linear_relu(leaf, weight, bias).sum().backward()
        assert leaf.grad.abs().max() > 0
        raises(TypeError, lambda: package.linear_relu(x.double(), weight, bias), "'x' is torch.float64")


class Exported(torch.nn.Module):
    def __init__(self, operator):
        super().__init__()
        self.operator = operator

    def forward(self, x, w):
        return self.operator(x + 1, w)


def run_python(code, **variables):
    return outcome(sys.executable, "-c", code, **variables)


def operators_are_exported(package):
    x, w = scaled_inputs(4, 8)
    program = torch.export.export(Exported(package.scaled), (x, w))
    close(program.module()(x, w), (x + 1) * w)
    torch.export.save(program, FOLDER / "scaled.pt2")
    load = "print(torch.export.load('scaled.pt2').module()(torch.ones(4, 8), torch.ones(8)).sum())"
    code = f"""import torch
try:
    {load}
except Exception:
    print("the operator is not there")
import fast_ops
{load}
"""
    assert run_python(code)[1] == "the operator is not there\ntensor(64.)\n"
    if os.environ.get("KE_SLOW") != "1":
        return print("left out: AOTInductor; KE_SLOW=1 runs it")
    file = torch._inductor.aoti_compile_and_package(program, package_path=str(FOLDER / "compiled.pt2"))
    close(torch._inductor.aoti_load_package(file)(x, w), (x + 1) * w)


def several_packages_and_reloads_work(package):
    x, w = scaled_inputs(4, 8)
    old = package.scaled
    must("deploy", "scaled", "--torch", "other_ops")
    shutil.copytree(FOLDER / "fast_ops", FOLDER / "copied_ops")
    (FOLDER / "vendor").mkdir()
    shutil.copytree(FOLDER / "fast_ops", FOLDER / "vendor" / "fast_ops")
    for name in ("other_ops", "copied_ops", "vendor.fast_ops"):
        other = importlib.import_module(name)
        assert other.scaled is not package.scaled
        close(other.scaled(x, w), x * w)
        close(getattr(torch.ops, name.replace(".", "_")).scaled(x, w), x * w)
    assert importlib.reload(package).scaled is old
    for names in (["fast_ops"], [name for name in sys.modules if name.split(".")[0] == "fast_ops"]):
        for name in names:
            del sys.modules[name]
        again = importlib.import_module("fast_ops")
        close(again.scaled(x, w), x * w)
        close(old(x, w), x * w)
        package.forget_prepared()
    assert not hasattr(again, "load_model")
    raises(AttributeError, lambda: again.load_model, "fast_ops holds no model: 'kernelevolve deploy --torch fast_ops --model NEEDS'")


def what_cannot_be_registered_says_what_to_do(_):
    file = FOLDER / "copied_ops" / "operators" / "scaled" / "operator.json"
    described = json.loads(file.read_text())
    described["tensors"].append({**described["tensors"][-1], "name": "more"})
    file.write_text(json.dumps(described))
    raises(ImportError, lambda: importlib.reload(sys.modules["copied_ops"]),
           "copied_ops::scaled has other arguments than when copied_ops was imported first; start Python anew")
    foreign = torch.library.Library("taken_ops", "DEF")
    foreign.define("scaled(Tensor x) -> Tensor")
    shutil.copytree(FOLDER / "other_ops", FOLDER / "taken_ops")
    raises(ImportError, lambda: importlib.import_module("taken_ops"),
           "torch.ops.taken_ops.scaled is there already, and not of this package; give the package's folder another name")


def without_a_compiler_it_says_what_to_do(_):
    shutil.copytree(FOLDER / "other_ops", FOLDER / "bare_ops", ignore=shutil.ignore_patterns("operator-*.so"))
    environment = {"XDG_CACHE_HOME": str(FOLDER / "no_cache"), "CXX": "no-compiler"}
    _, out, err = run_python("import other_ops; print('there'); import bare_ops", **environment)
    assert out == "there\n", err  # deploy compiled it
    assert "bare_ops: there is no no-compiler, which compiles its operators once for PyTorch" in err, err


def forked_processes_compute(package):
    x, w = scaled_inputs(4, 8)
    done = threading.Event()

    def work():
        while not done.is_set():
            package.scaled(x, w)
    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for factor in range(20):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python warns of threads
            child = os.fork()
        if child == 0:
            os._exit(0 if torch.equal(package.scaled(x, w * factor), x * (w * factor)) else 1)
        assert os.waitpid(child, 0)[1] == 0
    done.set()
    for thread in threads:
        thread.join()


GOAL = 3.0  # us a call over the kernel, on a quiet machine; a call of Python's dispatcher took 88


def calls_are_measured(package):
    """Prints the table of `python3 -m fast_ops`, whose times are those of a machine that does other things too."""
    rows = package.benchmark()
    smallest = sys.modules[f"{package.__name__}.benchmarks"].smallest_overhead
    least = {name: smallest([row for row in rows if row.operator == name]) for name in CASES}
    print("overhead in us:", {name: round(value, 2) for name, value in least.items()}, "goal", GOAL)
    assert all(row.kernel_us > 0 and row.call_us > 0 for row in rows), rows


def older_pytorch_is_named():
    write({"older/torch.py": '__version__ = "2.3.1+cpu"\n'})
    _, _, err = run_python("import fast_ops", PYTHONPATH="older")
    assert "fast_ops needs PyTorch 2.4 or later; this is PyTorch 2.3.1+cpu" in err, err


def the_page_tells_what_there_is():
    page = (FOLDER / "fast_ops" / "README.md").read_text()
    for text in ("# fast_ops", "fast_ops.scaled(x, w)", "fast_ops.gathered(table, index, times)",
                 "values in [0, vocab)", "`rows` from 2 to 3600 in steps of 2",
                 "Task: scaled; source: this test; licence: Apache-2.0.",
                 "`fast_ops.forget_prepared()`", "| fallback | task scaled, naive |",
                 "mean of 3", f"## Measured in PyTorch {torch.__version__}"):
        assert text in page, (text, page)
    assert page.count("Threads: several may call at once.") == 1, page
    assert page.count("calls of several threads take turns") == 2, page
    assert page.count("No derivatives: ") == 1 and page.count("Derivatives of any kind: ") == 2, page
    assert re.search(r"`linear_relu`: a call costs -?\d+\.\d us over its kernel; (not )?faster than the", page), page


def main():
    torch.manual_seed(1)
    torch.set_num_threads(1)
    write_tasks()
    make_libraries()
    for words, message in ((("scaled",), "deploy: needs --torch FOLDER"),
                           (("runs", "--torch", "ops"), "runs: no library that 'dispatch' made"),
                           (("old/scaled", "--torch", "ops"), "interface.json: cannot be read; make the library again"),
                           (("scaled", "--torch", "fast-ops"), "--torch: 'fast-ops' is no name of a Python package"),
                           (("scaled", "--torch", "runs"), "holds other things; name a new folder"),
                           (("scaled", "./scaled", "--torch", "ops"), "scaled and ./scaled: both make an operator 'scaled'")):
        refused(("deploy", *words), message)
    must("deploy", "scaled", "--torch", "fast_ops")
    answer = must("deploy", "scaled", "gathered", "linear_relu", "--torch", "fast_ops")  # in the place of the first
    assert answer.startswith("""fast_ops::scaled: scaled(x, w), one call at a time
fast_ops::gathered: gathered(table, index, times), one call at a time
fast_ops::linear_relu: linear_relu(x, linear_weight, linear_bias)
fast_ops
operator     shape"""), answer
    the_page_tells_what_there_is()
    older_pytorch_is_named()
    sys.path.insert(0, str(FOLDER))
    import fast_ops
    carry_out(operators_pass_opcheck, operators_compute_what_pytorch_does, operators_compile,
              other_shapes_are_computed_by_the_reference, what_does_not_fit_is_refused,
              written_weights_are_prepared_again, threads_do_not_disturb_each_other,
              derivatives_are_those_of_pytorch_or_an_error, derivatives_pass_gradcheck_and_opcheck,
              gradients_are_needed_only_where_they_are_recorded, autocast_casts_inputs, operators_are_exported,
              several_packages_and_reloads_work, what_cannot_be_registered_says_what_to_do,
              without_a_compiler_it_says_what_to_do, forked_processes_compute, calls_are_measured, given=(fast_ops,))


if __name__ == "__main__":
    main()
