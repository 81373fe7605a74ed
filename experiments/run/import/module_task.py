"""Makes a task from a PyTorch module: reference.py and task.yaml, without kernels.

The module is a KernelBench problem: a file with `class Model`, integer constants, get_inputs() and
get_init_inputs()."""

import dataclasses
import hashlib
import math

import torch

from kernelevolve_reference import FOOTER, build_model, default_dtype, parameter_places
from module_axes import AxisFinder, identifier
from module_numbers import Errors, Runner, check_determinism, depends_on_inputs, safe_classes
from module_probe import Problem
from module_workloads import Sizes, drawn_lengths, flops_text, test_lengths
from shape_formulas import product_text, sum_text
from task_file import MOST_ARGUMENTS, Refused, TaskFile, TaskTensor, write_task_file

DRAWS = 3  # for the tolerance
INTEGERS = {torch.int8: "int8", torch.uint8: "uint8", torch.int32: "int32", torch.int64: "int64", torch.bool: "bool"}


@dataclasses.dataclass
class Task:
    name: str
    source: str
    licence: str
    op_type: str
    axes: object = None  # module_axes.Axes
    tensors: list = ()
    runner: object = None
    packed: bool = False
    bench: dict = None
    tests: list = ()
    validation: dict = None
    holdouts: list = ()
    tolerance: object = None  # module_numbers.Tolerance
    flops: str = ""
    category: str = ""

    def reduced(self):
        return self.bench != self.axes.published


def make_task(source, filename, name, origin="", licence="", op_type="module"):
    """Makes the task of a module's source; raises Refused if that is impossible."""
    seed = int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "little")
    problem = Problem(source, filename)
    problem.choose_devices()
    task = Task(name, origin, licence, op_type)
    _choose_axes(task, problem, seed)
    task.tensors = _tensors(task, problem)
    sizes = Sizes(problem, task.axes, task.tensors)
    task.runner = Runner(problem, task.axes, task.tensors, task.packed)
    small = sizes.small(task.axes.published)
    _scale_parameters(task, problem, small)
    _refuse_too_large(sizes, small)
    _first_run(task, sizes, small)
    task.bench = _bench(task, sizes)
    _scale_parameters(task, problem, task.bench)
    task.tests = test_lengths(sizes, task.bench, task.axes.ranges) if task.axes.published else [{}]
    _measure(task, sizes, small)
    task.validation, task.holdouts = drawn_lengths(sizes, task.bench, task.axes.ranges, seed, task.tests + [task.bench])
    found = flops_text(sizes, task.bench, task.axes.ranges, task.tensors, seed)
    task.flops = sum_text([product_text([found[0], *found[1]])]) if found else ""
    return task


def _choose_axes(task, problem, seed):
    """Axes, and whether parameters must be packed into one tensor for the limit of arguments."""
    finder = AxisFinder(problem, seed)
    base = finder.base
    others, parameters = len(base.of("input")) + len(base.of("output")), len(base.of("parameter"))
    axes = finder.find(MOST_ARGUMENTS) if others + parameters < MOST_ARGUMENTS else None
    if axes is None or others + parameters + len(axes.published) > MOST_ARGUMENTS:
        task.packed = parameters > 1
        tensors = others + (1 if task.packed else parameters)
        if tensors > MOST_ARGUMENTS:
            raise Refused(f"{tensors} tensors; a kernel takes at most {MOST_ARGUMENTS} arguments")
        axes = finder.find(MOST_ARGUMENTS - tensors)
    task.axes = axes


def _dtype(tensor):
    if tensor.dtype.is_floating_point:
        return "float32"
    if tensor.dtype not in INTEGERS:
        raise Refused(f"{tensor.role} '{tensor.name}' is {str(tensor.dtype)[6:]}, a type that tasks do not have")
    return INTEGERS[tensor.dtype]


def _tensors(task, problem):
    made = []
    examples = _examples(problem, task.axes)
    for tensor, label, shape, high in task.axes.texts():
        one = TaskTensor(tensor.role, label, _dtype(tensor), shape, dotted=tensor.name)
        if tensor.role == "input":
            _choose_values(one, examples.get(tensor.name), high)
        made.append(one)
    if task.packed:
        made = _packed(made)
    return sorted(made, key=lambda t: ["input", "parameter", "output"].index(t.role))


def _packed(tensors):
    """One tensor that replaces all parameters."""
    parameters = [t for t in tensors if t.role == "parameter"]
    total = sum_text([product_text(t.shape) for t in parameters])
    name = identifier("parameters", {t.name for t in tensors})
    one = TaskTensor("parameter", name, "float32", [total], dotted="*")
    return [t for t in tensors if t.role != "parameter"] + [one]


def _examples(problem, axes):
    """The problem's own inputs at small lengths: {argument: tensor}."""
    sizes = Sizes(problem, axes, [TaskTensor(t.role, label, "", shape) for t, label, shape, _ in axes.texts()])
    lengths = sizes.reduced(axes.published, lambda n: sizes.elements(n) <= 2 ** 20)
    values = {c: lengths[axis] for axis, all_of in axes.constants.items() for c in all_of}
    torch.manual_seed(0)
    given = problem.load(values)["get_inputs"]()
    return dict(zip(axes.probe.arguments, given))


def _choose_values(tensor, example, high):
    if tensor.dtype == "float32":
        unit = bool(example.numel() and example.min() >= 0 and example.max() <= 1)
        tensor.classes = ["positive"] if unit else ["normal"]
    elif tensor.dtype == "bool":
        tensor.classes = ["uniform"]
    else:
        tensor.classes = ["uniform"]
        largest = int(example.max()) if example.numel() else 0
        tensor.low = min(0, int(example.min())) if example.numel() else 0
        tensor.high = high or str(2 ** max(largest, 1).bit_length())


def _scale_parameters(task, problem, lengths):
    """Classes and scales of parameters from the module's own initialisation."""
    if not any(t.role == "parameter" for t in task.tensors):
        return
    values = {c: lengths[axis] for axis, all_of in task.axes.constants.items() for c in all_of}
    names = problem.load(values)
    torch.manual_seed(0)
    with default_dtype(torch.float32), torch.no_grad():
        own = {name: p.detach() for name, p, _ in parameter_places(build_model(names))}
    for tensor in task.tensors:
        if tensor.role == "parameter":
            tensor.classes, tensor.scale = _distribution(own, tensor.dotted)


def _distribution(own, dotted):
    if dotted == "*":
        count = sum(p.numel() for p in own.values())
        weights = [p for p in own.values() if p.numel() and float(p.min()) != float(p.max())]
        square = sum(float(p.double().pow(2).sum()) for p in weights) / max(1, sum(p.numel() for p in weights))
        return ["normal"], (round(math.log2(square) / 2) if square and count else -3)
    values = own[dotted].double()
    low, high = float(values.min()), float(values.max())
    if low == high:
        return (["normal"], -3) if low == 0 else (["positive" if low > 0 else "normal"], round(math.log2(abs(low))))
    if low >= 0 and values.numel() > 4:
        return ["positive"], round(math.log2(float(values.mean())))
    deviation = float(values.std()) if values.numel() > 4 else float(values.abs().mean())
    return ["normal"], round(math.log2(deviation))


def _refuse_too_large(sizes, small):
    if sizes.elements(small) > 2 ** 28:
        raise Refused(f"{sizes.elements(small)} elements at the least, and no axis to reduce them by")


def _first_run(task, sizes, small):
    """Times the reference, and refuses a module that does not run in double precision."""
    try:
        drawn = task.runner.drawn(small, 1)
        task.runner.run(drawn, small)
        if task.runner.seconds < 0.5:
            task.runner.run(drawn, small)
    except Refused:
        raise
    except Exception as error:
        message = f"{type(error).__name__}: {error}".split("\n")[0]
        raise Refused(f"does not run in double precision: {message}") from error
    sizes.calibrate(small, task.runner.seconds)


def _bench(task, sizes):
    """Bench lengths. If they would be reduced, measures the time there for a new estimate: at short
    lengths a table of fixed length may take all of it."""
    bench = sizes.bench(task.axes.published)
    for _ in range(4):
        if bench == task.axes.published:
            break
        before, task.runner.seconds = task.runner.seconds, math.inf
        task.runner.run(task.runner.drawn(bench, 1), bench)
        sizes.calibrate(bench, task.runner.seconds)
        task.runner.seconds = before
        longer = sizes.bench(task.axes.published)
        if sizes.elements(longer) <= sizes.elements(bench):
            break
        bench = longer
    return bench


def _measure(task, sizes, small):
    """Tolerance, input classes for which it holds, and whether outputs depend on inputs."""
    runner = task.runner
    _sensitive_scale(task, small)
    found = Errors(max(len(t.shape) for t in task.tensors if t.role == "output"))
    draws = DRAWS if runner.seconds < 1 else 1
    for seed in range(draws):
        tensors = runner.drawn(small, seed)
        exact = runner.add_errors(found, tensors, small)
        if seed == 0:
            check_determinism(runner, small, tensors, exact)
    task.tests = [n for n in task.tests if _adds_test(runner, found, n, sizes.seconds(n))]
    if not task.tests:
        task.tests = [small]
    task.tolerance = found.tolerance()
    if not depends_on_inputs(runner, small, tensors, exact, task.tolerance):
        _check_dependence_at_bench(task, sizes)
    _add_classes(task, small)


def _check_dependence_at_bench(task, sizes):
    """Checks dependence at bench: outputs clamped at small lengths may vary at the lengths that
    scales are made for."""
    if sizes.elements(task.bench) <= 2 ** 26 and sizes.seconds(task.bench) <= 4:
        tensors = task.runner.drawn(task.bench, 1)
        exact = task.runner.run(tensors, task.bench)
        if depends_on_inputs(task.runner, task.bench, tensors, exact, task.tolerance):
            return
    raise Refused("outputs are constant whatever the inputs, within the tolerance")


def _adds_test(runner, found, lengths, seconds):
    if seconds > 0.5:
        return True
    before = found.copy()
    try:
        runner.add_errors(found, runner.drawn(lengths, 5), lengths)
        found.tolerance()
        return True
    except (Refused, RuntimeError, ValueError, IndexError):
        found.relative, found.l2 = before.relative, before.l2
        return False


def _sensitive_scale(task, small):
    """Raises the single scale of packed parameters until the outputs clearly depend on the inputs.

    One scale for all layers is too small for the first ones: biases would drown their signal."""
    packed = [t for t in task.tensors if task.packed and t.role == "parameter"]
    if not packed or task.runner.seconds > 10:
        return
    first = packed[0].scale
    slow = task.runner.seconds > 1
    for packed[0].scale in (first + 3, first + 5) if slow else (first, first + 3, first + 5):
        tensors = task.runner.drawn(small, 1)
        left = task.runner.run(tensors, small)
        right = task.runner.run(task.runner.drawn(small, 2, parameters=tensors), small)
        change = max((float((a - b).norm() / a.norm()) for a, b in zip(left, right) if a.is_floating_point()), default=1)
        if change > 0.05:
            return
    packed[0].scale = first


def _add_classes(task, small):
    inputs = [t for t in task.tensors if t.role == "input" and t.dtype == "float32"]
    if not inputs or task.runner.seconds > 1:
        return
    positive = all(t.classes == ["positive"] for t in inputs)
    more = ["normal"] if positive else ["constant", "one_hot", "sorted"]
    safe = safe_classes(task.runner, small, task.tolerance, more)
    for tensor in inputs:
        tensor.classes = tensor.classes + [kind for kind in safe if kind not in tensor.classes]


def footer_text(task):
    """Lines that turn the module file into a reference."""
    runner = task.runner
    axes = {axis: c[0] if len(c) == 1 else c for axis, c in task.axes.constants.items()}
    lines = [f"    axes={axes!r},", f"    inputs={runner.arguments!r},"]
    if runner.parameters:
        lines.append(f"    parameters={runner.parameters!r},")
    if task.axes.probe.constants:
        lines.append(f"    constants={task.axes.probe.constants!r},")
    if task.packed:
        lines.append("    packed=True,")
    return "\n".join(["", FOOTER, "from kernelevolve_reference import module_reference", "reference = module_reference(",
                      "    globals(),", *lines, ")", ""])


def _sizes_text(lengths):
    return ", ".join(f"{axis} {n}" for axis, n in lengths.items())


def description(task):
    text = (f"Computes what forward() of class Model in reference.py returns for the module as constructed, in "
            f"training mode, with the given parameters.")
    if not task.axes.published:
        text += " No length can vary, so one shape serves every role."
    elif task.reduced():
        text += f" The bench shape is reduced from the published {_sizes_text(task.axes.published)}."
    if task.packed:
        text += f" All parameters of the module lie in one tensor, one after the other: {_layout(task)}."
    return text


def _layout(task):
    """name, offset and shape of each parameter within the packed tensor."""
    parts, products = [], []
    for tensor, _, shape, _ in task.axes.texts():
        if tensor.role == "parameter":
            parts.append(f"{tensor.name} at {sum_text(products)} [{', '.join(map(str, shape))}]")
            products.append(product_text(shape))
    return "; ".join(parts)


def task_file(task):
    """Content of task.yaml."""
    workloads = [(n, "test") for n in task.tests] + [(task.bench, "bench"), (task.validation, "validation")]
    return TaskFile(
        name=task.name, description=description(task), op_type=task.op_type, source=task.source, licence=task.licence,
        category=task.category,
        axes=list(task.axes.published), ranges=task.axes.ranges, tensors=task.tensors, tolerance=task.tolerance,
        workloads=workloads + [(n, "holdout") for n in task.holdouts], flops=task.flops, reference="reference.py")


def write_task(task, source, folder):
    """Writes reference.py and task.yaml."""
    end = "" if source.endswith("\n") else "\n"
    write_task_file(task_file(task), folder, {"reference.py": source + end + footer_text(task)})
