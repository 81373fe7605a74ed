"""Chooses the values that the judge draws for the inputs and parameters of a module's task: classes, scales, ranges."""

import ast
import math
import struct

import torch

from input_sizes import place_of
from kernelevolve_reference import seed_generators, state_places
from module_integers import range_of_values, working_range
from module_workloads import Sizes
from shape_formulas import evaluate
from task_file import FLOATS, Refused, TaskTensor, described

SAMPLES = 4  # draws of get_inputs()
MOST_SAMPLED = 2 ** 21  # elements of a parameter, for its scale
MOST_NUMBERS = 8
MOST_MARKS = 4
WITHIN_RANGE = 2 ** 31
INTEGERS, TRUTH_VALUES = ["uniform", "zipf", "sequential", "constant"], ["uniform", "constant"]


class Examples:
    """What get_inputs() draws, at small and at published lengths."""

    def __init__(self, problem, axes):
        self.problem, self.axes = problem, axes
        sizes = Sizes(problem, axes, [TaskTensor(t.role, label, "", shape) for t, label, shape, _ in axes.texts()])
        self.small = sizes.reduced(axes.published, lambda n: sizes.elements(n) <= 2 ** 20)
        self.kept = {}

    def of(self, argument, published=False):
        """Several draws of one argument."""
        lengths = self.axes.published if published else self.small
        key = tuple(lengths.values())
        if key not in self.kept:
            self.kept[key] = [self._drawn(lengths, seed) for seed in range(SAMPLES)]
        return [one[argument] for one in self.kept[key]]

    def _drawn(self, lengths, seed):
        values = self.axes.values(lengths)
        seed_generators(seed)
        names = self.problem.load(values)
        with torch.no_grad():
            given, _ = self.problem.arguments(names, self.problem.model(names), values)
        return {name: value for name, value in zip(given.names, given.values) if torch.is_tensor(value)}


def choose_values(tensor, examples, high):
    """Of an input. high: expression of the integers' bound where it is known how they were drawn, else None."""
    if tensor.dtype in FLOATS:
        samples = [one.double() for one in examples.of(tensor.dotted)]
        first, tensor.scale = _of_floats(samples)
        tensor.classes = [first]
    elif tensor.dtype == "bool":
        tensor.classes = TRUTH_VALUES
    else:
        tensor.classes, tensor.high = INTEGERS, high
        if high is None:
            tensor.low, tensor.high = _range(examples, tensor.dotted)


def _of_floats(samples):
    """(first class, exponent of the scale)."""
    values = torch.cat([one.reshape(-1) for one in samples])
    if bool((values == -math.inf).any()) and bool(((values == -math.inf) | (values == 0)).all()):
        return "masked", 0
    values = values[torch.isfinite(values)]
    if not values.numel():
        return "normal", 0
    if bool(values.min() >= 0) and bool(values.max() > 0):
        if all(one.dim() and one.shape[-1] >= 8 and bool((one.diff(dim=-1) >= 0).all()) for one in samples):
            return "sorted", 0
        return "positive", _exponent(values.mean()) if values.max() > 2 else 0
    if all(one.dim() and one.shape[-1] >= 8 and bool((one.diff(dim=-1) > 0).all()) for one in samples):
        return "sorted", 0
    return "normal", _exponent(values.pow(2).mean().sqrt())


def _exponent(size):
    """Of two; 0 near 1, where drawn values have about that size as they are."""
    power = round(math.log2(float(size))) if size > 0 else 0
    return power if abs(power) > 1 else 0


def _range(examples, argument):
    """(low, expression of high) of integers whose origin is not known."""
    axes, problem = examples.axes, examples.problem
    lengths = {n for tensor in axes.probe.tensors for n in tensor.shape} | set(problem.constants.values())
    low, high = range_of_values(examples.of(argument, published=True), lengths)
    named = [axis for axis in axes.published if not place_of(axes.constants[axis][0])]
    same = [axis for axis in named if axes.published[axis] == high]
    counts = [f"{axis} + 1" for axis in named if axes.published[axis] + 1 == high]  # how many, from none to all
    return low, [*same, *counts, str(high)][0]


def settle_ranges(task, lengths):
    """Leaves of each integer input's range what the module runs with, also where all integers are the least or the largest."""
    for place, tensor in enumerate(task.runner.tensors):
        if tensor.role == "input" and tensor.dtype not in (*FLOATS, "bool"):
            _settle(task, lengths, place, tensor)


def note_marks(task, problem, lengths):
    """Integers outside the range that get_inputs() stores, such as -100 for targets that do not count, or 0 for padding."""
    examples = Examples(problem, task.axes)
    for tensor in task.runner.tensors:
        if tensor.role != "input" or tensor.dtype in (*FLOATS, "bool"):
            continue
        high = evaluate(tensor.high, examples.small)
        values = {value for one in examples.of(tensor.dotted) for value in one.unique().tolist()}
        marks = sorted(value for value in values if not tensor.low <= value < high)
        if 0 < len(marks) <= MOST_MARKS:
            tensor.marks = marks
            if not _runs_as_drawn(task, lengths):
                tensor.marks = ()


def _settle(task, lengths, place, tensor):
    high, error = evaluate(tensor.high, lengths), []

    def works(value):
        return _runs(task, lengths, place, value, error)

    found = working_range(works, tensor.low, high)
    marked = tensor.low < 0 and not (found == (tensor.low, high) and _runs_as_drawn(task, lengths))
    if marked and working_range(works, 0, high):  # such as -100 for targets that do not count
        tensor.low, found = 0, working_range(works, 0, high)
    ends = _axis_that_ends(task, lengths, place, error) if tensor.high.isdigit() else None
    if ends and found:
        tensor.high = ends
        return
    if found == (tensor.low, high):
        return
    if found is None or found[1] == tensor.low + 1:
        if _runs_as_drawn(task, lengths):
            return  # values that are all equal are what it does not take: the check leaves them out
        raise Refused(f"input '{tensor.name}': get_inputs() gives integers from {tensor.low} to {high - 1}, and forward does "
                      f"not run with others of that range in their places ({error[0]}): make it a buffer, or draw it with "
                      "torch.randint")
    tensor.high = str(found[1]) if tensor.high.isdigit() else f"min({tensor.high}, {found[1]})"


def _axis_that_ends(task, lengths, place, error):
    """The axis, or one more than it, from which on the module does not run, at these lengths and at one less; else None."""
    for axis, length in lengths.items():
        if length <= task.axes.ranges[axis][0]:
            continue
        shorter = {**lengths, axis: length - 1}
        for more in (0, 1):
            if all(_runs(task, here, place, here[axis] - 1 + more, error) and not _runs(task, here, place, here[axis] + more, error)
                   for here in (lengths, shorter)):
                return f"{axis} + 1" if more else axis
    return None


def _runs_as_drawn(task, lengths):
    try:
        return bool(task.runner.run(task.runner.drawn(lengths, 1), lengths))
    except Exception:
        return False


def _runs(task, lengths, place, value, error):
    tensors = task.runner.drawn(lengths, 1)
    for other, tensor in enumerate(task.runner.tensors):
        if tensor.role == "input" and tensor.high and other != place:
            tensors[other].fill_(tensor.low)
    tensors[place].fill_(value)
    try:
        task.runner.run(tensors, lengths)
        return True
    except Exception as failed:
        error.append(described(failed, task.runner.problem.filename))
        return False


def source_numbers(source, dtype):
    """Numbers in the bodies of classes and functions that kernels may compare with, as far as the type holds them."""
    found = []
    for node in ast.parse(source).body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and node.name not in ("get_inputs", "get_init_inputs"):
            found += [number for part in ast.walk(node) for number in _numbers(part)]
    floats = dtype in FLOATS
    usable = [n for n in dict.fromkeys(found) if (isinstance(n, int) or floats) and abs(n) < WITHIN_RANGE and _exact(n, dtype)]
    return [float(n) if floats else n for n in usable][:MOST_NUMBERS]


def _numbers(node):
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        yield node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield from (-one for one in _numbers(node.operand))


def _exact(number, dtype):
    if dtype == "float32":
        return struct.unpack("f", struct.pack("f", number))[0] == number
    return dtype not in FLOATS or float(torch.tensor(number, dtype=getattr(torch, dtype))) == number


def scale_parameters(task, problem, lengths):
    """Classes and scales of parameters from the module's own initialisation."""
    if not any(t.role == "parameter" for t in task.tensors):
        return
    seed_generators(0)
    with torch.no_grad():
        model = problem.model(problem.load(task.axes.values(lengths)))
        own = {place.name: place.tensor.detach() for place in state_places(model)}
    for tensor in task.tensors:
        if tensor.role != "parameter":
            continue
        if tensor.dtype in FLOATS:
            first, tensor.scale = _distribution(own, tensor.dotted, problem.state.positive)
            tensor.classes = [first]
        else:
            tensor.classes = TRUTH_VALUES if tensor.dtype == "bool" else INTEGERS


def _distribution(own, dotted, positive):
    if isinstance(dotted, list):
        packed = [own[name] for name in dotted]
        if set(dotted) <= set(positive):
            return "positive", round(math.log2(max(float(_sample(p).double().mean()) for p in packed)))
        count = sum(p.numel() for p in packed)
        weights = [p for p in packed if p.numel() and float(p.min()) != float(p.max())]
        square = sum(float(_sample(p).double().pow(2).mean()) * p.numel() for p in weights) / max(1, sum(p.numel() for p in weights))
        return "normal", (round(math.log2(square) / 2) if square and count else -3)
    values = own[dotted]
    low, high = float(values.min()), float(values.max())
    if low == high:
        return ("normal", -3) if low == 0 else ("positive" if low > 0 else "normal", round(math.log2(abs(low))))
    values = _sample(values).double()
    if dotted in positive:
        return "positive", round(math.log2(float(values.mean())))
    deviation = float(values.std()) if values.numel() > 4 else float(values.abs().mean())
    return "normal", round(math.log2(deviation))


def _sample(values):
    """At most some MOST_SAMPLED of the elements. The step is odd, so that it passes through all columns of the usual lengths."""
    step = values.numel() // MOST_SAMPLED
    return values.reshape(-1)[::step | 1] if step > 1 else values


def sensitive_scale(task, small):
    """Raises the single scale of packed parameters until the outputs clearly depend on the inputs.

    One scale for all layers is too small for the first ones: biases would drown their signal."""
    packed = [t for t in task.tensors if isinstance(t.dotted, list) and t.classes[0] == "normal"]
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
