#!/usr/bin/env python3
"""Takes a whole model apart into needs and puts kernels for two of them back. The faster one stays,
the slower one is left out, and the model computes the same as before.

Exit code 77: this python3 has no PyTorch 2.5 or later."""
import importlib
import json
import os
import pathlib
import shutil
import subprocess
import sys

SKIPPED = 77
try:
    import torch
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(SKIPPED)
if tuple(int(part) for part in torch.__version__.split(".")[:2]) < (2, 5):
    print(f"skipped: PyTorch 2.5 or later is needed, this is {torch.__version__}")
    sys.exit(SKIPPED)

BINARY = os.environ["KERNELEVOLVE"]
FOLDER = pathlib.Path("model_needs").resolve()
USAGE = 2
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

    def forward(self, tokens, left, right):
        hidden = self.norm(self.table(tokens))
        for layer in self.layers:
            hidden = self.noise(torch.relu_(layer(hidden)))
        left, right = left.abs(), right.abs()
        mixed = (left * right + left) * (left + right) * 0.5 + right * left
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


def call(*words, **environment):
    return subprocess.run([BINARY, *map(str, words)], capture_output=True, text=True, cwd=FOLDER,
                          env={**os.environ, **environment})


def succeeds(*words):
    done = call(*words)
    assert done.returncode == 0, (words, done.stdout, done.stderr)
    return done.stdout


def refuses(words, message, **environment):
    done = call(*words, **environment)
    assert done.returncode == USAGE and message in done.stderr, (words, done)


def the_model_is_taken_apart():
    table = succeeds("needs", "model.py", "-o", "wanted")
    assert table.splitlines()[0].split()[:4] == ["rank", "need", "operations", "times"], table
    document = json.loads((FOLDER / "wanted" / "needs.json").read_text())
    assert document["schema"] == "kernelevolve-needs/1", document["schema"]
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
    assert (needs[POINTWISE]["bytes"], needs[POINTWISE]["flops"]) == (3 * 4 * elements, 0)
    assert needs[LINEAR]["flops"] == 2 * 96 * 40 * 40
    return needs


def the_same_model_has_the_same_needs(needs):
    again = json.loads(succeeds("needs", "model.py", "-o", "again", "--top", "1", "--json"))["needs"]
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
    succeeds("check", POINTWISE)
    shutil.rmtree(FOLDER / POINTWISE)


def make_libraries():
    for task, kernel in KERNELS.items():
        folder = FOLDER / "wanted" / "tasks" / task
        (folder / "naive.cpp").write_text(kernel)
        # A C++ reference has no PyTorch baselines, whose compilation at every shape takes a minute.
        (folder / "reference.cpp").write_text(kernel.replace("kernel(", "reference(").replace("float", "double"))
        described = (folder / "task.yaml").read_text().replace("reference: reference.py", "reference: reference.cpp")
        (folder / "task.yaml").write_text(described + "kernels: {naive: naive.cpp, anchor: naive.cpp}\n")
        (FOLDER / f"{task}.yaml").write_text(CONFIG.replace("TASK", str(folder)))
        succeeds("run", f"{task}.yaml", "-q", "-o", f"runs/{task}")
        succeeds("dispatch", f"runs/{task}", "--draw", "0", "-k", "1", "-v", "1", "-o", task)


def operators_go_into_the_model():
    said = succeeds("deploy", POINTWISE, LINEAR, "--torch", "fast_ops", "--model", "wanted").splitlines()
    assert said[-1].startswith("end to end: ") and " of eager, " in said[-1], said
    page = (FOLDER / "fast_ops" / "README.md").read_text()
    assert said[-1] in page and "fast_ops.load_model()" in page, page
    return said[-1]


def original():
    names = {"__name__": "original"}
    exec(MODEL, names)
    torch.manual_seed(3)
    return names["Model"](50, 40).eval(), names["get_inputs"]()


def the_model_computes_what_it_did():
    sys.path.insert(0, str(FOLDER))
    package = importlib.import_module("fast_ops")
    model, given = original()
    fast = package.load_model()
    assert list(fast.state_dict()) == list(model.state_dict())
    fast.load_state_dict(model.state_dict())
    for inputs in (given, [given[0][:7], given[1][:3], given[2][:3]]):  # as traced, and other shapes
        wanted, got = model(*inputs), fast(*inputs)
        torch.testing.assert_close(got["hidden"], wanted["hidden"], rtol=1e-4, atol=1e-4)
        torch.testing.assert_close(got["mixed"][0], wanted["mixed"][0], rtol=1e-4, atol=1e-4)
    text = (FOLDER / "fast_ops" / "model_forward.py").read_text()
    assert f"from . import {POINTWISE}\n" in text and f"{POINTWISE}(left, right)" in text and LINEAR not in text, text
    calls = []
    counted = importlib.import_module("fast_ops.model_forward")
    operator = getattr(counted, POINTWISE)
    setattr(counted, POINTWISE, lambda *tensors: calls.append(1) or operator(*tensors))
    fast(*given)
    fast.train()(*given)
    assert len(calls) == 1, calls


def what_cannot_be_is_refused():
    (FOLDER / "older").mkdir()
    (FOLDER / "older" / "torch.py").write_text('__version__ = "2.4.1+cpu"\n')
    refuses(["needs", "model.py"], "needs: a whole model needs PyTorch 2.5 or later; this is PyTorch 2.4.1+cpu",
            PYTHONPATH="older")
    refuses(["needs", "none.py"], "needs: no file 'none.py'")
    (FOLDER / "branches.py").write_text(MODEL.replace("mixed = (", "mixed = left if left.sum() > 0 else ("))
    refuses(["needs", "branches.py"], "branches.py: torch.export cannot trace it")
    refuses(["deploy", POINTWISE, "--torch", "fast_ops", "--model", "older"], "older/needs.json: cannot be read")
    if not torch.cuda.is_available():
        refuses(["needs", "model.py", "--device", "cuda"], "PyTorch finds no CUDA device; expected cpu")


def main():
    torch.set_num_threads(1)
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    (FOLDER / "model.py").write_text(MODEL)
    needs = the_model_is_taken_apart()
    the_same_model_has_the_same_needs(needs)
    modules_compute_what_their_groups_do()
    imported_tasks_are_admitted()
    make_libraries()
    line = operators_go_into_the_model()
    assert f"replaced: {POINTWISE}; left out: {LINEAR} (" in line, line
    the_model_computes_what_it_did()
    what_cannot_be_is_refused()
    print(line)


main()
