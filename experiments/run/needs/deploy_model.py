"""Inserts the operators of a package into the model for whose needs they were made, and measures
the model end to end.

Tries each need alone, in turns with the original model. Keeps it if the model's outputs are within
the tolerance and the model is faster with 95 % confidence. Then inserts all kept ones together and
compares the result with the original, eager and compiled."""

import contextlib
import dataclasses
import importlib
import json
import math
import shutil
import sys
import warnings

import torch

from find_needs import SCHEMA
from import_tasks import table_text
from measure import Clock, in_turns, median_interval, ratio
from traced_model import Unfit, device_threads, trace
from write_graph import forward_text

TOLERANCE = {torch.float16: 1e-2, torch.bfloat16: 1e-2}  # relative L2 of outputs
OTHER_TOLERANCE = 1e-4
ROUNDS, LAST_ROUNDS = 15, 21
REPLACED = {"eager": "replaced", "compiled": "replaced, compiled", "CUDA graph": "replaced, CUDA graph",
            "max-autotune": "replaced, max-autotune"}
GRAPH_NOTE = """
'CUDA graph' is `{0}.whole_model.captured(model, *inputs)`: a function that copies its inputs to where the graph reads
them and launches the model as one graph; its outputs are overwritten by the next call. 'max-autotune' is
`torch.compile(model, mode="max-autotune")`, which also makes graphs.
"""


@dataclasses.dataclass
class Replacement:
    need: dict  # of needs.json
    symbol: str  # operator
    calls: list = ()  # of forward_text
    times: tuple = ()  # speedup over eager of the model with this need alone: median, low, high
    difference: tuple = ()  # max abs, relative L2
    reason: str = ""  # why it was left out


def read_needs(folder):
    file = folder / "needs.json"
    try:
        document = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise Unfit(f"{file}: cannot be read; 'kernelevolve needs MODEL -o {folder}' writes it") from error
    if document.get("schema") != SCHEMA:
        raise Unfit(f"{file}: schema is '{document.get('schema')}', expected {SCHEMA}")
    return document


def traced_again(document, options):
    """Traces the graph of needs.json again."""
    traced = trace(options.needs / "model.py", torch.device(options.device))
    if [node.name for node in traced.nodes] != document["nodes"]:
        raise Unfit(f"{options.needs}/needs.json: this PyTorch {torch.__version__} traces another graph than PyTorch "
                    f"{document['pytorch']} did; run 'kernelevolve needs' again")
    return traced


def replacements(document, traced, package):
    """Replacements by the package's operators, in the order of the needs."""
    needs = {need["name"]: need for need in document["needs"]}
    found = []
    for file in sorted(package.glob("operators/*/operator.json")):
        described = json.loads(file.read_text(encoding="utf-8"))
        if described["task"] in needs:
            one = Replacement(needs[described["task"]], described["symbol"])
            one.calls = [_call(traced, one, described, occurrence) for occurrence in one.need["occurrences"]]
            found.append(one)
    if not found:
        raise Unfit(f"{package}: no operator is of a task of needs.json; its tasks are "
                    f"{', '.join(need['name'] for need in document['needs'] if need['task']) or 'none'}")
    return sorted(found, key=lambda one: one.need["rank"])


def _call(traced, one, described, occurrence):
    """(replaced nodes, values taken, values given, a function of the texts of the taken values)."""
    nodes = {node.name: node for node in traced.nodes}
    places = {(place.kind, place.name): node for node, place in traced.places.items()}
    takes = [nodes[take["from"]] if take["kind"] == "value" else places[take["kind"], take["from"]]
             for take in occurrence["takes"]]
    own = [take["input"] for take in one.need["occurrences"][0]["takes"]]
    given = [tensor for tensor in described["tensors"] if not tensor["output"]]
    if len(given) != len(one.need["tensors"]) or sorted(sum(one.need["tensors"], [])) != sorted(own):
        raise Unfit(f"operator {one.symbol}: takes {len(given)} tensors, and need '{one.need['name']}' gives "
                    f"{len(one.need['tensors'])}; make its task anew with 'kernelevolve needs'")
    lengths = [str(one.need["constants"][axis["name"]]) for axis in described["axes"] if axis["tensor"] is None]

    def text(names):
        texts = dict(zip(own, names))
        inputs = [texts[held[0]] if len(held) == 1 else f"packed({', '.join(texts[name] for name in held)})"
                  for held in one.need["tensors"]]
        return f"{one.symbol}({', '.join([*inputs, *lengths])})"

    return ([nodes[name] for name in occurrence["nodes"]], takes, [nodes[name] for name in occurrence["gives"]], text)


def file_text(traced, kept, package, device):
    """Text of model_forward.py."""
    expected = ", ".join(f"({tuple(one.shape)!r}, {one.dtype})" if torch.is_tensor(one) else f"({one!r}, None)"
                         for one in traced.inputs)
    head = ('"""forward() of class Model in model.py, as it was traced, with operators of this package."""\n'
            "import torch\nimport torch.nn.functional as F\n\n")
    if kept:
        head += (f"from . import {', '.join(one.symbol for one in kept)}, whole_model\n\n"
                 "constants, packed = whole_model.constants(), whole_model.packed\n\n")
    head += f"EXPECTED = [{expected}]\nDEVICE = \"{device}\"\n\n"
    if not kept:
        return head + "forward = None\n"
    calls = [call for one in kept for call in one.calls]
    rows = "".join(f"    {row!r},\n" for row in traced_modules(traced.model, package.whole_model.kind_of))
    return (head + "# (path, class, settings, parameters and buffers) of each part of the model that was traced\n"
            f"MODULES = [\n{rows}]\n"
            "# hashes of tensors whose values kernels or forward() below have as constants\n"
            f"FIXED = {fixed_tensors(traced, calls, package.whole_model.digest)!r}\n\n\n" + forward_text(traced, calls))


def traced_modules(model, kind_of):
    """What the trace took from each module: [(path, class, {setting: value}, {tensor: (shape, dtype)})]."""
    own, usual, rows = type(model).__module__, vars(torch.nn.Module()), []
    for path, module in model.named_modules(remove_duplicate=False):
        settings = {"children": list(module._modules)}
        settings.update({name: value for name, value in vars(module).items() if name not in usual and literal(value)})
        tensors = {name: (tuple(one.shape), one.dtype)
                   for name, one in (module._parameters | module._buffers).items() if one is not None}
        rows.append((path, kind_of(module, own), settings, tensors))
    return rows


def literal(value):
    """True for values that their text gives, and that are equal to a copy."""
    if isinstance(value, (tuple, list)):
        return type(value) in (tuple, list) and all(map(literal, value))
    return type(value) in (bool, int, str, type(None), torch.dtype) or type(value) is float and math.isfinite(value)


def fixed_tensors(traced, calls, digest):
    """{name: hash} of the model's tensors that are constants of kernels, or of forward()."""
    used, found = set(), {}
    for nodes, takes, *_ in calls:
        used |= {node for one in nodes for node in one.all_input_nodes} - set(takes)
    for node, place in traced.places.items():
        if place.kind == "constant" or (place.kind == "buffer" and node in used):
            owner, _, leaf = place.name.rpartition(".")
            with contextlib.suppress(AttributeError):  # no tensor of the model: a number in forward()
                if torch.is_tensor(getattr(traced.model.get_submodule(owner), leaf)):
                    found[place.name] = digest(place.value)
    return found


def trial(traced, kept, options):
    """The model's function with some needs replaced; shares the model's parameters."""
    scope = {"__package__": options.package.name, "__name__": f"{options.package.name}.trial"}
    text = file_text(traced, kept, importlib.import_module(options.package.name), options.device)
    exec(compile(text, "model_forward.py", "exec"), scope)
    return lambda: scope["forward"](traced.model, *traced.inputs)


def differences(wanted, got):
    """(largest absolute difference, largest relative L2 difference, whether all are within the tolerance)."""
    most, relative, fits = 0.0, 0.0, True
    for left, right in zip(torch.utils._pytree.tree_leaves(wanted), torch.utils._pytree.tree_leaves(got)):
        if not left.is_floating_point():
            fits &= torch.equal(left, right)
            continue
        gap, norm = (right.double() - left.double()), float(left.double().norm())
        apart = float(gap.norm()) / (norm or 1.0)
        most, relative = max(most, float(gap.abs().max()) if gap.numel() else 0.0), max(relative, apart)
        fits &= apart <= TOLERANCE.get(left.dtype, OTHER_TOLERANCE)  # false for NaN
    return most, relative, bool(fits)


def try_alone(traced, one, options, clock, wanted):
    """Measures a need that is inserted alone."""
    try:
        function = trial(traced, [one], options)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            *one.difference, fits = differences(wanted, function())
    except Exception as error:
        one.reason = f"{type(error).__name__}: {error}".split("\n")[0]
        return
    if not fits:
        one.reason = f"outputs differ by {one.difference[1]:.1e} relative L2"
        return
    outside = [str(note.message) for note in caught if "not verified" in str(note.message)]
    if outside:
        one.reason = outside[0].partition(": ")[2].partition(",")[0]
        return
    times = in_turns(clock, {"eager": lambda: traced.model(*traced.inputs), "with": function}, ROUNDS)
    one.times = ratio(times["eager"], times["with"])
    if one.times[1] <= 1:
        one.reason = f"{one.times[0]:.2f}x of eager alone"


def keep_within(traced, found, options, wanted):
    """Keeps as many needs without objections as are within the tolerance together."""
    kept = [one for one in found if not one.reason]
    while kept:
        _, relative, fits = differences(wanted, trial(traced, kept, options)())
        if fits:
            break
        worst = max(kept, key=lambda one: one.difference[1])
        worst.reason = f"with the others outputs differ by {relative:.1e} relative L2"
        kept.remove(worst)
    return kept


def forms(model, inputs, package, gpu, fixed=()):
    """PyTorch's ways to run a model: ({form: a function of the inputs}, {form: why there is
    none}). fixed: tensors that its kernels have as constants."""
    makers = {"eager": lambda: model, "compiled": lambda: torch.compile(model)}
    if gpu:
        makers["CUDA graph"] = lambda: package.whole_model.captured(model, *inputs)
        makers["max-autotune"] = lambda: torch.compile(model, mode="max-autotune")  # in CUDA graphs
    if fixed:  # a compiled graph would not notice that their values change, so the original is compiled
        makers = {form: maker for form, maker in makers.items() if form not in ("compiled", "max-autotune")}
    made, missing = {}, {}
    for form, maker in makers.items():
        try:
            made[form] = maker()
            for _ in range(3):  # until everything is compiled and captured
                made[form](*inputs)
        except Exception as error:
            made.pop(form, None)
            missing[form] = f"{type(error).__name__}: {error}".strip().split("\n")[0]
    return made, missing


def write_constants(traced, package):
    tensors = {place.name: place.value for place in traced.places.values() if place.kind == "constant"}
    if tensors:
        torch.save(tensors, package / "model_constants.pt")


def measure_whole(traced, package, clock, wanted):
    """Times of the original and the replaced model in all forms, and the speedup between their
    fastest forms."""
    replaced = package.whole_model.load_model()
    replaced.load_state_dict(traced.model.state_dict())
    theirs, missing = forms(traced.model, traced.inputs, package, clock.gpu)
    fixed = getattr(importlib.import_module(f"{package.__name__}.model_forward"), "FIXED", ())
    ours, also_missing = forms(replaced, traced.inputs, package, clock.gpu, fixed)
    if fixed:
        also_missing["compiled"] = f"kernels have values of {', '.join(fixed)} as constants; the original is compiled"
    functions = theirs | {REPLACED[form]: function for form, function in ours.items()}
    *difference, fits = zip(*(differences(wanted, function(*traced.inputs)) for function in ours.values()))
    if not all(fits):
        raise Unfit(f"the replaced model's outputs differ by {max(difference[1]):.1e} relative L2 in one of its forms")
    times = in_turns(clock, {name: lambda call=call: call(*traced.inputs) for name, call in functions.items()},
                     LAST_ROUNDS)
    middle = {name: median_interval(found) for name, found in times.items()}
    best = min((REPLACED[form] for form in ours), key=lambda name: middle[name][0])
    return {"missing": missing | {REPLACED[form]: why for form, why in also_missing.items()},
            "max_abs": max(difference[0]), "relative_l2": max(difference[1]), "rounds": LAST_ROUNDS, "seconds": middle,
            "best": best, "best_of_original": min(theirs, key=lambda name: middle[name][0]),
            "over": {name: ratio(times[name], times[best]) for name in times if name != best}}


def _times_text(times):
    return f"{times[0]:.3f}x [{times[1]:.3f}, {times[2]:.3f}]" if times else "-"


def _rows(found):
    rows = [("need", "places", "share", "alone, over eager", "max abs", "relative L2", "result")]
    for one in found:
        apart = [f"{value:.1e}" for value in one.difference] or ["-", "-"]
        rows.append((one.need["name"], str(one.need["times"]), f"{100 * one.need['share']:.1f} %",
                     _times_text(one.times), *apart, f"left out: {one.reason}" if one.reason else "replaced"))
    return rows


def _whole_rows(whole):
    rows = [("model", "us", f"'{whole['best']}' is as fast")]
    for name, seconds in whole["seconds"].items():
        rows.append((name, "{:.1f} [{:.1f}, {:.1f}]".format(*(1e6 * one for one in seconds)),
                     _times_text(whole["over"].get(name, ()))))
    return rows


def _markdown(rows):
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:]]) + "\n"


def last_line(found, whole):
    over, rival = whole["over"], whole["best_of_original"]
    second = f"{_times_text(over['compiled'])} of compiled" if "compiled" in over else "compiled not measured"
    if rival not in ("eager", "compiled"):
        second += f", {_times_text(over[rival])} of the original's fastest form, {rival}"
    kept = ", ".join(one.need["name"] for one in found if not one.reason) or "nothing"
    out = ", ".join(f"{one.need['name']} ({one.reason})" for one in found if one.reason) or "nothing"
    return f"end to end: {_times_text(over['eager'])} of eager, {second}; {whole['best']}: {kept}; left out: {out}"


def readme_text(found, whole, options):
    threads = f", {options.threads} thread{'s' * (options.threads > 1)}" if options.device == "cpu" else ""
    return (f"\n## The model\n\n    model = {options.package.name}.load_model()\n\ngives the model of `model.py` in "
            "evaluation mode, an instance of its class, with operators in place of the\noperations that they compute "
            "(`model_forward.py`). Its parameters need no gradients; `requires_grad_()` makes them\ntrainable. The "
            "original `forward` runs in training mode, where a gradient is needed, under autocast and\n`torch.func`, "
            "and for inputs of other shapes, types or devices; and, with a warning, where a submodule is\nanother, "
            "has hooks or has other settings than when the model was traced. "
            f"Measured on the device `{options.device}`{threads}, models in turns, {whole['rounds']} rounds "
            f"({ROUNDS} for each need alone),\nmedians with 95 % intervals; outputs may differ from the original's by "
            f"{OTHER_TOLERANCE:.0e} relative L2, those of\nhalf types by 1e-02.\n\n"
            + _markdown(_rows(found)) + "\n" + _markdown(_whole_rows(whole))
            + f"\nLargest difference of outputs: {whole['max_abs']:.1e}, relative L2 {whole['relative_l2']:.1e}.\n"
            + "".join(f"Not measured: {form}: {why}.\n" for form, why in whole["missing"].items())
            + (GRAPH_NOTE.format(options.package.name) if options.device == "cuda" else "")
            + f"\n{last_line(found, whole)}\n")


def run(options):
    """Writes the model into the package, and prints the measurements."""
    options.package = options.package.resolve()
    document = read_needs(options.needs)
    device = torch.device(options.device)
    with device_threads(device, options.threads), torch.no_grad():
        traced = traced_again(document, options)
        sys.path.insert(0, str(options.package.parent))
        write_constants(traced, options.package)
        package = importlib.import_module(options.package.name)
        importlib.import_module(f"{options.package.name}.whole_model")
        found = replacements(document, traced, options.package)
        clock, wanted = Clock(device), traced.model(*traced.inputs)
        for one in found:
            try_alone(traced, one, options, clock, wanted)
        kept = keep_within(traced, found, options, wanted)
        shutil.copyfile(options.needs / "model.py", options.package / "model.py")
        text = file_text(traced, kept, package, options.device)
        (options.package / "model_forward.py").write_text(text, encoding="utf-8")
        whole = measure_whole(traced, package, clock, wanted)
    with open(options.package / "README.md", "a", encoding="utf-8") as file:
        file.write(readme_text(found, whole, options))
    if options.json:
        needs = [{"name": one.need["name"], "operator": one.symbol, "over_eager": list(one.times),
                  "max_abs": one.difference[0] if one.difference else None,
                  "relative_l2": one.difference[1] if one.difference else None, "left_out": one.reason}
                 for one in found]
        print(json.dumps({**whole, "needs": needs}, indent=1))
    else:
        print(table_text(_rows(found)) + "\n" + table_text(_whole_rows(whole)) + last_line(found, whole))
