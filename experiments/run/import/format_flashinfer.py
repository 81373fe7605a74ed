"""Formats `flashinfer` and `sol`: a definition with its reference in Python, and workloads, one
JSON document per line.

FlashInfer-Bench keeps definitions/.../NAME.json and workloads/.../NAME.jsonl; SOL-ExecBench keeps
one folder per problem, with definition.json, workload.jsonl and, optionally, reference.py."""

import ast
import json
import linecache
import math
import re

from task_file import FLOATS, HALVES, Refused, TaskFile, TaskTensor, check_arguments, write_task_file

DTYPES = {"float32", "float64", "float16", "bfloat16", "int64", "int32", "int8", "uint8", "bool"}
RANDOM_INTEGERS = {"int8": (-128, 128), "uint8": (0, 256), "int32": (-1024, 1024), "int64": (-1024, 1024)}


def load():
    """Imports PyTorch before processes are forked."""
    import torch
    torch.set_num_threads(1)


def _is_definition(path):
    if path.suffix != ".json" or path.stat().st_size > 2 ** 22:
        return False
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        return False
    return isinstance(document, dict) and {"axes", "inputs", "outputs"} <= set(document)


def problem_files(path):
    if path.is_file():
        return [path]
    return sorted(p for p in path.rglob("*.json") if _is_definition(p))


def problem_name(path):
    return path.parent.name if path.stem == "definition" else path.stem


class Definition:
    """A definition, its reference and its workloads as read."""

    def __init__(self, path):
        document = read_json(path.read_text(encoding="utf-8"), path)
        missing = [key for key in ("name", "axes", "inputs", "outputs") if key not in document]
        if missing:
            raise Refused(f"{path.name} has no '{missing[0]}'")
        self.document, self.path = document, path
        self.axes, self.inputs, self.outputs = document["axes"], document["inputs"], document["outputs"]
        beside = path.parent / "reference.py"
        self.source = document.get("reference") or (beside.read_text(encoding="utf-8") if beside.exists() else "")
        if not self.source:
            raise Refused(f"{path.name} has no 'reference', and there is no reference.py beside it")
        self.workloads = self._workloads()
        if not self.workloads:
            raise Refused("there are no workloads")

    def _workloads(self):
        file = self._workload_file()
        lines = [line for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
        read = [read_json(line, f"{file.name}:{number}") for number, line in enumerate(lines, 1)]
        return [one["workload"] if "workload" in one else one for one in read]

    def _workload_file(self):
        if self.path.stem == "definition":
            places = [self.path.parent / "workload.jsonl"]
        else:
            name = f"{self.path.stem}.jsonl"
            places = [self.path.with_suffix(".jsonl")]
            for folder in self.path.parents:
                if (folder / "workloads").is_dir():
                    places += sorted((folder / "workloads").rglob(name))
                    break
        found = next((p for p in places if p.exists()), None)
        if found is None:
            raise Refused(f"there are no workloads: expected {places[0].name} beside {self.path.name} "
                          "or in a folder 'workloads'")
        return found

    def names(self, kind):
        return [name for name, axis in self.axes.items() if axis.get("type") == kind]


def read_json(text, where):
    try:
        return json.loads(text)
    except ValueError as error:
        raise Refused(f"{where} is not JSON: {error}") from error


def _expression_text(text, name):
    """Translates SOL's expression to the task's language, whose `/` divides integers."""
    allowed = (ast.Expression, ast.BinOp, ast.Name, ast.Load, ast.Constant, ast.Add, ast.Sub, ast.Mult, ast.FloorDiv)
    try:
        tree = ast.parse(text, mode="eval")
    except SyntaxError as error:
        raise Refused(f"axis '{name}' = {text} is no expression") from error
    if not all(isinstance(node, allowed) for node in ast.walk(tree)):
        raise Refused(f"axis '{name}' = {text}: tasks know + - * and // of integers and axes")
    return ast.unparse(tree).replace("//", "/")


def _axes(definition):
    """(constants, {expression axis: text}, varying names)."""
    constants = {name: definition.axes[name]["value"] for name in definition.names("const")}
    expressions = {name: _expression_text(definition.axes[name]["expression"], name)
                   for name in definition.names("expr")}
    return constants, expressions, definition.names("var")


def _shape(text, expressions):
    """An axis, a length, or the expression that an axis stands for."""
    made = str(text)
    for _ in range(len(expressions)):
        made = re.sub(r"[A-Za-z_]\w*", lambda m: f"({expressions[m[0]]})" if m[0] in expressions else m[0], made)
    return made[1:-1] if re.fullmatch(r"\([^()]*\)", made) else made


def _scalars(definition):
    """{argument: value} of arguments with the same number in all workloads."""
    found = {}
    for name in definition.inputs:
        given = [w["inputs"].get(name, {"type": "random"}) for w in definition.workloads]
        if all(one["type"] == "scalar" for one in given):
            values = {one["value"] for one in given}
            if len(values) > 1:
                raise Refused(f"input '{name}' has another value in each workload ({len(values)}); tasks have no "
                              "scalar arguments")
            found[name] = values.pop()
    return found


def _check_types(definition):
    for name, tensor in {**definition.inputs, **definition.outputs}.items():
        if tensor["dtype"] not in DTYPES:
            raise Refused(f"'{name}' is {tensor['dtype']}, a type that tasks do not have")


def _check_workloads(definition):
    for name, tensor in definition.inputs.items():
        kinds = {w["inputs"].get(name, {}).get("type", "random") for w in definition.workloads}
        if "safetensors" in kinds and tensor["dtype"] not in FLOATS:
            raise Refused(f"the integers of '{name}' come from a file; tasks draw their inputs")
    for constraint in definition.document.get("constraints") or []:
        raise Refused(f"the constraint '{constraint}' binds inputs or axes that a task draws on their own")


def _tensors(definition, expressions, constants):
    from module_axes import identifier
    taken = set(definition.axes)
    made = []
    for role, group in (("input", definition.inputs), ("output", definition.outputs)):
        for name, tensor in group.items():
            if name in constants:
                continue
            shape = [_shape(text, expressions) for text in tensor["shape"] or []]
            one = TaskTensor(role, identifier(name, taken), tensor["dtype"], shape, dotted=name)
            if role == "input":
                _choose_values(one)
            made.append(one)
    return made


def _choose_values(tensor):
    tensor.classes = ["normal"] if tensor.dtype in FLOATS else ["uniform"]
    if tensor.dtype in RANDOM_INTEGERS:
        low, high = RANDOM_INTEGERS[tensor.dtype]
        tensor.low, tensor.high = low, str(high)


def _custom_values(definition, module, tensors, lengths):
    """Scale and range of inputs from the definition's own function, at those lengths."""
    entry = definition.document.get("custom_inputs_entrypoint")
    kinds = {one["type"] for w in definition.workloads for one in w["inputs"].values()}
    if "custom" not in kinds:
        return
    if entry not in module:
        raise Refused(f"inputs are of type custom, and the reference has no function '{entry}'")
    import torch
    torch.manual_seed(0)
    given = module[entry](dict(lengths), torch.device("cpu"))
    for tensor in (t for t in tensors if t.role == "input"):
        values = given[tensor.dotted].double()
        low, high = float(values.min()), float(values.max())
        if tensor.dtype in RANDOM_INTEGERS:
            tensor.low, tensor.high = int(low), str(int(high) + 1)
        elif tensor.dtype in FLOATS and high > low:
            tensor.classes = ["positive"] if low >= 0 else ["normal"]
            tensor.scale = round(math.log2(float(values.pow(2).mean().sqrt())))


def _execute(source, filename):
    """Executes the reference and returns its names. Keeps the source available for compiling
    decorators."""
    names = {"__name__": "reference"}
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    exec(compile(source, filename, "exec"), names)
    if not callable(names.get("run")):
        raise Refused("the reference defines no function run")
    return names


def _tolerance(definition, runner, workloads, sizes):
    """The published tolerance where it tells right from wrong results, else a measured one."""
    from function_task import measured_tolerance
    from published_tolerance import is_usable, published_tolerance
    measured = measured_tolerance(runner, workloads, sizes)
    published = published_tolerance(definition.document, definition.workloads, definition.path)
    # A tolerance that tells right from wrong at small shapes may not at large ones.
    shapes = [n for n, role in workloads if role == "test"][-1:] + [n for n, role in workloads if role == "bench"]
    if published is None or not all(is_usable(published, runner, sizes.all_lengths(n)) for n in shapes):
        return measured, published
    published.trailing = measured.trailing
    return published, published


def _tolerance_text(tolerance, published):
    if published is None:
        return ""
    if tolerance is published:
        return " The tolerance is the published one."
    return (f" The published tolerance {published.text()} does not tell right from wrong results here; the task's is "
            "measured.")


def _category(path):
    """Group of SOL-ExecBench's problems, from the folder that holds theirs."""
    group = path.parent.parent.name
    level = re.fullmatch(r"L(\d)", group)
    return f"level {level[1]}" if level else group if group in ("Quant", "FlashInfer-Bench") else ""


def _description(definition, reduced, constants, scalars, tolerance_text):
    text = (definition.document.get("description") or f"{definition.document['name']}.").strip()
    text += " Computes what run() in reference.py returns, in double precision whatever it casts to."
    if scalars:
        text += " Fixed: " + ", ".join(f"{name} = {value!r}" for name, value in scalars.items()) + "."
    shorter = {name: value for name, value in constants.items() if value != definition.axes[name]["value"]}
    if shorter:
        text += " Reduced: " + ", ".join(f"{name} from {definition.axes[name]['value']} to {value}"
                                         for name, value in shorter.items()) + "."
    if reduced:
        text += " Published lengths are halved where the reference would take too long."
    text += (" Of the published workloads at most four, evenly from small to large, are bench shapes; quick others are"
             " test shapes.")
    return text + tolerance_text


def footer_text(arguments, outputs, scalars):
    from kernelevolve_reference import FOOTER
    return "\n".join(["", FOOTER, "from kernelevolve_reference import function_reference",
                      "reference = function_reference(run,", f"    arguments={arguments!r},",
                      f"    outputs={outputs!r},", *([f"    constants={scalars!r},"] if scalars else []), ")", ""])


def import_problem(path, name, origin, licence, folder):
    """Writes the task; returns columns of the report."""
    from function_task import FunctionRunner, FunctionSizes, chosen_workloads
    definition = Definition(path)
    _check_types(definition)
    _check_workloads(definition)
    constants, expressions, axes = _axes(definition)
    scalars = _scalars(definition)
    tensors = _tensors(definition, expressions, scalars)
    check_arguments(tensors, axes)
    names = _execute(definition.source, str(path.parent / "reference.py"))
    runner = FunctionRunner(names["run"], tensors, list(definition.inputs), scalars)
    sizes = FunctionSizes(runner, tensors, constants)
    sizes.reduce_constants(axes)
    least = sizes.least(axes)
    published = [{axis: int(w["axes"][axis]) for axis in axes} for w in definition.workloads]
    _custom_values(definition, names, tensors, {**sizes.constants, **sizes.reduced(published[-1], least)})
    workloads, reduced = chosen_workloads(published, sizes, least, name)
    tolerance, published = _tolerance(definition, runner, workloads, sizes)
    file = TaskFile(
        name=name, description=_description(definition, reduced, sizes.constants, scalars,
                                            _tolerance_text(tolerance, published)),
        op_type=definition.document.get("op_type") or "function", axes=axes, constants=sizes.constants, tensors=tensors,
        ranges={axis: (n, 2 ** 30) for axis, n in least.items()}, tolerance=tolerance, workloads=workloads,
        source=origin, licence=licence, category=_category(path), reference="reference.py",
        language="cuda" if any(t.dtype in HALVES for t in tensors) else "")
    footer = footer_text(list(definition.inputs), list(definition.outputs), scalars)
    write_task_file(file, folder, {"reference.py": definition.source.rstrip("\n") + "\n" + footer})
    smaller = reduced or sizes.constants != constants
    return dict(axes=str(len(axes)), tensors=str(len(tensors)), reduced="reduced" if smaller else "")
