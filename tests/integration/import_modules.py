#!/usr/bin/env python3
# Times nothing: may run beside others.
"""Imports small local modules and compares the tasks with the expected ones.

Exit code 77: PyTorch or PyYAML is missing."""

import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import traceback
import types

DEBIAN = "/usr/bin/python3"  # which has Debian's PyTorch

try:
    import torch
    import yaml
except ImportError as error:
    if os.path.realpath(sys.executable) != os.path.realpath(DEBIAN):
        os.execv(DEBIAN, [DEBIAN, *sys.argv])
    print(f"skipped: {error}")
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "experiments" / "run" / "import"
sys.path[:0] = [str(SCRIPTS), str(ROOT / "fitness" / "reference" / "python")]

from kernelevolve_reference import module_constants, parameter_places, with_constants  # noqa: E402
from module_task import make_task, write_task  # noqa: E402
from shape_formulas import evaluate, fit_line, product_text, sum_text  # noqa: E402
from task_file import Refused, _range_text  # noqa: E402

HEAD = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"

RELU = HEAD + """
class Model(nn.Module):
    def forward(self, x):
        return torch.relu(x)
batch_size = 16
DIM = 64 * 2
def get_inputs():
    return [torch.randn(batch_size, DIM)]
def get_init_inputs():
    return []
"""

LINEAR = HEAD + """
class Model(nn.Module):
    def __init__(self, inner, outer):
        super().__init__()
        self.fc = nn.Linear(inner, outer)
    def forward(self, x, factor):
        return self.fc(x) * factor
rows, inner, outer = 32, 48, 24
def get_inputs():
    return [torch.rand(rows, inner), 3.0]
def get_init_inputs():
    return [inner, outer]
"""

CONVOLUTION = HEAD + """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(channels, 8, kernel_size, stride=2, padding=1)
    def forward(self, x):
        return self.conv(x)
batch_size = 4
channels = 3
height = width = 32
kernel_size = 3
def get_inputs():
    return [torch.rand(batch_size, channels, height, width)]
def get_init_inputs():
    return []
"""

LAYER_NORM = HEAD + """
class Model(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.norm = nn.LayerNorm(shape)
    def forward(self, x):
        return self.norm(x)
rows = 12
shape = (96,)
def get_inputs():
    return [torch.randn(rows, *shape)]
def get_init_inputs():
    return [shape]
"""

MANY_PARAMETERS = HEAD + """
class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.layers = nn.Sequential(*[nn.Linear(width, width) for _ in range(9)])
    def forward(self, x):
        return self.layers(x)
rows = 8
width = 16
def get_inputs():
    return [torch.rand(rows, width)]
def get_init_inputs():
    return [width]
"""

EMBEDDING = HEAD + """
class Model(nn.Module):
    def __init__(self, count, dim):
        super().__init__()
        self.table = nn.Embedding(count, dim)
    def forward(self, ids):
        return self.table(ids)
rows = 64
count = 100
dim = 32
def get_inputs():
    return [torch.randint(0, count, (rows,))]
def get_init_inputs():
    return [count, dim]
"""

CROSS_ENTROPY = HEAD + """
class Model(nn.Module):
    def forward(self, scores, targets):
        return F.cross_entropy(scores, targets)
rows = 64
classes = 40
def get_inputs():
    return [torch.randn(rows, classes), torch.randint(0, classes, (rows,))]
def get_init_inputs():
    return []
"""

BATCH_NORM = HEAD + """
class Model(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.norm = nn.BatchNorm1d(channels)
        self.calls = torch.zeros(1)
    def forward(self, x):
        self.calls += 1
        return self.norm(x) + self.norm.running_mean * self.calls
rows = 16
channels = 24
def get_inputs():
    return [torch.randn(rows, channels)]
def get_init_inputs():
    return [channels]
"""

TIED = HEAD + """
class Model(nn.Module):
    def forward(self, a, b):
        return a * b, a.sum(1).argmax()
rows = 32
side = 32
def get_inputs():
    return [torch.rand(rows, side), torch.rand(rows)]
def get_init_inputs():
    return []
"""

NO_AXES = RELU.replace("torch.randn(batch_size, DIM)", "torch.randn(5, 7)")
DROPOUT = RELU.replace("torch.relu(x)", "F.dropout(x, 0.5, training=True)")
CONSTANT = RELU.replace("torch.relu(x)", "torch.softmax(x.sum(1, keepdim=True), 1)")
BROKEN = RELU.replace("torch.relu(x)", "x.no_such_method()")
COMPLEX = RELU.replace("torch.relu(x)", "torch.fft.fft(x)")
NOTHING = RELU.replace("torch.relu(x)", "None")


def expect(got, wanted):
    if got != wanted:
        raise AssertionError(f"got {got!r}, expected {wanted!r}")


def imported(source, name="problem"):
    """(task.yaml as a document, function of reference.py)."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="import_test_"))
    task = make_task(source, "problem.py", name, "ours", "Apache-2.0")
    write_task(task, source, folder)
    document = yaml.safe_load((folder / "task.yaml").read_text())
    expect("kernels" in document, False)
    expect(document["name"], name)
    expect((folder / "reference.py").read_text().startswith(source), True)
    spec = importlib.util.spec_from_file_location("reference_under_test", folder / "reference.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    check_workloads(document)
    return document, module.reference


def check_workloads(document):
    roles = [w["role"] for w in document["workloads"]]
    expect([roles.count(r) for r in ("bench", "validation", "holdout")], [1, 1, 3])
    if document["axes"]:
        expect(roles.count("test") >= 6, True)
    for workload in document["workloads"]:
        expect(set(workload), set(document["axes"]) | {"role"})


def shape_of(tensor, axes):
    return [evaluate(text, axes) for text in tensor["shape"]]


def inputs_of(document, axes):
    """Float64 tensors, and integers within their ranges, in the order of the signature."""
    random = torch.Generator().manual_seed(3)
    made = []
    for name in document["signature"]:
        tensor = document["inputs"].get(name)
        if tensor is None:
            continue
        shape = shape_of(tensor, axes)
        if tensor["dtype"] == "float32":
            made.append(torch.randn(shape, generator=random, dtype=torch.float64))
        else:
            high = evaluate(tensor["range"][1], axes)
            made.append(torch.randint(tensor["range"][0], high, shape, generator=random))
    return made


def check_reference(source, document, reference, given_constants=(), parameters=None):
    """Compares the reference at three workloads with the module itself, built with replaced
    constants."""
    axes_of = reference.axes
    for workload in document["workloads"][2:5]:
        axes = {k: v for k, v in workload.items() if k != "role"}
        values = {}
        for axis, constants in axes_of.items():
            values.update(dict.fromkeys([constants] if isinstance(constants, str) else constants, axes[axis]))
        names = {}
        exec(compile(with_constants(source, values), "direct", "exec"), names)
        tensors = inputs_of(document, axes)
        count = len([t for t in document["inputs"].values() if t["changes"] == "every_call"])
        model = names["Model"](*names["get_init_inputs"]()).double()
        own = list(tensors[count:])
        if reference.packed:
            own = own[0].split([p.numel() for p in model.parameters()])
        with torch.no_grad():
            for parameter, tensor in zip(model.parameters(), own):
                parameter.copy_(tensor.reshape(parameter.shape))
            wanted = model(*tensors[:count], *given_constants)
        wanted = wanted if isinstance(wanted, tuple) else (wanted,)
        for attempt in range(2):
            got = reference(*tensors, **axes)
            got = got if isinstance(got, tuple) else (got,)
            expect(len(got), len(document["outputs"]))
            for g, w, output in zip(got, wanted, document["outputs"].values()):
                expect(list(g.shape), shape_of(output, axes))
                torch.testing.assert_close(g, w, rtol=1e-12, atol=1e-12)


def relu_has_two_axes():
    document, reference = imported(RELU)
    expect(document["axes"], {"batch_size": "var", "dim": "var"})
    expect(document["signature"], ["x", "out", "batch_size", "dim"])
    expect(document["inputs"]["x"]["shape"], ["batch_size", "dim"])
    expect(document["inputs"]["x"]["classes"], ["normal", "constant", "one_hot", "sorted"])
    expect(document["outputs"]["out"], {"shape": ["batch_size", "dim"], "dtype": "float32", "align": 64})
    expect(document["tolerance"], {"relative": 1e-5, "relative_l2": 1e-5, "scale": 1e-5})
    expect(document["row"], "dim")
    expect(document["cost"]["bytes"], "8*batch_size*dim")
    expect([document["source"], document["licence"], document["op_type"]], ["ours", "Apache-2.0", "module"])
    bench = next(w for w in document["workloads"] if w["role"] == "bench")
    expect(bench, {"batch_size": 16, "dim": 128, "role": "bench"})
    check_reference(RELU, document, reference)


def linear_takes_parameters_as_inputs():
    document, reference = imported(LINEAR)
    expect(document["signature"], ["x", "fc_weight", "fc_bias", "out", "rows", "inner", "outer"])
    expect(document["inputs"]["x"]["classes"], ["positive", "normal"])
    weight = document["inputs"]["fc_weight"]
    expect([weight["shape"], weight["changes"], weight["classes"]], [["outer", "inner"], "never", ["normal"]])
    expect(weight["scale"], 2.0 ** -4)  # uniform up to 1/sqrt(48): deviation 0.083
    expect(reference.constants, {"factor": 3.0})
    if importlib.util.find_spec("torch.utils.flop_counter"):  # PyTorch 2
        expect(document["cost"]["flops"], "2*inner*outer*rows")
    check_reference(LINEAR, document, reference, (3.0,))


def convolution_with_a_stride_has_quotients_as_lengths():
    document, reference = imported(CONVOLUTION)
    expect(document["axes"], dict.fromkeys(["batch_size", "channels", "height", "width"], "var"))
    expect(document["outputs"]["out"]["shape"], ["batch_size", 8, "(height + 1)/2", "(width + 1)/2"])
    expect(document["inputs"]["conv_weight"]["shape"], [8, "channels", 3, 3])
    check_reference(CONVOLUTION, document, reference)


def layer_norm_varies_an_element_of_a_tuple():
    document, reference = imported(LAYER_NORM)
    expect(document["inputs"]["x"]["shape"], ["rows", "shape_0"])
    weight, bias = document["inputs"]["norm_weight"], document["inputs"]["norm_bias"]
    expect([weight["classes"], "scale" in weight], [["positive"], False])
    expect([bias["classes"], bias["scale"]], [["normal"], 0.125])
    check_reference(LAYER_NORM, document, reference)


def more_than_sixteen_arguments_are_packed():
    document, reference = imported(MANY_PARAMETERS)
    expect(document["signature"], ["x", "parameters", "out", "rows", "width"])
    expect(document["inputs"]["parameters"]["shape"], ["9*width*width + 9*width"])
    expect(document["inputs"]["parameters"]["changes"], "never")
    expect("layers.0.bias at width*width [width]" in document["description"], True)
    expect("layers.1.weight at width*width + width [width, width]" in document["description"], True)
    check_reference(MANY_PARAMETERS, document, reference)


def embedding_takes_integers_below_the_table_length():
    document, reference = imported(EMBEDDING)
    expect(document["inputs"]["ids"]["dtype"], "int64")
    expect(document["inputs"]["ids"]["range"], [0, "count"])
    expect(document["outputs"]["out"]["shape"], ["rows", "dim"])
    expect(document["cost"]["bytes"], "8*rows + 4*(min(count, rows))*dim + 4*dim*rows")
    check_reference(EMBEDDING, document, reference)


def a_range_holds_every_listed_length():
    file = types.SimpleNamespace(workloads=[({"length": 16}, "test"), ({"length": 128}, "bench")],
                                 ranges={"length": (1, 64)})
    expect(_range_text(file), "ranges: {length: [1, 128]}")


def a_loss_has_rank_zero():
    document, reference = imported(CROSS_ENTROPY)
    expect(document["outputs"]["out"]["shape"], [])
    expect(document["row"], 1)
    expect(document["inputs"]["targets"]["range"], [0, "classes"])
    check_reference(CROSS_ENTROPY, document, reference)


def no_call_sees_the_statistics_of_another():
    document, reference = imported(BATCH_NORM)
    least = [w["rows"] for w in document["workloads"]]
    expect(min(least), 2)
    expect(document["ranges"]["rows"][0], 2)
    check_reference(BATCH_NORM, document, reference)


def equal_constants_that_need_each_other_are_one_axis():
    document, reference = imported(TIED)
    expect(document["axes"], {"rows": "var"})
    expect(reference.axes, {"rows": ["rows", "side"]})
    expect(document["outputs"]["out1"], {"shape": [], "dtype": "int64", "align": 64})
    check_reference(TIED, document, reference)


def without_axes_one_shape_serves_every_role():
    document, reference = imported(NO_AXES)
    expect(document["axes"], {})
    expect(document["inputs"]["x"]["shape"], [5, 7])
    expect("one shape serves every role" in document["description"], True)
    check_reference(NO_AXES, document, reference)


def what_cannot_be_a_task_is_refused():
    for source, reason in ((DROPOUT, "random"), (CONSTANT, "constant whatever"), (BROKEN, "no_such_method"),
                           (COMPLEX, "complex64"), (NOTHING, "no tensor")):
        try:
            make_task(source, "problem.py", "refused")
        except Refused as refused:
            expect((reason, reason in str(refused)), (reason, True))
        else:
            raise AssertionError(f"not refused: {reason}")


def constants_are_found_wherever_they_are_assigned():
    source = "a = b = 4\nc, d = 2 * 3, 5\ne = (7, a)\nf = [8] * 2\ng: int = 9\nh = True\na = 10\ni = -1\n"
    expect(module_constants(source), {"a": 10, "b": 4, "c": 6, "d": 5, "e[0]": 7, "g": 9})
    names = {}
    exec(compile(with_constants(source, {"a": 20, "b": 30, "e[0]": 40, "d": 50}), "t", "exec"), names)
    expect([names[k] for k in "abcde"], [20, 30, 6, 50, (40, 20)])


def formulas_fit_quotients_and_collect_terms():
    expect(fit_line("n", [(n, (n + 2 - 3) // 2 + 1) for n in range(1, 30)]), "(n + 1)/2")
    expect(fit_line("n", [(n, (n - 6) // 3) for n in range(9, 60)]), "(n - 6)/3")
    expect(fit_line("n", [(n, 5 * n - 2) for n in range(1, 9)]), "5*n - 2")
    expect(fit_line("n", [(n, n * n) for n in range(1, 9)]), None)
    expect(product_text([4, "2*n", "m", 3]), (24, "m*n"))
    expect(sum_text([(4, "m"), (2, ""), (4, "m"), (1, "n")]), "8*m + n + 2")


def the_program_reports_every_problem():
    folder = pathlib.Path(tempfile.mkdtemp(prefix="import_test_")) / "level1"
    folder.mkdir()
    sources = {"1_Relu_.py": RELU, "2_Dropout.py": DROPOUT, "3_Hangs.py": RELU + "\nwhile True:\n    pass\n",
               "4_Crashes.py": RELU + "\nimport os\nos._exit(3)\n"}
    for name, source in sources.items():
        (folder / name).write_text(source)
    out = folder.parent / "tasks"
    ran = subprocess.run([sys.executable, str(SCRIPTS / "import_tasks.py"), "kernelbench", str(folder), "--out", str(out),
                          "--references", str(ROOT / "fitness/reference/python"),
                          "--seconds", "20"], capture_output=True, text=True)
    expect((ran.returncode, ran.stderr if ran.returncode else ""), (0, ""))
    expect(ran.stdout.splitlines()[-1], "1 imported, 3 refused")
    rows = [line.split("\t") for line in (out / "import.tsv").read_text().splitlines()]
    expect([r[:2] for r in rows[1:]], [["level1_1_relu", "imported"], ["level1_2_dropout", "refused"],
                                       ["level1_3_hangs", "refused"], ["level1_4_crashes", "refused"]])
    expect(["time limit" in rows[3][6], "exit code 3" in rows[4][6]], [True, True])
    expect(yaml.safe_load((out / "level1_1_relu" / "task.yaml").read_text())["source"], "KernelBench level1/1_Relu_.py")


TESTS = [relu_has_two_axes, linear_takes_parameters_as_inputs, convolution_with_a_stride_has_quotients_as_lengths,
         layer_norm_varies_an_element_of_a_tuple, more_than_sixteen_arguments_are_packed,
         embedding_takes_integers_below_the_table_length, a_range_holds_every_listed_length, a_loss_has_rank_zero,
         no_call_sees_the_statistics_of_another, equal_constants_that_need_each_other_are_one_axis,
         without_axes_one_shape_serves_every_role, what_cannot_be_a_task_is_refused,
         constants_are_found_wherever_they_are_assigned, formulas_fit_quotients_and_collect_terms,
         the_program_reports_every_problem]


def main():
    torch.set_num_threads(1)
    failed = 0
    for test in TESTS:
        try:
            test()
            print(f"ok {test.__name__}", flush=True)
        except Exception:
            failed += 1
            print(f"FAILED {test.__name__}\n{traceback.format_exc()}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
