#!/usr/bin/env python3
# Times nothing: may run beside others.
"""What importing a module says of mode, buffers, state, types and signatures, and that its reference computes what
PyTorch does.

Exit code 77: PyTorch is missing."""

import json
import pathlib
import runpy
import sys
import tempfile

sys.path.insert(0, sys.path[0] + "/../support")
from importer import expect, module  # noqa: E402
from needs import need  # noqa: E402
from program import call, carry_out, fresh_folder, raises, write  # noqa: E402

need("torch")
fresh_folder("import_modes")
import numpy as np  # noqa: E402
import torch  # noqa: E402

from format_kernelbench import notes  # noqa: E402
from module_task import footer_text, make_task, task_file, write_task  # noqa: E402
from task_file import Refused, task_text  # noqa: E402
from traced_model import Unfit, build  # noqa: E402

nn = torch.nn
TYPES = {"cpp": ["float32", "float64", "int32", "int64", "int8", "uint8", "bool"],
         "cuda": ["float32", "float64", "float16", "bfloat16", "int32", "int64", "int8", "uint8", "bool"]}
X = "[torch.randn(rows, 8)]"
IDS = "[torch.randint(0, 50, (rows,))]"
BF16 = "[torch.randn(rows, 8).bfloat16()]"


def new_folder():
    return pathlib.Path(tempfile.mkdtemp(dir="."))


def source(constructor, forward, given=X, arguments="x", before=""):
    return module(arguments, forward, given, constructor, f"rows = 21\n{before}")


NORM = source("self.bn = nn.BatchNorm1d(8)", "return self.bn(x)")
COUNTER = source("self.register_buffer('n', torch.zeros(1))", "self.n += 1\nreturn x * self.n")
SEEN = source("self.seen = []", "self.seen.append(1)\nreturn x * float(len(self.seen))")
DROPOUT = source("self.d = nn.Dropout(0.3)", "return self.d(x)")
RELU = source("self.act = nn.ReLU(inplace=True)", "return self.act(x) + 1")
LAYER = source("self.l = nn.Linear(8, 4)", "return self.l(x)")


class Imported:
    """A task, its description, and its reference as the judge loads it."""

    def __init__(self, text, **settings):
        self.text, self.task = text, make_task(text, "problem.py", "problem", **settings)
        self.settings = (torch.get_default_dtype(), torch.get_float32_matmul_precision())
        self.file, self.footer = task_file(self.task), footer_text(self.task)
        folder = new_folder()
        write_task(self.task, text, folder)
        self.reference = runpy.run_path(str(folder / "reference.py"))["reference"]
        torch.set_default_dtype(torch.float32)  # which the file may have set
        torch.set_float32_matmul_precision("highest")
        self.inputs = [t for t in self.task.tensors if t.role != "output"]
        self.axes = self.task.bench

    def names(self):
        return [t.name for t in self.task.tensors]

    def dtypes(self):
        return {t.name: t.dtype for t in self.task.tensors}

    def says(self, *words):
        for one in words:
            if one not in self.file.description:
                raise AssertionError(f"{one!r} is not in {self.file.description!r}")

    def drawn(self):
        """Values for all inputs."""
        return self.task.runner.drawn(self.axes, 5)


def native(one, given, mode="inference", cast=None):
    """What the module returns, built from its file with the given state, as a flat list."""
    names = {"__name__": "native"}
    exec(compile(one.text, "native", "exec"), names)
    torch.manual_seed(0)
    model = names["Model"]()
    if cast is not None:
        model.to(cast)
    if mode == "inference":
        model.eval()
    count = len(one.reference.inputs) - len(one.reference.constants)
    for dotted, value in zip(one.reference.parameters.values(), given[count:]):
        *path, leaf = dotted.split(".")
        owner = model.get_submodule(".".join(path))
        if isinstance(getattr(owner, leaf), nn.Parameter):
            value = nn.Parameter(value, requires_grad=False)
        setattr(owner, leaf, value)
    rest = iter(given[:count])
    values = [one.reference.constants[n] if n in one.reference.constants else next(rest) for n in one.reference.inputs]
    positional = [v for n, v in zip(one.reference.inputs, values) if n not in one.reference.keywords]
    named = {one.reference.keywords[n]: v for n, v in zip(one.reference.inputs, values) if n in one.reference.keywords}
    with torch.no_grad():
        return flat(model(*positional, **named))


def flat(value):
    if torch.is_tensor(value):
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    return [tensor for part in parts for tensor in flat(part)]


def check(one, mode="inference", cast=None, tolerance=2e-5):
    """The reference and the baseline compute what PyTorch does, and change no input."""
    given = one.drawn()
    wanted = native(one, [t.clone() for t in given], mode, cast)
    kept = [t.clone() for t in given]
    got = flat(one.reference(*[t.double() if t.is_floating_point() else t for t in given], **one.axes))
    count = len(one.reference.inputs) - len(one.reference.constants)
    model = one.reference.model(one.axes, given[count:])
    for attempt in range(2):
        with torch.no_grad():
            baseline = flat(one.reference.call(model, one.reference.copied(given)))
    expect([len(got), len(baseline)], [len(wanted), len(wanted)])
    for exact, own, pytorch, output in zip(got, baseline, wanted, [t for t in one.task.tensors if t.role == "output"]):
        expect([str(own.dtype), list(own.shape)], [f"torch.{output.dtype}", list(pytorch.shape)])
        torch.testing.assert_close(exact.to(pytorch.dtype), pytorch, rtol=tolerance, atol=tolerance, equal_nan=True)
        torch.testing.assert_close(own, pytorch, rtol=tolerance, atol=tolerance, equal_nan=True)
    for before, after in zip(kept, given):
        expect(torch.equal(before, after), True)


def refuses(text, *words, **settings):
    raises(Refused, lambda: make_task(text, "problem.py", "refused", **settings), *words)


def the_mode_is_said_and_kept():
    one = Imported(NORM)
    one.says("in inference mode (model.eval())", "parameters and buffers")
    expect(one.names(), ["x", "bn_weight", "bn_bias", "bn_running_mean", "bn_running_var", "out"])
    expect([t.classes[0] for t in one.inputs if t.name.endswith("var")], ["positive"])
    check(one)
    one = Imported(NORM, mode="train")
    one.says("in training mode, as constructed", "No output depends on the buffers bn.running_mean, bn.running_var")
    expect(one.names(), ["x", "bn_weight", "bn_bias", "out"])
    check(one, "train")
    one = Imported(source("self.bn = nn.BatchNorm1d(8)\nself.eval()", "return self.bn(x)"), mode="train")
    one.says("in evaluation mode, which its constructor sets with eval()")
    check(one, "train")
    one = Imported(source("self.a = nn.BatchNorm1d(8)\nself.b = nn.BatchNorm1d(8).eval()", "return self.b(self.a(x))"),
                   mode="train")
    one.says("some of its modules in training mode")
    expect([n for n in one.names() if "running" in n], ["b_running_mean", "b_running_var"])
    check(one, "train")


def random_outputs_are_refused_with_the_way_out():
    refuses(DROPOUT, "dropout is active in training mode (d)", "self.eval()", "--mode inference", mode="train")
    refuses(source("self.l = nn.GRU(8, 4, num_layers=2, dropout=0.2)", "return self.l(x)[0]"), "(l)", "--mode inference",
            mode="train")
    refuses(source("pass", "return F.dropout(x, 0.5)"), "forward draws random numbers (dropout)")
    refuses(source("pass", "return x + torch.randn_like(x)"), "randn_like")
    refuses(source("pass", "import random\nreturn x * random.random()"), "outputs are random")
    refuses(source("self.bn = nn.BatchNorm1d(8)", "import random\nreturn self.bn(x) * random.random()"), "outputs are random",
            mode="train")
    refuses(source("self.w = (torch.randn(8),)", "return x * self.w[0]"), "the constructor draws w at random")
    check(Imported(DROPOUT))


def buffers_and_plain_tensors_are_inputs():
    one = Imported(source("self.register_buffer('scale', torch.ones(8))\nself.shift = torch.randn(8)\n"
                          "self.register_buffer('keep', torch.rand(8) < 0.5)\n"
                          "self.register_buffer('index', torch.tensor([3, 1, 7]))\n"
                          "self.register_buffer('t', torch.tensor(0.7))\nself.register_buffer('unused', torch.ones(3))",
                          "return (x * self.scale * self.t.item() + self.shift * self.keep)[:, self.index]"))
    expect(one.names(), ["x", "scale", "keep", "index", "t", "shift", "out"])
    expect(one.dtypes()["keep"], "bool")
    index = next(t for t in one.inputs if t.name == "index")
    expect((index.low, index.high), (1, "8"))
    check(one)
    zeros = Imported(source("self.register_buffer('gate', torch.zeros(8))", "return x.tanh() * self.gate"))
    expect(zeros.names(), ["x", "gate", "out"])
    check(zeros)


def structure_stays_constant_and_is_named():
    one = Imported(source("self.register_buffer('mask', torch.tril(torch.ones(rows, rows)).bool())\n"
                          "self.register_buffer('late', torch.triu(torch.full((rows, rows), float('-inf')), 1))\n"
                          "self.register_buffer('place', torch.arange(rows))\n"
                          "self.register_buffer('n', torch.tensor(5))\nself.e = nn.Embedding(rows, 8)",
                          "x = x + self.e(self.place)\ns = (x @ x.T + self.late).masked_fill(~self.mask, -1e9)\n"
                          "return (s.softmax(-1) @ x)[:, :int(self.n)]"))
    expect(one.names(), ["x", "e_weight", "out", "rows"][:3])
    one.says("Constant as constructed", "mask (a triangular or banded mask)", "late (a triangular or banded mask)",
             "place (positions)", "n (it decides what forward does)")
    check(one)
    kept = one.reference.constant_buffers(**one.axes)
    expect(sorted(kept), ["late", "mask", "n", "place"])
    rows = one.axes["rows"]
    expect(torch.equal(kept["mask"], torch.ones(rows, rows).tril().bool()), True)
    expect(sorted(one.reference.fixed), sorted(kept))
    table = Imported(source("pass", "return x @ table", before="table = torch.linspace(0, 1, 64).reshape(8, 8)"))
    table.says("global table (a tensor of the file)")
    check(table)
    positions = Imported(source("self.register_buffer('bias', torch.arange(8).float().flip(0).abs())", "return x + self.bias"))
    expect(positions.names(), ["x", "bias", "out"])  # only integers count positions
    complex_ = Imported(source("self.register_buffer('f', torch.polar(torch.ones(4), torch.arange(4).float()))",
                               "return torch.view_as_real(torch.view_as_complex(x.reshape(-1, 4, 2)) * self.f).flatten(1)"))
    complex_.says("f (complex numbers)")
    check(complex_)


def packed_tensors_keep_variances_positive():
    one = Imported(source("self.l = nn.Sequential(*[m for _ in range(4) for m in (nn.Linear(8, 8), nn.BatchNorm1d(8))])",
                          "return self.l(x)"))
    expect(one.names(), ["x", "parameters", "positive_parameters", "out"])
    expect([t.classes[0] for t in one.inputs[1:]], ["normal", "positive"])
    one.says("The tensor positive_parameters holds, one after the other: l.1.weight at 0 [8]")
    given = one.drawn()
    values = {}
    for names, tensor in zip(one.reference.parameters.values(), given[1:]):
        state = nn.Sequential(*[m for _ in range(4) for m in (nn.Linear(8, 8), nn.BatchNorm1d(8))]).state_dict()
        sizes = [state[name[2:]].numel() for name in names]
        values.update({name[2:]: part.reshape(state[name[2:]].shape) for name, part in zip(names, tensor.split(sizes))})
    model = nn.Sequential(*[m for _ in range(4) for m in (nn.Linear(8, 8), nn.BatchNorm1d(8))]).eval()
    model.load_state_dict(values, strict=False)
    wanted = model.double()(given[0].double())
    torch.testing.assert_close(one.reference(*[t.double() for t in given], **one.axes), wanted.detach())


def what_forward_changes_is_refused_by_name():
    later = "and outputs of later calls depend on it"
    refuses(COUNTER, "buffer 'n' changes in forward", later)
    refuses(SEEN, "attribute 'seen' changes in forward", later)
    refuses(source("self.steps = 0", "self.steps += 1\nif self.steps > 2: x = x * 2\nreturn x + 1"), "attribute 'steps'")
    refuses(source("self.steps = 0", "self.steps += 1\nif self.steps > 100: x = x * 2\nreturn x + 1"), "attribute 'steps'")
    refuses(source("pass", "global calls\ncalls += 1\nreturn x * calls", before="calls = 0"), "global 'calls'")
    refuses(source("pass", "Model.calls = getattr(Model, 'calls', 0) + 1\nreturn x * Model.calls"),
            "class attribute 'Model.calls'")
    refuses(source("self.first = None", "if self.first is None: self.first = x.mean()\nreturn x - self.first"), "'first'")
    refuses(source("self.cache = {}", "self.cache[len(self.cache)] = 1\nreturn x * len(self.cache)"), "attribute 'cache'")
    refuses(source("self.register_buffer('m', torch.zeros(8))", "self.m.mul_(0.9).add_(x.mean(0))\nreturn x - self.m"),
            "buffer 'm'", later)
    refuses(source("self.e = nn.Embedding(50, 4, max_norm=1.0)", "return self.e(i)", IDS, "i"), "parameter 'e.weight' changes")
    refuses(source("self.w = nn.Parameter(torch.randn(8))", "self.w.data.mul_(0.5)\nreturn x * self.w"), "parameter 'w'")
    spectral = source("self.l = nn.utils.spectral_norm(nn.Linear(8, 4))", "return self.l(x)")
    refuses(spectral, "changes in forward", "call self.eval()", "--mode inference", mode="train")


def what_changes_for_no_output_is_no_reason():
    for text in (source("self.steps = 0", "self.steps += 1\nreturn x + 1"),
                 source("self.register_buffer('n', torch.zeros(1))", "self.n += 1\nreturn x + 1"),
                 source("self.cos = None", "if self.cos is None: self.cos = torch.cos(torch.arange(8.0))\nreturn x * self.cos"),
                 source("self.register_buffer('room', torch.zeros(8))", "self.room.copy_(x.mean(0))\nreturn x - self.room"),
                 source("self.l = nn.utils.weight_norm(nn.Linear(8, 4))", "return self.l(x)")):
        check(Imported(text))
    spectral = Imported(source("self.l = nn.utils.spectral_norm(nn.Linear(8, 4))", "return self.l(x)"))
    expect([n for n in spectral.names() if n.startswith("l_weight_")], ["l_weight_orig", "l_weight_u", "l_weight_v"])


def inputs_changed_in_place_stay_as_they_are():
    cases = {RELU: "x", source("pass", "return x.mul_(2)"): "x", source("pass", "x[:, :3].zero_()\nreturn x.sum(1), x"): "x",
             source("pass", "x.data.mul_(2)\nreturn x"): "x", source("pass", "x.mul_(1)\nreturn x + 1"): "x",
             source("pass", "return x + y.relu_()", "[torch.randn(rows, 8), torch.randn(rows, 8)]", "x, y"): "y"}
    for text, changed in cases.items():
        one = Imported(text)
        one.says(f"forward() changes {changed} in place; the operator does not")
        expect(one.reference.writes, [changed])
        check(one)
    refuses(source("pass", "x.mul_(2)"), "forward returns no tensor, and changes x in place")


def types_are_kept():
    double = Imported(source("self.l = nn.Linear(8, 4).double()", "return self.l(x)", "[torch.randn(rows, 8).double()]"))
    expect(set(double.dtypes().values()), {"float64"})
    expect(double.task.tolerance.relative <= 1e-11, True)
    check(double, tolerance=1e-12)
    mixed = Imported(source("pass", "return x.double() @ x.double().T"))
    expect(mixed.dtypes(), {"x": "float32", "out": "float64"})
    check(mixed, tolerance=1e-12)
    norm = Imported(source("self.n = nn.LayerNorm(8).bfloat16()", "return self.n(x)", BF16))
    expect(set(norm.dtypes().values()), {"bfloat16"})
    check(norm, tolerance=2e-2)
    typed = Imported(source("pass", "return torch.zeros(50, 8, dtype=torch.bfloat16).index_add_(0, i, x)",
                            "[torch.randint(0, 50, (rows,)), torch.randn(rows, 8).bfloat16()]", "i, x"))
    expect(typed.dtypes(), {"i": "int64", "x": "bfloat16", "out": "bfloat16"})
    check(typed, tolerance=5e-2)
    usual = Imported(source("self.l = nn.Linear(8, 4)", "return self.l(x)", before="torch.set_default_dtype(torch.float64)"))
    expect(set(usual.dtypes().values()), {"float64"})
    expect(usual.settings[0], torch.float32)


def types_are_cast_on_request():
    one = Imported(LAYER, cast="bfloat16")
    one.says("Module and inputs are cast to bfloat16")
    expect(set(one.dtypes().values()), {"bfloat16"})
    check(one, cast=torch.bfloat16, tolerance=3e-2)
    one = Imported(source("self.n = nn.LayerNorm(8).bfloat16()", "return self.n(x)", BF16), cast="float32", types=TYPES)
    expect(set(one.dtypes().values()), {"float32"})
    check(one, cast=torch.float32)


def types_that_a_language_lacks_are_refused_by_name():
    text = source("self.n = nn.LayerNorm(8).bfloat16()", "return self.n(x)", BF16)
    refuses(text, "input 'x' is bfloat16, which kernels in cpp do not take; import it with --language cuda or --dtype float32",
            types=TYPES)
    refuses(source("pass", "return x.half()"), "output 'out' is float16 (forward casts to it)", "--language cuda", types=TYPES)
    refuses(source("self.register_buffer('s', torch.ones(8).half())", "return x * self.s.float()"), "buffer 's' is float16",
            types=TYPES)
    refuses(source("pass", "return x * 2", "[torch.ones(rows, 8).to(torch.int16)]"), "input 'x' is int16")
    expect(set(Imported(text, language="cuda", types=TYPES).dtypes().values()), {"bfloat16"})


def settings_of_precision_are_named_and_undone():
    one = Imported(source("pass", "return x @ y", "[torch.randn(rows, 64), torch.randn(64, 8)]", "x, y",
                          "torch.set_float32_matmul_precision('medium')"))
    one.says("The file sets torch.set_float32_matmul_precision('medium')")
    expect((one.settings[1], one.task.tolerance.relative <= 2e-5), ("highest", True))
    tf32 = Imported(source("pass", "return x + 1", before="torch.backends.cuda.matmul.allow_tf32 = True"))
    tf32.says("torch.backends.cuda.matmul.allow_tf32 = True")


def products_in_tf32_are_right_where_that_is_asked_for():
    """Against factors whose bits NumPy cuts."""
    how = {"math": "tf32", "language": "cuda", "types": TYPES}
    text = source("pass", "return x @ y", "[torch.randn(rows, 256), torch.randn(256, 8)]", "x, y")
    one, usual = Imported(text, **how), Imported(text, **{**how, "math": "float32"})
    one.says("Products of float32 may cut their factors to TF32")
    expect(["math: tf32" in task_text(each.file) for each in (one, usual)], [True, False])
    factors = [torch.randn(64, 256), torch.randn(256, 64)]
    exact = factors[0].double() @ factors[1].double()
    unit = exact.abs() + exact.pow(2).mean(1, keepdim=True).sqrt()

    def error(bits):
        kept = [(t.numpy().view(np.uint32) >> 23 - bits << 23 - bits).view(np.float32).astype(np.float64) for t in factors]
        return ((torch.from_numpy(kept[0] @ kept[1]) - exact).abs() / unit).max().item()

    expect((error(10) < one.task.tolerance.relative, error(10) > 4 * usual.task.tolerance.relative, error(7) > one.task.tolerance.relative),
           (True, True, True), "factors of 10 bits are right in TF32 alone, those of 7 never")
    expect("tf32" in task_text(Imported(source("pass", "return x + 1"), **how).file), False)


def equal_values_are_spoken_of():
    one = Imported(source("pass", "return x.argmax(-1), x.max(1)[1]"))
    one.says("Of equal values argmax, max takes the first one.")
    check(one)
    Imported(source("pass", "return x.topk(3)[0]")).says("Which of equal values topk takes is what PyTorch does")
    expect("equal values" in Imported(source("pass", "return x.max() * x")).file.description, False)


def signatures_are_kept():
    one = Imported(source("pass", "return x * scale", "[torch.randn(rows, 8), None, 3.0]", "x, mask=None, scale=2.0, eps=1e-5"))
    one.says("Arguments of forward() that are no inputs: mask = None, scale = 3.0.",
             "Arguments of forward() with their defaults: eps = 1e-05.")
    check(one)
    pair = "torch.randn(rows, 8), torch.randn(rows, 8)"
    for text, names in ((source("pass", "return x * 2", "torch.randn(rows, 8)"), ["x"]),
                        (source("pass", "return x * 2", X, "*, x"), ["x"]),
                        (source("pass", "return x - 2 * y", "{'y': torch.randn(rows, 8), 'x': torch.randn(rows, 8)}", "x, y"),
                         ["x", "y"]),
                        (source("pass", "return x - 2 * y", f"[{pair}]", "x, *, y"), ["x", "y"]),
                        (source("pass", "return xs[0] - 2 * xs[1]", f"[{pair}]", "*xs"), ["xs0", "xs1"]),
                        (source("pass", "return kw['a'] - 2 * kw['b']", f"dict(zip('ab', [{pair}]))", "**kw"), ["a", "b"]),
                        (source("pass", "return x * y", "(torch.randn(rows, 8), torch.tensor(0.5))", "x, y"), ["x", "y"])):
        one = Imported(text)
        expect([t.name for t in one.inputs], names)
        check(one)
    refuses(source("pass", "return x", f"[{pair}]"), "get_inputs() gives 2 values, and forward takes (x)")
    refuses(source("pass", "return x", X, "x, y"), "forward takes (x, y)", "'y'")
    refuses(source("pass", "return x", "{'z': torch.randn(rows, 8)}"), "get_inputs() gives 'z', and forward takes (x)")
    refuses(source("pass", "return x", "3.0"), "get_inputs() gives a float")


def nested_arguments_are_inputs_one_by_one():
    x = "torch.randn(rows, 8)"
    for text, names, formula in (
            (source("pass", "return xs[0] - 2 * xs[1]", f"[[{x}, {x}]]", "xs"), ["xs0", "xs1"], lambda a, b: a - 2 * b),
            (source("pass", "h, (c, s) = state\nreturn x * h + c * s", f"[{x}, ({x}, [{x}, 0.5])]", "x, state"),
             ["x", "state0", "state1_0"], lambda x, h, c: x * h + c * 0.5),
            (source("pass", "return b['user'] - 2 * b['item'][0]", f"[dict(user={x}, item=[{x}, None])]", "b"),
             ["b_user", "b_item_0"], lambda a, b: a - 2 * b),
            (source("pass", "return (xs[0] + y).relu_() - xs[1].mul_(2)", f"{{'y': {x}, 'xs': ({x}, {x})}}", "xs, y"),
             ["xs0", "xs1", "y"], lambda a, b, y: (a + y).relu() - 2 * b)):
        one = Imported(text)
        expect([t.name for t in one.inputs], names)
        given = [t.double() for t in one.drawn()]
        torch.testing.assert_close(one.reference(*given, **one.axes), formula(*given))
        with torch.no_grad():
            baseline = one.reference.call(one.reference.model(one.axes, []), one.reference.copied([t.float() for t in given]))
        torch.testing.assert_close(baseline.double(), formula(*given), rtol=2e-5, atol=2e-5)
    one.says("forward() changes xs1 in place")


def ranges_of_integers_are_those_of_the_draws():
    table = "self.e = nn.Embedding(100, 4)"
    fields = "self.e = nn.Embedding(36, 4)\nself.register_buffer('o', torch.tensor([0, 11, 31]))"
    for constructor, forward, given, wanted in (
            (table, "return self.e(i)", "[torch.randint(0, 100, (rows, 3)).to(torch.int32)]", (0, "100")),
            (table, "return self.e(i)", "[torch.randperm(100)]", (0, "min(100, i_dim0)")),
            (table, "return self.e(i)", "[(torch.rand(rows) * 100).long()]", (0, "100")),
            (table, "return self.e(i)", "[randint(0, 100, (rows,))]", (0, "100")),
            (table, "return self.e(i)", "[torch.arange(50)]", (0, "min(50, i_dim0)")),
            (table, "return self.e(i)", "[torch.randint(0, 10 ** 9, (rows,)) % 100]", (0, "100")),
            (table, "return self.e(i)", "[torch.randint(0, 300, (rows,)).clamp(5, 90)]", (5, "91")),
            ("pass", "return torch.ones(rows) / i", "[torch.randint(1, 9, (rows,))]", (1, "9")),
            ("pass", "return i.float() * 2", "[torch.randint(-4, 4, (rows,))]", (-4, "4")),
            (fields, "return self.e(i + self.o)", "[torch.stack([torch.randint(0, n, (rows,)) for n in (11, 20, 5)], 1)]", (0, "5")),
            (table, "return self.e(i)", "[torch.stack([torch.randint(f, f + 20, (rows,)) for f in (0, 20, 40)])]", (0, "60")),
            ("pass", "return F.cross_entropy(torch.arange(12.0).repeat(len(i), 1), i)", "[torch.cat("
             "[torch.randint(0, 12, (rows - 1,)), torch.tensor([-100])])]", (0, "12"))):
        one = Imported(source(constructor, forward, given, "i", "from torch import randint"))
        integers = next(t for t in one.inputs if t.name == "i")
        expect((integers.low, integers.high), wanted, given)
        check(one)
    edges = Imported(source("pass", "return torch.zeros_like(x).index_add_(0, e[1], x[e[0]])",
                            "[torch.randn(rows, 8), torch.stack([torch.randint(0, rows, (50,)), torch.randint(0, rows, (50,))])]",
                            "x, e"))
    expect([(t.low, t.high) for t in edges.inputs if t.name == "e"], [(0, "rows")])
    check(edges)
    refuses(source("self.e = nn.EmbeddingBag(100, 4, mode='sum')", "return self.e(i, o)",
                   "[torch.randint(0, 100, (40,)), torch.tensor([0, 3, 3, 20, 31])]", "i, o"), "input 'o': get_inputs() gives integers")
    refuses(source("self.register_buffer('t', torch.ones(100))", "assert i[0] == 5\nreturn self.t[i]", "[torch.tensor([5, 9, 7])]",
                   "i"), "input 'i': get_inputs() gives integers from 5 to 9")


def values_are_like_the_examples():
    classes = lambda given, forward="return x * 2": Imported(source("pass", forward, f"[{given}]")).inputs[0]  # noqa: E731
    for given, first, scale in (("torch.randn(rows, 8)", "normal", 0), ("torch.rand(rows, 8)", "positive", 0),
                                ("100 * torch.rand(rows, 8) + 1", "positive", 6), ("0.02 * torch.randn(rows, 8)", "normal", -6),
                                ("torch.rand(rows, 9).sort(-1)[0]", "sorted", 0), ("torch.zeros(rows, 8)", "normal", 0),
                                ("torch.triu(torch.full((rows, rows), float('-inf')), 1)", "masked", 0)):
        forward = "return x.softmax(-1)" if first == "masked" else "return x * 2"
        made = classes(given, forward)
        expect((made.classes[0], made.scale), (first, scale), given)
    made = Imported(source("pass", "return torch.where(x > 0.75, x - 0.1, x * 3)")).inputs[0]
    expect(made.numbers, [0.75, 3.0])  # no type of the task holds 0.1
    masked = Imported(source("pass", "return x.masked_fill(m, float('-inf'))", "[torch.randn(rows, 8), torch.rand(rows, 8) > .5]",
                             "x, m"))
    expect(masked.file.nonfinite, "propagate")
    check(masked)


def outputs_have_their_names_and_what_is_dropped_is_said():
    one = Imported(source("pass", "return x * 2, 3, {'a': x, 'b': None}"))
    expect(one.names(), ["x", "out0", "out2_a"])
    one.says("forward() also returns what is no tensor and no output: 3 as [1], None as [2]['b'].")
    check(one)
    for returned, names in (("{'loss': x.sum(), 'logits': x * 2}", ["loss", "logits"]), ("{'y': x + 1}", ["y"]),
                            ("[x * 2, None]", ["out"]), ("x, (x + 1, [x + 2])", ["out0", "out1_0", "out1_1_0"]),
                            ("torch.max(x, 1)", ["out0", "out1"])):
        one = Imported(source("pass", f"return {returned}"))
        expect([t.name for t in one.task.tensors if t.role == "output"], names)
        check(one)
    one = Imported(source("pass", "return x * 2, torch.ones(3)"))
    one.says("Outputs that are the same whatever the inputs: out1.")
    expect(one.task.constant, ["out1"])


def a_task_of_an_earlier_version_still_runs():
    folder = new_folder()
    text = source("self.l = nn.Linear(8, 4)\nself.bn = nn.BatchNorm1d(4)", "return self.bn(self.l(x))")
    (folder / "reference.py").write_text(text + "\n# --- below: added by kernelevolve import ---\n"
                                         "from kernelevolve_reference import module_reference\nreference = module_reference(\n"
                                         "    globals(),\n    axes={'rows': 'rows'},\n    inputs=['x'],\n"
                                         "    parameters={'p0': 'l.weight', 'p1': 'l.bias', 'p2': 'bn.weight', 'p3': 'bn.bias'},"
                                         "\n    packed=True,\n)\n")
    reference = runpy.run_path(str(folder / "reference.py"))["reference"]
    x, flat_ = torch.randn(6, 8).double(), torch.randn(44).double()
    weight, bias, scale, shift = flat_.split([32, 4, 4, 4])
    wanted = nn.functional.batch_norm(x @ weight.reshape(4, 8).T + bias, None, None, scale, shift, training=True)
    torch.testing.assert_close(reference(x, flat_, rows=6), wanted)


def a_whole_model_is_refused_in_the_same_words():
    folder = new_folder()
    for text, words in ((COUNTER, "buffer 'n' changes in forward"), (SEEN, "attribute 'seen' changes in forward"),
                        (RELU, "forward changes x in place"), (source("pass", "return F.dropout(x, 0.5)"), "random"),
                        (source("pass", "return x", X, "x, y"), "forward takes (x, y)")):
        (folder / "model.py").write_text(text)
        raises(Unfit, lambda: build(folder / "model.py", torch.device("cpu")), words)
    (folder / "model.py").write_text(DROPOUT)
    model, given, _ = build(folder / "model.py", torch.device("cpu"))
    expect((model.training, given.names), (False, ["x"]))


def the_verb_takes_mode_and_type():
    folder = new_folder()
    write({"norm.py": NORM, "half.py": source("pass", "return x * 2", BF16)}, folder)

    def verb(*words):
        code, out, err = call("import", *words, "--json", cwd=folder)
        return code, err, json.loads(out)["problems"][0] if out else None

    for format_, wanted in (("module", "inference"), ("kernelbench", "train")):
        *_, row = verb(format_, "norm.py")
        expect((row["result"], row["reason"]), ("imported", ""))
        expect(f"mode='{wanted}'" in (folder / "imported/norm/reference.py").read_text(), True)
    *_, row = verb("module", "half.py")
    expect(row["reason"], "input 'x' is bfloat16, which kernels in cpp do not take; import it with --language cuda or "
           "--language hip or --dtype float32")
    *_, row = verb("module", "half.py", "--dtype", "float32")
    expect(row["result"], "imported")
    code, err, _ = verb("flashinfer", "norm.py", "--mode", "train")
    expect((code, "--mode, --dtype, --math and --trace are of formats module and kernelbench" in err), (2, True))
    code, err, _ = verb("module", "norm.py", "--mode", "eval")
    expect((code, "inference" in err), (2, True))
    for words in ([], ["-l", "hip"], ["-l", "cuda", "--dtype", "bfloat16"]):
        code, err, _ = verb("module", "norm.py", "--math", "tf32", *words)
        expect((code, "it needs --language cuda, and no --dtype of 16 bits" in err), (2, True))


SERVED = source("self.l = nn.Linear(8, 4)", "return self.l(x)", "[torch.randn(rows, 8)]")


def trace(text):
    path = new_folder() / "served.csv"
    path.write_text(text)
    return path


def workloads_of(one, role):
    return [(lengths["rows"], weight) for lengths, own, weight in one.file.workloads if own == role]


def shapes_of_a_trace_are_bench_workloads_by_their_counts():
    one = Imported(SERVED, trace=trace("rows,count\n7,3\n400,1\n1, 94\n7,2\n"))
    expect(workloads_of(one, "bench"), [(400, 1), (1, 94), (7, 5)])  # by calls times elements
    expect(notes(one.task), "the bench shapes are 100 % of the calls")
    text = (task_text(one.file)).splitlines()
    expect(("aggregate: total_time" in text, "  - {rows: 1, role: bench, weight: 94}" in text,
            "  - {rows: 400, role: bench}" in text), (True, True, True))
    drawn = workloads_of(one, "validation") + workloads_of(one, "holdout") + workloads_of(one, "test")
    expect([n for n, _ in drawn if n in (1, 7, 400)], [])
    expect(len(workloads_of(one, "holdout")) >= 1, True)
    check(one)
    plain = Imported(SERVED)
    expect("aggregate: geometric_mean" in task_text(plain.file) and "weight: " not in task_text(plain.file).split("workloads:")[1], True)


def what_a_trace_has_beyond_eight_shapes_is_validation_and_holdout():
    lines = "".join(f"{1000 - n}, {n}\n" for n in range(150, 0, -10))
    one = Imported(SERVED, trace=trace(f" count , rows\n{lines}"))
    expect([n for n, _ in workloads_of(one, "bench")], list(range(150, 70, -10)))
    expect(workloads_of(one, "validation"), [(70, 930), (50, 950), (30, 970), (10, 990)])
    expect(workloads_of(one, "holdout"), [(60, 940), (40, 960), (20, 980)])


def a_trace_of_all_short_shapes_leaves_one_for_tests():
    """A spreadsheet's file, with a mark at its begin; batch 1 leaves few other shapes."""
    text = SERVED.replace("rows = 21", "rows = 1")
    one = Imported(text, trace=trace("\ufeffrows,count\n" + "".join(f"{n},9\n" for n in range(1, 17))))
    expect(len(workloads_of(one, "test")) >= 1, True)
    listed = [lengths["rows"] for lengths, *_ in one.file.workloads]
    expect(sorted(listed), sorted(set(listed)))
    check(one)


def long_traces_are_read_at_once():
    one = Imported(SERVED, trace=trace("rows,count\n" + "".join(f"{n},{5001 - n}\n" for n in range(1, 5001))))
    expect(len(workloads_of(one, "bench")), 8)
    expect("% of the calls" in notes(one.task), True)


def faults_of_a_trace_have_their_line():
    for text, words in (("rows,count\n", "--trace has no shapes"), ("rows\n3\n", "has no column 'count'"),
                        ("row,count\n3,4\n", "has the column 'row': its columns are count and axes of this module, each once: rows"),
                        ("rows,count\n3,4\n0,4\n", "line 3: 'rows' is '0', not a whole number from 1"),
                        ("rows,count\n3,2.5\n", "line 2: 'count' is '2.5'"), ("rows,count\n3\n", "line 2: 'count' is ''"),
                        ("rows,count\n3,4,5\n", "line 2: there are more values"),
                        ("rows,rows,count\n3,4,5\n", "has the column 'rows'"), ("rows,count\n\u00b2,4\n", "line 2: 'rows' is"),
                        ("rows,count\n3,9999999999999999\n", "more than 1e+15 calls"), ("", "has no column 'count'"),
                        ("rows,count\n1000000000000,1\n", "line 2: the module does not run at rows 1000000000000")):
        raises(Refused, lambda: Imported(SERVED, trace=trace(text)), words)


if __name__ == "__main__":
    torch.set_num_threads(1)
    carry_out(shapes_of_a_trace_are_bench_workloads_by_their_counts,
              what_a_trace_has_beyond_eight_shapes_is_validation_and_holdout, a_trace_of_all_short_shapes_leaves_one_for_tests,
              long_traces_are_read_at_once, faults_of_a_trace_have_their_line, the_mode_is_said_and_kept,
              random_outputs_are_refused_with_the_way_out, buffers_and_plain_tensors_are_inputs,
              structure_stays_constant_and_is_named, packed_tensors_keep_variances_positive,
              what_forward_changes_is_refused_by_name, what_changes_for_no_output_is_no_reason,
              inputs_changed_in_place_stay_as_they_are, types_are_kept, types_are_cast_on_request,
              types_that_a_language_lacks_are_refused_by_name, settings_of_precision_are_named_and_undone,
              products_in_tf32_are_right_where_that_is_asked_for,
              equal_values_are_spoken_of, signatures_are_kept, nested_arguments_are_inputs_one_by_one,
              ranges_of_integers_are_those_of_the_draws, values_are_like_the_examples,
              outputs_have_their_names_and_what_is_dropped_is_said, a_task_of_an_earlier_version_still_runs,
              a_whole_model_is_refused_in_the_same_words, the_verb_takes_mode_and_type)
