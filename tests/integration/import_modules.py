#!/usr/bin/env python3
# Times nothing: may run beside others.
"""Imports small local modules and compares the tasks with the expected ones.

Exit code 77: PyTorch or PyYAML is missing."""

import importlib.util
import pathlib
import runpy
import sys
import tempfile
import types

sys.path.insert(0, sys.path[0] + "/../support")
from importer import HEAD, expect, module  # noqa: E402
from needs import need  # noqa: E402
from program import BINARY, SOURCE, call, carry_out, fresh_folder, outcome, raises, write  # noqa: E402

need("torch", "yaml")
import torch  # noqa: E402
import yaml  # noqa: E402

from kernelevolve_reference import module_constants, with_constants  # noqa: E402
from judge import Draws  # noqa: E402
from module_task import make_task, write_task  # noqa: E402
from module_workloads import flops_text  # noqa: E402
from operation_counts import OperationCounter, kinds_of  # noqa: E402
from shape_formulas import evaluate, fit_line, product_text, sum_text  # noqa: E402
from task_file import Refused, TaskTensor, _range_text  # noqa: E402

fresh_folder("import_modules")

RELU = module("x", "return torch.relu(x)", "[torch.randn(batch_size, DIM)]", before="batch_size = 16\nDIM = 64 * 2")

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

CONVOLUTION = module("x", "return self.conv(x)", "[torch.rand(batch_size, channels, height, width)]",
                     "self.conv = nn.Conv2d(channels, 8, kernel_size, stride=2, padding=1)",
                     "batch_size = 4\nchannels = 3\nheight = width = 32\nkernel_size = 3")

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

CROSS_ENTROPY = module("scores, targets", "return F.cross_entropy(scores, targets)",
                       "[torch.randn(rows, classes), torch.randint(0, classes, (rows,))]", before="rows = 64\nclasses = 40")

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
BATCH_NORM_ALONE = BATCH_NORM.replace("        self.calls += 1\n", "").replace(
    " + self.norm.running_mean * self.calls", "").replace("(channels)\n", "(channels, track_running_stats=False)\n", 1)

TIED = module("a, b", "return a * b, a.sum(1).argmax()", "[torch.rand(rows, side), torch.rand(rows)]",
              before="rows = 32\nside = 32")
LONG_SUM = module("a, b", "return a @ b", "[torch.randn(m, k), torch.randn(k, 16)]", before="m, k = 12, 32768")

SIZES_OF_INPUTS = RELU.replace("torch.randn(batch_size, DIM)", "torch.randn(5, 7)")
NO_AXES = RELU.replace("torch.randn(batch_size, DIM)", "torch.randn(5, 7)").replace("relu(x)", "relu(x.view(5, 7))")
DROPOUT = RELU.replace("torch.relu(x)", "F.dropout(x, 0.5, training=True)")
CONSTANT = RELU.replace("torch.relu(x)", "torch.softmax(x.sum(1, keepdim=True), 1)")
BROKEN = RELU.replace("torch.relu(x)", "x.no_such_method()")
COMPLEX = RELU.replace("torch.relu(x)", "torch.fft.fft(x)")
NOTHING = RELU.replace("torch.relu(x)", "None")


def imported(source, name="problem"):
    """(task.yaml as a document, function of reference.py)."""
    folder = pathlib.Path(tempfile.mkdtemp(dir="."))
    task = make_task(source, "problem.py", name, "ours", "Apache-2.0")
    write_task(task, source, folder)
    document = yaml.safe_load((folder / "task.yaml").read_text())
    expect("kernels" in document, False)
    expect(document["name"], name)
    expect((folder / "reference.py").read_text().startswith(source), True)
    code, _, err = call("check", SOURCE / "configs/module.yaml", f"task={folder.resolve()}")
    expect((code, err), (0, ""))
    check_workloads(document)
    return document, runpy.run_path(str(folder / "reference.py"))["reference"]


def check_workloads(document):
    roles = [w["role"] for w in document["workloads"]]
    if document["axes"]:
        expect([roles.count(r) for r in ("bench", "validation", "holdout")], [1, 1, 3])
        expect(roles.count("test") >= 6, True)
    else:
        expect(roles, ["bench"])
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
    for workload in document["workloads"][2:5] or document["workloads"]:
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
        if len(own) == 1:  # also of a packed tensor
            own = own[0].reshape(-1).split([p.numel() for p in model.parameters()])
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
    expect(document["inputs"]["x"]["classes"], ["normal", "constant", "one_hot", "sorted", "shifted", "vast"])
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


def operations_of_a_convolution_whose_channels_are_reduced_are_counted():
    def work(n):
        return types.SimpleNamespace(flops=2 * 9 * n["batch"] * n["ins"] * n["outs"] * (n["height"] - 2) * (n["width"] - 2))

    def tensor(*shape):
        return types.SimpleNamespace(shape=list(shape))
    bench = {"batch": 8, "ins": 16, "outs": 32, "height": 20, "width": 24}
    tensors = [tensor("batch", "ins", "height", "width"), tensor("outs", "ins", 3, 3), tensor("batch", 1, "height - 2", "width - 2")]
    ratio, factors = flops_text(types.SimpleNamespace(probe=work), bench, {axis: (3, 64) for axis in bench}, tensors, 1)
    expect([ratio, sorted(map(str, factors))], [18, ["1", "batch", "height - 2", "ins", "outs", "width - 2"]])


def layer_norm_varies_an_element_of_a_tuple():
    document, reference = imported(LAYER_NORM)
    expect(document["inputs"]["x"]["shape"], ["rows", "shape_0"])
    weight, bias = document["inputs"]["norm_weight"], document["inputs"]["norm_bias"]
    expect([weight["classes"], "scale" in weight], [["positive", "normal"], False])
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


def in_order(a, b, count):
    """The first `count` terms of the product's sums, added in order in single precision."""
    total = torch.zeros(a.shape[0], b.shape[1])
    for column, row in zip(a.t()[:count], b[:count]):
        total += column[:, None] * row
    return total


def a_sum_in_order_is_within_the_tolerance_and_one_without_some_terms_is_not():
    document, _ = imported(LONG_SUM)
    tolerance = document["tolerance"]
    expect("constant" in document["inputs"]["a"]["classes"], False)  # equal terms round alike
    a, b = (torch.randn(shape, generator=torch.Generator().manual_seed(5)) for shape in ((12, 32768), (32768, 16)))
    exact = a.double() @ b.double()
    allowed = tolerance["relative"] * exact.abs() + tolerance["scale"] * exact.pow(2).mean(1, keepdim=True).sqrt()

    def used(count):
        error = (in_order(a, b, count).double() - exact).abs()
        return (error / allowed).max().item(), (error.norm() / exact.norm()).item() / tolerance["relative_l2"]
    expect(max(used(32768)) < 0.25, True)  # what `check` asks of a naive kernel
    expect(min(used(32768 - 128)) > 100, True)


def no_call_sees_the_statistics_of_another():
    source = BATCH_NORM_ALONE
    document, reference = imported(source)
    least = [w["rows"] for w in document["workloads"]]
    expect(min(least), 2)
    expect(document["ranges"]["rows"][0], 2)
    check_reference(source, document, reference)


def equal_constants_that_need_each_other_are_one_axis():
    document, reference = imported(TIED)
    expect(document["axes"], {"rows": "var"})
    expect(reference.axes, {"rows": ["rows", "side"]})
    expect(document["outputs"]["out1"], {"shape": [], "dtype": "int64", "align": 64})
    check_reference(TIED, document, reference)


def lengths_of_inputs_are_axes_where_no_constant_shapes_them():
    document, reference = imported(SIZES_OF_INPUTS)
    expect(document["axes"], {"x_dim0": "var", "x_dim1": "var"})
    expect(reference.axes, {"x_dim0": "x.shape[0]", "x_dim1": "x.shape[1]"})
    check_reference(SIZES_OF_INPUTS, document, reference)


def without_axes_one_shape_serves_every_role():
    document, reference = imported(NO_AXES)
    expect(document["axes"], {})
    expect(document["inputs"]["x"]["shape"], [5, 7])
    expect(document["workloads"], [{"role": "bench"}])
    check_reference(NO_AXES, document, reference)


def what_cannot_be_a_task_is_refused():
    for source, reason in ((DROPOUT, "random"), (CONSTANT, "constant whatever"), (BROKEN, "no_such_method"),
                           (COMPLEX, "complex64"), (NOTHING, "no tensor")):
        raises(Refused, lambda: make_task(source, "problem.py", "refused"), reason)


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


def operations_are_named_by_the_words_of_the_knowledge():
    x, table, places = torch.randn(2, 16, 16), torch.randn(30, 8), torch.randint(0, 30, (5,))
    functional = torch.nn.functional
    for expected, call in {"matrix product": lambda: functional.linear(x, x[0]), "convolution": lambda: functional.conv1d(x, x),
                           "attention": lambda: torch.softmax(x @ x.transpose(1, 2) / 4, -1) @ x,
                           "softmax": lambda: functional.cross_entropy(x[0], torch.arange(16)),
                           "normalization": lambda: x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5),
                           "embedding": lambda: functional.embedding(places, table), "gather": lambda: table[places],
                           "scatter": lambda: torch.zeros(30).index_add(0, places, torch.ones(5)),
                           "cumulative": lambda: x.cumsum(1), "top-k": lambda: x.topk(3), "reduction": lambda: x.amax(1),
                           "elementwise": lambda: functional.silu(x) * 2}.items():
        with OperationCounter() as counter:
            call()
        expect(kinds_of(counter.work_of, counter.calls)[0], expected)


def a_draw_that_fails_leaves_the_next_ones():
    draw, whole = Draws(), TaskTensor("input", "n", "int32", ["4"], ["uniform"], low=5, high="k")
    expect(str(raises(RuntimeError, lambda: draw([whole], {"k": 3}, 1))), "error: tensor 'n' at draw: range [5, 3) is empty")
    values, = draw([whole], {"k": 6}, 1)
    expect(values.tolist(), [5, 5, 5, 5])


def the_program_reports_every_problem():
    write({"1_Relu_.py": RELU, "2_Dropout.py": DROPOUT, "3_Hangs.py": RELU + "\nimport time\ntime.sleep(500)\n",
           "4_Crashes.py": RELU + "\nimport os\nos._exit(3)\n"}, "level1")
    out = pathlib.Path("tasks").resolve()
    code, said, err = outcome(sys.executable, SOURCE / "experiments/run/import/import_tasks.py", "kernelbench",
                              pathlib.Path("level1").resolve(), "--out", out, "--references", SOURCE / "fitness/reference/python",
                              "--program", BINARY, "--limit", "20")
    expect((code, err if code else ""), (0, ""))
    expect(said.splitlines()[-1], "1 imported, 3 refused")
    rows = [line.split("\t") for line in (out / "import.tsv").read_text().splitlines()]
    expect([r[:2] for r in rows[1:]], [["level1_1_relu", "imported"], ["level1_2_dropout", "refused"],
                                       ["level1_3_hangs", "refused"], ["level1_4_crashes", "refused"]])
    expect(["time limit" in rows[3][6], "exit code 3" in rows[4][6]], [True, True])
    expect(yaml.safe_load((out / "level1_1_relu" / "task.yaml").read_text())["source"], "KernelBench level1/1_Relu_.py")


if __name__ == "__main__":
    torch.set_num_threads(1)
    carry_out(relu_has_two_axes, linear_takes_parameters_as_inputs, convolution_with_a_stride_has_quotients_as_lengths,
              operations_of_a_convolution_whose_channels_are_reduced_are_counted, layer_norm_varies_an_element_of_a_tuple,
              more_than_sixteen_arguments_are_packed, embedding_takes_integers_below_the_table_length,
              a_range_holds_every_listed_length, a_loss_has_rank_zero,
              a_sum_in_order_is_within_the_tolerance_and_one_without_some_terms_is_not, no_call_sees_the_statistics_of_another,
              equal_constants_that_need_each_other_are_one_axis, lengths_of_inputs_are_axes_where_no_constant_shapes_them,
              without_axes_one_shape_serves_every_role, what_cannot_be_a_task_is_refused,
              constants_are_found_wherever_they_are_assigned, formulas_fit_quotients_and_collect_terms,
              operations_are_named_by_the_words_of_the_knowledge, a_draw_that_fails_leaves_the_next_ones,
              the_program_reports_every_problem)
