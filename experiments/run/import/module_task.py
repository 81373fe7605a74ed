"""Makes a task from a PyTorch module: reference.py and task.yaml, without kernels.

The module is a KernelBench problem: a file with `class Model`, integer constants, get_inputs() and
get_init_inputs()."""

import dataclasses
import math

import torch

from kernelevolve_reference import FOOTER
from input_sizes import place_of
from module_axes import AxisFinder, identifier
from module_description import description, sizes_text
from module_numbers import Errors, Runner, check_determinism, constant_outputs, depends_on_inputs
from module_probe import Problem
from module_contents import choose_contents
from module_values import (Examples, choose_values, note_marks, scale_parameters, sensitive_scale, settle_ranges,
                           source_numbers)
from module_workloads import HostLimits, Sizes, drawn_lengths, flops_text, seed_of, test_lengths
from served_shapes import Served, served_shapes
from shape_formulas import last_good, product_text, sum_text
from task_file import BYTES, FLOATS, MOST_ARGUMENTS, Refused, TaskFile, TaskTensor, described, write_task_file

DRAWS = 3  # for the tolerance
MOST_ELEMENTS_IN_DOUBLE = 2 ** 27  # 1 GiB
MOST_BLAMED = 2 ** 24  # elements of a call that finds a wrong axis
CHECK_SECONDS = 1.0  # a slower module is not run at further lengths of its axes


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
    bench: dict = None  # or the largest of those served
    served: object = None  # served_shapes.Served, where there is a trace
    looked_at: dict = None  # bench, or lengths below it that a processor computes
    gpu_share: float = 0  # of this machine's GPU's memory that a judgement takes; 0 = none
    limits: object = None  # of the device: HostLimits or GpuLimits
    tests: list = ()
    validation: dict = None
    holdouts: list = ()
    tolerance: object = None  # module_numbers.Tolerance
    terms: int = 1  # of the longest sum, at bench
    operations: list = ()  # kinds, most work first, at bench
    flops: str = ""
    category: str = ""
    constant: list = ()  # outputs that are the same whatever the inputs
    infinite: bool = False  # an output is infinite for finite inputs
    finite: bool | None = None  # whether all results were finite in the first call

    def reduced(self):
        return not self.served and self.bench != self.axes.published


class WrongAxis(Exception):
    """The module does not run on values at other lengths of an axis."""

    def __init__(self, axis, reason):
        super().__init__(reason)
        self.axis = axis


def make_task(source, filename, name, origin="", licence="", op_type="module", mode="inference", cast=None,
              language="cpp", types=None, limits=None, trace=None, math="float32"):
    """Makes the task of a module's source; raises Refused if that is impossible.

    mode, cast: see module_reference(); math: see Problem. types: {language: types that its kernels take}, None where it does
    not matter. limits: of the device that judges it, HostLimits or GpuLimits. trace: path of a CSV file, see served_shapes.py."""
    seed = seed_of(name)
    problem = Problem(source, filename, mode, cast, math)
    problem.choose_devices()
    problem.examine()
    finder = AxisFinder(problem, seed, {"role", "weight"} | ({"count"} if trace else set()))  # keys of workloads and traces
    problem.hash_constants()
    refuse_types(problem, finder.base, language, types or {})
    _refuse_empty(finder.base)
    while True:
        try:
            return _made(Task(name, origin, licence, op_type), problem, finder, seed, limits or HostLimits(), trace)
        except WrongAxis as wrong:
            finder.give_up(wrong.axis, str(wrong))


def _made(task, problem, finder, seed, limits, trace):
    _choose_axes(task, finder, problem.state.apart())
    task.tensors = _tensors(task, problem)
    sizes = Sizes(problem, task.axes, task.tensors)
    task.runner = Runner(problem, task.axes, task.tensors)
    small = sizes.small(task.axes.published)
    scale_parameters(task, problem, small)
    _refuse_too_large(sizes, small)
    settle_ranges(task, small)
    note_marks(task, problem, small)
    _first_run(task, sizes, small)
    check_axes(task, small)
    task.limits = limits
    task.looked_at = _looked_at(task, sizes, small)
    if trace:
        task.served = served_shapes(trace, task.axes, sizes, limits)
        task.bench = max(task.served.lengths(), key=sizes.elements)
        if HostLimits().fits(sizes, task.bench):
            task.looked_at = task.bench
        if getattr(limits, "here", False):
            task.gpu_share = _share_of_gpu(task, sizes, task.bench)
    else:
        task.bench = task.looked_at if isinstance(limits, HostLimits) else _bench_of_gpu(task, sizes)
    counted = sizes.probe(task.bench)
    task.terms, task.operations = counted.terms, counted.operations
    scale_parameters(task, problem, task.bench)
    known = task.served.lengths() if task.served else [task.bench]
    task.tests = test_lengths(sizes, task.bench, task.axes.ranges, known) if task.axes.published else []
    if task.served and task.axes.published and not task.tests:
        task.tests = list(filter(None, [task.served.give_up_one()]))
    _measure(task, sizes, small)
    task.validation, task.holdouts = drawn_lengths(sizes, task.bench, task.axes.ranges, seed, task.tests + known, limits)
    found = flops_text(sizes, task.bench, task.axes.ranges, task.tensors, seed)
    task.flops = sum_text([product_text([found[0], *found[1]])]) if found else ""
    return task


def _refuse_empty(probe):
    for tensor in probe.tensors:
        if 0 in tensor.shape:
            raise Refused(f"{tensor.role} '{tensor.name}' has shape {list(tensor.shape)}: a tensor of a task has at least "
                          "one element")


def _choose_axes(task, finder, positive):
    """Axes, and whether parameters must be packed into one tensor for the limit of arguments."""
    base = finder.base
    others, parameters = len(base.of("input")) + len(base.of("output")), len(base.of("parameter"))
    axes = finder.find(MOST_ARGUMENTS) if others + parameters <= MOST_ARGUMENTS else None
    if axes is None or others + parameters + len(axes.published) > MOST_ARGUMENTS:
        task.packed = parameters > 1
        tensors = others + (len({_pack_of(t, positive) for t in base.of("parameter")}) if task.packed else parameters)
        if tensors > MOST_ARGUMENTS:
            raise Refused(f"{tensors} tensors; a kernel takes at most {MOST_ARGUMENTS} arguments")
        axes = finder.find(MOST_ARGUMENTS - tensors)
    task.axes = axes


def _dtype(tensor):
    name = str(tensor.dtype)[len("torch."):]
    if name not in BYTES:
        raise Refused(f"{tensor.role} '{tensor.name}' is {name}, a type that tasks do not have")
    return name


def refuse_types(problem, probe, language, types):
    """Refuses a tensor of a type that kernels of the language do not take."""
    own = {_dtype(t) for t in probe.tensors if t.role != "output"}
    for tensor in probe.tensors:
        name = _dtype(tensor)
        if name in types.get(language, [name]):
            continue
        others = [f"--language {other}" for other, names in types.items() if name in names]
        if problem.cast is None and name in FLOATS and name in own:
            others.append("--dtype float32")
        inside = "" if name in own else " (forward casts to it)"
        kind = "buffer" if tensor.name in problem.state.inputs else tensor.role
        raise Refused(f"{kind} '{tensor.name}' is {name}{inside}, which kernels in {language} do not take; import it "
                      f"with {' or '.join(others)}")


def _tensors(task, problem):
    made = []
    examples = Examples(problem, task.axes)
    for tensor, label, shape, high in task.axes.texts():
        one = TaskTensor(tensor.role, label, _dtype(tensor), shape, dotted=tensor.name, low=tensor.low)
        if tensor.role == "input":
            choose_values(one, examples, high)
            one.numbers = source_numbers(problem.source, one.dtype)
            one.high = _bound(one.high, task.axes)
        elif tensor.role == "parameter":
            one.high = high or ""
        made.append(one)
    if task.packed:
        made = _packed(made, problem.state.apart())
    return sorted(made, key=lambda t: ["input", "parameter", "output"].index(t.role))


def _bound(high, axes):
    """The integers' bound, or the length of an input where that equals it: the integers may be places in that input."""
    same = [axis for axis, names in axes.constants.items() if place_of(names[0]) and str(axes.published[axis]) == high]
    return f"min({', '.join([high, *same])})" if same else high


def _pack_of(tensor, positive):
    """Equal for parameters that lie in one tensor if they are too many."""
    return (tensor.dtype, tensor.name in positive) if tensor.dtype.is_floating_point else tensor.name


def _packed(tensors, positive):
    """One tensor for all parameters of a type, another for those named `positive`; integers stay by themselves."""
    made, groups = [], {}
    for tensor in tensors:
        if tensor.role == "parameter" and tensor.dtype in FLOATS:
            groups.setdefault((tensor.dtype, tensor.dotted in positive), []).append(tensor)
        else:
            made.append(tensor)
    taken = {t.name for t in tensors}
    for (dtype, is_positive), members in sorted(groups.items(), key=lambda item: item[0][1]):
        total = sum_text([product_text(t.shape) for t in members])
        name = identifier("positive_parameters" if is_positive else "parameters", taken)
        made.append(TaskTensor("parameter", name, dtype, [total], dotted=[t.dotted for t in members]))
    return made


def _refuse_too_large(sizes, small):
    if sizes.elements(small) > 2 ** 28:
        raise Refused(f"{sizes.elements(small)} elements at the least, and no axis to reduce them by")


def _first_run(task, sizes, small):
    """Times the reference, and refuses a module that does not run in double precision."""
    failure = _failure(task, small)
    if failure and small != task.axes.published:
        raise WrongAxis(_blamed(task, small), f"{sizes_text(small)}: {failure}")
    if failure:
        raise Refused(failure)
    if task.runner.seconds < 0.5:
        _failure(task, small)  # the first call takes longer
    sizes.calibrate(small, task.runner.seconds)


def _failure(task, lengths):
    """Why the module does not run on values at these lengths, or ''."""
    try:
        results = task.runner.run(task.runner.drawn(lengths, 1), lengths)
    except (Refused, MemoryError):
        raise
    except Exception as error:
        return f"does not run in double precision: {described(error, task.runner.problem.filename)}"
    outputs = [t for t in task.tensors if t.role == "output"]
    for output, result in zip(outputs, results):
        if list(result.shape) != output.lengths(lengths):
            return (f"output '{output.name}' has shape {list(result.shape)}, and {output.lengths(lengths)} for other values: "
                    "a shape must not depend on values")
    finite = [bool(torch.isfinite(result).all()) for result in results if result.is_floating_point()]
    if not all(finite) and task.finite:
        return f"results are not finite at {sizes_text(lengths)}"
    task.finite = task.finite if task.finite is not None else all(finite)
    return ""


def _blamed(task, small):
    """The axis that alone must have its published length, else the last one."""
    for axis, length in task.axes.published.items():
        lengths = {**small, axis: length}
        if sum(t.elements(lengths) for t in task.tensors) <= MOST_BLAMED and not _failure(task, lengths):
            return axis
    return list(task.axes.published)[-1]


def check_axes(task, small):
    """Runs the module on values at the least length and a middle one of each axis: shapes alone may be found without
    values. Raises a least length that does not work."""
    if task.runner.seconds > CHECK_SECONDS:
        return
    for axis, (low, high) in task.axes.ranges.items():
        other = small[axis] + 1 if small[axis] < high else small[axis] - 1
        failure = _failure(task, {**small, axis: other})
        if failure:
            raise WrongAxis(axis, f"{sizes_text({axis: other})}: {failure}")
        if _failure(task, {**small, axis: low}):
            least = last_good(lambda length: not _failure(task, {**small, axis: length}), min(small[axis], other), low)
            task.axes.ranges[axis] = (least, high)


def _bench_of_gpu(task, sizes):
    """Bench lengths for a GPU. On this machine's own GPU, the reference is run there too."""
    limits = task.limits
    bench = sizes.bench(task.axes.published, limits)
    while limits.here and not task.runner.runs_on_gpu(bench, limits.room(sizes, bench), limits.most_seconds,
                                                      limits.share(sizes, bench)):
        smaller = sizes.halved(bench)
        if smaller is None:
            raise Refused(f"the reference does not fit what {limits.text()}, and no axis reduces it")
        bench = smaller
    task.gpu_share = limits.share(sizes, bench) if limits.here else 0
    return bench


def _share_of_gpu(task, sizes, lengths):
    """Of the memory of this machine's GPU, where the reference runs at these lengths."""
    share = task.limits.share(sizes, lengths)
    if not task.runner.runs_on_gpu(lengths, task.limits.room(sizes, lengths), task.limits.most_seconds, share):
        raise Refused(f"--trace: the reference at {sizes_text(lengths)} does not fit what {task.limits.text()}")
    return share


def _looked_at(task, sizes, small):
    """Lengths that a processor computes: of bench, or below it. If they would be reduced, measures the time there for a new
    estimate: at short lengths a table of fixed length may take all of it."""
    of_host = isinstance(task.limits, HostLimits)
    limits = task.limits if of_host else HostLimits()
    try:
        bench = sizes.bench(task.axes.published, limits)
    except Refused:
        if of_host:
            raise
        return small
    for _ in range(4):
        if bench == task.axes.published:
            break
        before, task.runner.seconds = task.runner.seconds, math.inf
        task.runner.run(task.runner.drawn(bench, 1), bench)
        sizes.calibrate(bench, task.runner.seconds)
        task.runner.seconds = before
        longer = sizes.bench(task.axes.published, limits)
        if sizes.elements(longer) <= sizes.elements(bench):
            break
        bench = longer
    return bench


def _measure(task, sizes, small):
    """Tolerance, input classes for which it holds, and whether outputs depend on inputs."""
    runner = task.runner
    sensitive_scale(task, small)
    found = Errors(max(len(t.shape) for t in task.tensors if t.role == "output"), runner.float_outputs())
    draws = DRAWS if runner.seconds < 1 else 1
    for seed in range(draws):
        tensors = runner.drawn(small, seed)
        exact = runner.add_errors(found, tensors, small)
        if seed == 0:
            check_determinism(runner, small, tensors, exact)
    failures = []
    task.tests = [n for n in task.tests if _adds_test(runner, found, n, sizes.seconds(n), failures)]
    if not task.tests and task.axes.published:
        raise WrongAxis(list(task.axes.published)[-1], failures[0] if failures else "other lengths take too long")
    _add_bench(task, sizes, found)
    task.tolerance = _tolerance(task, found, small, tensors, exact)
    if not depends_on_inputs(runner, small, tensors, exact, task.tolerance):
        _check_dependence_at_bench(task, sizes)
    task.infinite = runner.infinite
    task.constant = constant_outputs(runner, small, exact, task.tolerance)
    choose_contents(task, small)


def _add_bench(task, sizes, found):
    """Errors of the bench shape, where sums are longest: a single sum of 10^8 terms in float32 is off by some thousandths."""
    if task.tests and sizes.elements(task.looked_at) <= MOST_ELEMENTS_IN_DOUBLE:
        task.runner.add_errors(found, task.runner.drawn(task.looked_at, 7), task.looked_at)


def _tolerance(task, found, small, tensors, exact):
    """Admits sums in order, unless the outputs change by little more than such a tolerance: means of very many values hardly
    do."""
    four_times = found.tolerance(16 * task.terms)
    admits = depends_on_inputs(task.runner, small, tensors, exact, four_times)
    return found.tolerance(task.terms if admits else 1)


def _check_dependence_at_bench(task, sizes):
    """Checks dependence at bench: outputs clamped at small lengths may vary at the lengths that
    scales are made for."""
    lengths = task.looked_at
    if sizes.elements(lengths) <= 2 ** 26 and sizes.seconds(lengths) <= 4:
        tensors = task.runner.drawn(lengths, 1)
        exact = task.runner.run(tensors, lengths)
        if depends_on_inputs(task.runner, lengths, tensors, exact, task.tolerance):
            return
    raise Refused("outputs are constant whatever the inputs, within the tolerance")


def _adds_test(runner, found, lengths, seconds, failures):
    if seconds > 0.5:
        return True
    before = found.relative, found.l2
    try:
        runner.add_errors(found, runner.drawn(lengths, 5), lengths)
        found.tolerance()
        return True
    except Exception as error:
        text = str(error) if isinstance(error, Refused) else described(error, runner.problem.filename)
        failures.append(f"at {sizes_text(lengths)}: {text}")
        found.relative, found.l2 = before
        return False


def footer_text(task):
    """Lines that turn the module file into a reference."""
    lines = [f"    {name}={value!r}," for name, value in task.runner.described().items()]
    return "\n".join(["", FOOTER, "from kernelevolve_reference import module_reference", "reference = module_reference(",
                      "    globals(),", *lines, ")", ""])


def task_file(task):
    """Content of task.yaml."""
    workloads = [(n, "test", 1) for n in task.tests]
    served = task.served or Served([(task.bench, 1)], [], [])
    drawn = Served([], [(task.validation, 1)] if task.validation else [], [(n, 1) for n in task.holdouts])
    for role in ("bench", "validation", "holdout"):
        workloads += [(n, role, count) for n, count in getattr(served, role) or getattr(drawn, role)]
    return TaskFile(
        name=task.name, description=description(task, task.runner.problem), op_type=task.op_type, source=task.source, licence=task.licence,
        category=task.category,
        axes=list(task.axes.published), ranges=task.axes.ranges, tensors=task.tensors, tolerance=task.tolerance,
        workloads=workloads, total_time=task.served is not None, tf32=task.runner.tf32, flops=task.flops, reference="reference.py",
        nonfinite="propagate" if task.infinite else "unspecified")


def write_task(task, source, folder):
    """Writes reference.py and task.yaml."""
    end = "" if source.endswith("\n") else "\n"
    write_task_file(task_file(task), folder, {"reference.py": source + end + footer_text(task)})
