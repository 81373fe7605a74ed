#!/usr/bin/env python3
# Times nothing: may run beside others.
# Runs with the Python of build/dsls.
"""Takes a whole model apart into needs and puts kernels for two of them back. The faster one stays,
the slower one is left out, and the model computes the same as before. It stays a model of the user's
class: it can be copied, pickled, exported and compiled, and what is changed in it has its effect.

Exit code 77: this python3 has no PyTorch 2.5 or later."""
import copy
import importlib
import json
import pickle
import shutil
import sys
import warnings

sys.path.insert(0, sys.path[0] + "/../support")
from needs import need_torch  # noqa: E402
from program import fresh_folder, json_of, must, outcome, refused, write  # noqa: E402

torch = need_torch(2, 5)
FOLDER = fresh_folder("model_needs")
MODEL = """import torch
import torch.nn as nn

vocabulary = 50
length = 96
width = 40
rows = 401
columns = 300


class Model(nn.Module):
    def __init__(self, vocabulary, width):
        super().__init__()
        self.table = nn.Embedding(vocabulary, width)
        self.norm = nn.LayerNorm(width)
        self.layers = nn.ModuleList([nn.Linear(width, width) for _ in range(2)])
        self.noise = nn.Dropout(0.5)
        self.register_buffer("gain", torch.tensor([0.5]), persistent=False)

    def forward(self, tokens, left, right):
        hidden = self.norm(self.table(tokens))
        for layer in self.layers:
            hidden = self.noise(torch.relu_(layer(hidden)))
        left, right = left.abs(), right.abs()
        mixed = (left * right + left) * (left + right) * self.gain + right * left
        return {"hidden": hidden, "mixed": (mixed,)}


def get_inputs():
    return [torch.randint(0, vocabulary, (length,)), torch.randn(rows, columns), torch.randn(rows, columns)]


def get_init_inputs():
    return [vocabulary, width]
"""
CONFIG = """schema: kernelevolve/1
task: TASK
budget: {evaluations: 1, proposals: 20}
operators: {knob_step: 1}
device: {verify_time: 100ms, verify_clusters: 2}
verify: {cells: 0}
"""
POINTWISE, LINEAR = "abs_mul_add", "linear_relu"
KERNELS = {POINTWISE: """// @task abs_mul_add
// @knob N int {1, 2} = 1
// @flags -O3 -march=native
#include <cstddef>
#include <cmath>
extern "C" void kernel(const float* a, const float* b, float* out, std::size_t rows, std::size_t columns) {
  for (std::size_t i = 0; i < rows * columns; ++i) {
    const float l = std::fabs(a[i]), r = std::fabs(b[i]);
    out[i] = (l * r + l) * (l + r) * 0.5f + r * l;
  }
}
""", LINEAR: """// @task linear_relu
// @knob N int {1, 2} = 1
// @flags -O1
#include <cstddef>
extern "C" void kernel(const float* x, const float* weight, const float* bias, float* out, std::size_t rows,
                       std::size_t width) {
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t o = 0; o < width; ++o) {
      volatile float sum = bias[o];
      for (int times = 0; times < 5; ++times) {  // slow, so that it is left out
        sum = bias[o];
        for (std::size_t i = 0; i < width; ++i) sum = sum + x[r * width + i] * weight[o * width + i];
      }
      out[r * width + o] = sum > 0 ? sum : 0;
    }
}
"""}


def the_model_is_taken_apart():
    table = must("needs", "model.py", "-o", "wanted")
    assert table.splitlines()[0].split()[:4] == ["rank", "need", "operations", "times"], table
    document = json.loads((FOLDER / "wanted" / "needs.json").read_text())
    assert document["schema"] == "kernelevolve-needs/2", document["schema"]
    needs = {need["name"]: need for need in document["needs"]}
    assert {name: need["times"] for name, need in needs.items()} == {
        "embedding_layer_norm": 1, LINEAR: 2, POINTWISE: 1}, needs
    assert needs[LINEAR]["operations"] == ["linear", "relu"], needs[LINEAR]
    assert [[take["from"] for take in one["takes"][1:]] for one in needs[LINEAR]["occurrences"]] == [
        ["layers.0.weight", "layers.0.bias"], ["layers.1.weight", "layers.1.bias"]]
    assert 0.5 < sum(need["share"] for need in document["needs"]) <= 1 + 1e-9
    for rank, need in enumerate(document["needs"], 1):
        assert need["rank"] == rank and need["task"] == f"tasks/{need['name']}" and not need["reason"], need
        assert 0 < need["floor_seconds"] <= need["seconds"] and need["end_to_end"] >= 1, need
        assert all(need["saved_share"] >= other["saved_share"] for other in document["needs"][rank:])
    elements = 401 * 300
    assert (needs[POINTWISE]["bytes"], needs[POINTWISE]["flops"]) == (3 * 4 * elements + 4, 0)  # and the buffer
    assert needs[LINEAR]["flops"] == 2 * 96 * 40 * 40
    return needs


def the_same_model_has_the_same_needs(needs):
    again = json_of("needs", "model.py", "-o", "again", "--top", "1")["needs"]
    kept = ("name", "operations", "shapes", "occurrences", "bytes", "flops", "constants")
    for need in again:
        assert all(need[key] == needs[need["name"]][key] for key in kept), (need, needs[need["name"]])
    assert [need["task"] is None for need in again] == [False, True, True]
    assert again[1]["reason"] == "not among the first 1", again[1]


def modules_compute_what_their_groups_do():
    source = (FOLDER / "wanted" / "modules" / f"{LINEAR}.py").read_text()
    names = {}
    exec(source, names)
    module, (x,) = names["Model"](), names["get_inputs"]()
    assert list(module.state_dict()) == ["linear_weight", "linear_bias"]
    torch.testing.assert_close(module(x), torch.nn.functional.linear(x, *module.parameters()).clamp(min=0))


def imported_tasks_are_admitted():
    folder = FOLDER / "wanted" / "tasks" / POINTWISE
    shutil.copytree(folder, FOLDER / POINTWISE)
    (FOLDER / POINTWISE / "naive.cpp").write_text(KERNELS[POINTWISE])
    with open(FOLDER / POINTWISE / "task.yaml", "a", encoding="utf-8") as file:
        file.write("kernels: {naive: naive.cpp, anchor: naive.cpp}\n")
    must("check", POINTWISE)
    shutil.rmtree(FOLDER / POINTWISE)


def make_libraries():
    for task, kernel in KERNELS.items():
        folder = FOLDER / "wanted" / "tasks" / task
        described = (folder / "task.yaml").read_text().replace("reference: reference.py", "reference: reference.cpp")
        # A C++ reference has no PyTorch baselines, whose compilation at every shape takes a minute.
        write({"naive.cpp": kernel, "reference.cpp": kernel.replace("kernel(", "reference(").replace("float", "double"),
               "task.yaml": described + "kernels: {naive: naive.cpp, anchor: naive.cpp}\n"}, folder)
        write({f"{task}.yaml": CONFIG.replace("TASK", str(folder))})
        must("run", f"{task}.yaml", "-q", "-o", f"runs/{task}")
        must("dispatch", f"runs/{task}", "--draw", "0", "-k", "1", "-v", "1", "-o", task)


def operators_go_into_the_model():
    said = must("deploy", POINTWISE, LINEAR, "--torch", "fast_ops", "--model", "wanted").splitlines()
    assert said[-1].startswith("end to end: ") and " of eager, " in said[-1], said
    page = (FOLDER / "fast_ops" / "README.md").read_text()
    assert said[-1] in page and "fast_ops.load_model()" in page, page
    return said[-1]


def original():
    names = {"__name__": "original"}
    exec(MODEL, names)
    sys.modules["original"] = type(sys)("original")
    vars(sys.modules["original"]).update(names)
    torch.manual_seed(3)
    return names["Model"](50, 40).eval(), names["get_inputs"]()


class Pair:
    """The deployed model and the original with the same parameters; counts the operator's calls."""

    package, calls = None, []

    def __init__(self):
        self.original, self.given = original()
        self.fast = self.package.load_model()
        self.fast.load_state_dict(self.original.state_dict())

    def both(self, change):
        change(self.fast)
        change(self.original)

    def is_same(self, operators, given=None, fast=None):
        """True values from both, and the operator in the deployed one if `operators`."""
        given = given or self.given
        self.calls.clear()
        got, wanted = (fast or self.fast)(*given), self.original(*given)
        torch.testing.assert_close(got["hidden"], wanted["hidden"], rtol=1e-4, atol=1e-4)
        torch.testing.assert_close(got["mixed"][0], wanted["mixed"][0], rtol=1e-4, atol=1e-4)
        assert len(self.calls) == operators, (len(self.calls), operators)


def warned(function):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        function()
    return [str(one.message) for one in caught if "fast_ops" in str(one.message)]


def the_model_computes_what_it_did():
    sys.path.insert(0, str(FOLDER))
    package = Pair.package = importlib.import_module("fast_ops")
    text = (FOLDER / "fast_ops" / "model_forward.py").read_text()
    assert f"from . import {POINTWISE}, whole_model\n" in text and f"{POINTWISE}(left, right)" in text, text
    assert LINEAR not in text, text
    forward = importlib.import_module("fast_ops.model_forward")
    operator = getattr(forward, POINTWISE)
    setattr(forward, POINTWISE, lambda *tensors: Pair.calls.append(1) or operator(*tensors))
    pair = Pair()
    assert type(pair.fast) is importlib.import_module("fast_ops.model").Model
    assert list(pair.fast.state_dict()) == list(pair.original.state_dict())
    pair.is_same(1)
    pair.is_same(0, [pair.given[0][:7], pair.given[1][:3], pair.given[2][:3]])
    pair.fast.train()(*pair.given)
    assert len(Pair.calls) == 0
    pair.fast.eval().noise.train()
    pair.fast(*pair.given)
    assert len(Pair.calls) == 0
    assert "load_model" in package.__all__
    return forward, operator


def gradients_are_those_of_the_original():
    pair = Pair()
    pair.both(lambda model: model.requires_grad_())
    pair.is_same(0)
    for model in (pair.fast, pair.original):
        model(*pair.given)["hidden"].sum().backward()
    torch.testing.assert_close(pair.fast.norm.weight.grad, pair.original.norm.weight.grad)
    with torch.no_grad():
        pair.is_same(1)
    pair.both(lambda model: model.requires_grad_(False))
    left = pair.given[1].clone().requires_grad_()
    pair.is_same(0, [pair.given[0], left, pair.given[2]])

    def loss(model):
        return torch.func.grad(lambda one: model(pair.given[0], one, pair.given[2])["mixed"][0].sum())(pair.given[1])
    torch.testing.assert_close(loss(pair.fast), loss(pair.original))
    with torch.autocast("cpu", dtype=torch.bfloat16):
        pair.is_same(0)


def copies_are_models_too():
    pair = Pair()
    for made in (copy.deepcopy(pair.fast), pickle.loads(pickle.dumps(pair.fast)), copy.copy(pair.fast)):
        pair.is_same(1, fast=made)
    replica = pair.fast._replicate_for_data_parallel()  # what DataParallel calls, without a GPU
    for name in ("_modules", "_parameters", "_buffers"):
        setattr(replica, name, dict(getattr(pair.fast, name)))
    pair.is_same(1, fast=replica)
    torch.save(pair.fast, FOLDER / "model.pt")
    loaded = torch.load(FOLDER / "model.pt", weights_only=False)
    pair.is_same(1, fast=loaded)
    torch.save((pair.given, pair.original(*pair.given)["mixed"][0]), FOLDER / "wanted.pt")
    code = """import torch
model = torch.load('model.pt', weights_only=False)
given, wanted = torch.load('wanted.pt')
torch.testing.assert_close(model(*given)['mixed'][0], wanted, rtol=1e-4, atol=1e-4)
import sys
assert 'fast_ops.model_forward' in sys.modules and type(model).forward.asks_first
"""
    status, _, err = outcome(sys.executable, "-c", code)
    assert status == 0, err


class Adapted(torch.nn.Module):
    """A layer with a low-rank adapter."""

    def __init__(self, layer):
        super().__init__()
        self.layer, self.more = layer, torch.nn.Parameter(torch.full((40, 40), 0.01), requires_grad=False)

    def forward(self, x):
        return self.layer(x) + x @ self.more


def set_linear(function):
    def change(model):
        model.layers[1] = function(model.layers[1])
    return change


def quantised(model):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # deprecated
        torch.ao.quantization.quantize_dynamic(model, {torch.nn.Linear}, inplace=True)


CHANGES = {  # what the warning says: the change
    "eps of 'norm' is 0.1, and was 1e-05": lambda model: setattr(model, "norm", torch.nn.LayerNorm(40, eps=0.1)),
    "eps of 'norm' is 0.2, and was 1e-05": lambda model: setattr(model.norm, "eps", 0.2),
    "'norm' is a torch.nn.modules.normalization.RMSNorm": lambda model: setattr(model, "norm", torch.nn.RMSNorm(40)),
    "'layers.1' is a __main__.Adapted, and was a": set_linear(Adapted),
    "'layers.0' is a torch.ao.nn.quantized": quantised,
    "'layers' has the parts ['0', '1', '2'], and had": lambda model: model.layers.append(torch.nn.Identity()),
    "'layers' has the parts ['0'], and had": lambda model: model.layers.__delitem__(1),
    "'layers.1' is a torch.nn.modules.linear.Identity": set_linear(lambda _: torch.nn.Identity()),
    "bias of 'layers.1' is no tensor of": lambda model: setattr(model.layers[1], "bias", None),
    "'norm' has hooks": lambda model: model.norm.register_forward_hook(lambda *_: torch.ones(96, 40)),
    "'norm' has another forward()": lambda model: setattr(model.norm, "forward", lambda x: x),
    "'gain' has other values than when its kernels": lambda model: model.gain.fill_(2),
    "'gain' has other values ": lambda model: setattr(model, "gain", torch.tensor([3.0])),
}


def changes_have_their_effect():
    for text, change in CHANGES.items():
        pair = Pair()
        pair.is_same(1)
        importlib.import_module("fast_ops.whole_model")._warned.clear()
        pair.both(change)
        said = warned(lambda: [pair.is_same(0), pair.is_same(0)])
        assert len(said) == 1 and f"fast_ops: {text}" in said[0] and "own forward() runs" in said[0], (text, said)
    pair = Pair()
    pair.is_same(1)
    hook = pair.fast.norm.register_forward_hook(lambda *_: None)
    pair.is_same(0)
    hook.remove()
    pair.is_same(1)
    pair.both(lambda model: setattr(model.norm, "weight", torch.nn.Parameter(torch.ones(40) * 3, requires_grad=False)))
    pair.is_same(1)  # another parameter of the same kind
    fired = []
    pair.fast.register_forward_hook(lambda *_: fired.append(1))
    pair.is_same(1)
    assert fired


def models_are_compiled_and_exported(forward, operator):
    setattr(forward, POINTWISE, operator)
    graphs = []

    def kept(graph, _):
        graphs.append(str(graph.graph))
        return graph.forward

    def compiles(pair, operators):
        function = torch.compile(pair.fast, fullgraph=True, backend=kept)
        torch.testing.assert_close(function(*pair.given)["mixed"][0], pair.original(*pair.given)["mixed"][0])
        assert (POINTWISE in graphs[-1]) == operators, graphs[-1]

    compiles(Pair(), False)  # 'gain' is a constant of the kernel, and a graph would not notice its change
    forward.FIXED.clear()
    for change in (None, set_linear(Adapted), lambda model: setattr(model.norm, "eps", 0.3)):
        torch._dynamo.reset()
        pair = Pair()
        compiles(pair, True)
        if change is not None:
            pair.both(change)
            compiles(pair, False)
    torch._dynamo.reset()
    pair = Pair()
    compiles(pair, True)
    pair.both(lambda model: model.requires_grad_())  # the graph may stay: its derivatives are those of the original
    for model in (torch.compile(pair.fast, fullgraph=True, backend=kept), pair.original):
        model(*pair.given)["hidden"].sum().backward()
    for fast, wanted in zip(pair.fast.parameters(), pair.original.parameters(), strict=True):
        torch.testing.assert_close(fast.grad, wanted.grad)
    pair = Pair()
    for strict in (False, True):
        program = torch.export.export(pair.fast, tuple(pair.given), strict=strict)
        assert POINTWISE in str(program.graph)
        torch.testing.assert_close(program.module()(*pair.given)["mixed"][0], pair.original(*pair.given)["mixed"][0])


def what_cannot_be_is_refused():
    write({"older/torch.py": '__version__ = "2.4.1+cpu"\n',
           "branches.py": MODEL.replace("mixed = (", "mixed = left if left.sum() > 0 else (")})
    refused(("needs", "model.py"), "needs: a whole model needs PyTorch 2.5 or later; this is PyTorch 2.4.1+cpu", PYTHONPATH="older")
    refused(("needs", "none.py"), "needs: no file 'none.py'")
    refused(("needs", "branches.py"), "branches.py: torch.export cannot trace it")
    refused(("deploy", POINTWISE, "--torch", "fast_ops", "--model", "older"), "older/needs.json: cannot be read")
    if not torch.cuda.is_available():
        refused(("needs", "model.py", "--device", "cuda"), "PyTorch finds no CUDA device; expected cpu")


def main():
    torch.set_num_threads(1)
    write({"model.py": MODEL})
    needs = the_model_is_taken_apart()
    the_same_model_has_the_same_needs(needs)
    modules_compute_what_their_groups_do()
    imported_tasks_are_admitted()
    make_libraries()
    line = operators_go_into_the_model()
    assert f"replaced: {POINTWISE}; left out: {LINEAR} (" in line, line
    page = (FOLDER / "fast_ops" / "README.md").read_text()
    assert "Not measured: replaced, compiled: kernels have values of gain as constants" in page, page
    forward, operator = the_model_computes_what_it_did()
    gradients_are_those_of_the_original()
    copies_are_models_too()
    changes_have_their_effect()
    models_are_compiled_and_exported(forward, operator)
    what_cannot_be_is_refused()
    print(line)


main()
