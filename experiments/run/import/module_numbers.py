"""Draws inputs, runs a module in single and double precision, and derives the tolerance."""

import math
import time

import torch

from kernelevolve_reference import ModuleReference
from shape_formulas import evaluate
from task_file import FLOATS, Refused, Tolerance, rounded_up

FLT_MIN = 2.0 ** -126
LARGEST_TOLERANCE = 0.05
MARGIN = 8  # times the error of PyTorch's single precision


def _rows(shape):
    return (math.prod(shape[:-1]), shape[-1]) if shape else (1, 1)


def _floats(kind, shape, random):
    """Values drawn like the judge's; one_hot and sorted apply to the last dimension."""
    rows, row = _rows(shape)
    if kind == "normal":
        return torch.randn(shape, generator=random)
    if kind == "positive":
        return 2 * (1 - torch.rand(shape, generator=random))
    if kind == "constant":
        return torch.full(shape, 0.25 + 3.75 * torch.rand((), generator=random).item())
    if kind == "one_hot":
        values = torch.zeros(rows, row)
        places = torch.randint(0, row, (rows,), generator=random)
        values[torch.arange(rows), places] = 4 * torch.randn(rows, generator=random)
        return values.reshape(shape)
    steps = (1 - torch.rand(rows, row, generator=random)).cumsum(1)
    return ((steps - steps[:, -1:] / 2) * (8 / steps[:, -1:])).reshape(shape)


def draw(tensor, axes, case, random):
    shape = tensor.lengths(axes)
    if tensor.dtype in FLOATS:
        values = _floats(tensor.classes[case % len(tensor.classes)], shape, random) * 2.0 ** tensor.scale
        return values.to(getattr(torch, tensor.dtype))
    if tensor.dtype == "bool":
        return torch.randint(0, 2, shape, generator=random).bool()
    high = evaluate(tensor.high, axes)
    return torch.randint(tensor.low, high, shape, generator=random).to(getattr(torch, tensor.dtype))


def _row_errors(exact, single, trailing):
    """Largest error over |value| + rms of its row; a row is the trailing dimensions."""
    shape = list(exact.shape)
    row = math.prod(shape[max(0, len(shape) - trailing):])
    rows = exact.reshape(-1, row).double()
    excess = ((rows - single.reshape(rows.shape).double()).abs() - 4 * FLT_MIN).clamp(min=0)
    unit = rows.abs() + rows.pow(2).mean(1, keepdim=True).sqrt()
    return torch.where(excess > 0, excess / unit.clamp(min=1e-300), excess).max().item()


def _l2_error(exact, single):
    norm = exact.double().norm().item()
    return (exact.double() - single.double()).norm().item() / norm if norm > 0 else 0.0


class Errors:
    """Largest errors of single precision, for each definition of a row."""

    def __init__(self, rank):
        self.relative = [0.0] * max(1, rank)
        self.l2 = 0.0

    def copy(self):
        made = Errors(len(self.relative))
        made.relative, made.l2 = list(self.relative), self.l2
        return made

    def add(self, exact, single):
        for e, s in zip(exact, single):
            if not e.is_floating_point():
                if not torch.equal(e, s):
                    raise Refused("an integer output depends on the rounding of floating-point arithmetic")
                continue
            found = [_row_errors(e, s, trailing + 1) for trailing in range(len(self.relative))]
            self.relative = [max(pair) for pair in zip(self.relative, found)]
            self.l2 = max(self.l2, _l2_error(e, s))

    def tolerance(self):
        """Selects the shortest rows whose error is near that of the whole output: in short rows,
        cancellation may bring all values near zero, where rounding errors are relatively large."""
        enough = max(2 * self.relative[-1], 1e-5 / MARGIN)
        trailing, relative = next((i + 1, r) for i, r in enumerate(self.relative) if r <= enough)
        if MARGIN * max(relative, self.l2) > LARGEST_TOLERANCE:
            raise Refused(f"single precision is too inexact: relative error {max(relative, self.l2):.2g}")
        return Tolerance(rounded_up(max(1e-5, MARGIN * relative)), rounded_up(max(1e-5, MARGIN * self.l2)), trailing)


class Runner:
    """Runs the module of a task on drawn inputs, in either precision."""

    def __init__(self, problem, axes, tensors, packed):
        self.tensors = [t for t in tensors if t.role != "output"]
        self.axes = axes
        arguments = [t for t in tensors if t.role == "input"]
        names = iter(t.name for t in arguments)
        self.arguments = [name if name in axes.probe.constants else next(names) for name in axes.probe.arguments]
        self.packed = packed
        self.parameters = {p.name: p.dotted for p in tensors if p.role == "parameter"}
        if packed:
            self.parameters = {f"p{i}": p.name for i, p in enumerate(axes.probe.of("parameter"))}
        self.problem = problem
        self.seconds = math.inf

    def reference(self, lengths, dtype, seed):
        made = ModuleReference(self.problem.source, self.problem.filename, self.axes.constants, self.arguments,
                               self.parameters, self.axes.probe.constants, self.packed, dtype, seed)
        made.build(lengths)  # outside the measured time
        return made

    def drawn(self, lengths, seed, case=0, parameters=None):
        """Tensors in signature order; parameters may come from an earlier draw."""
        random = torch.Generator().manual_seed(seed)
        made = [draw(t, lengths, case, random) for t in self.tensors]
        if parameters is not None:
            count = sum(t.role == "input" for t in self.tensors)
            made = made[:count] + parameters[count:]
        return made

    def run(self, tensors, lengths, dtype=torch.float64, seed=0):
        """Outputs as a list."""
        given = [t.to(dtype) if t.is_floating_point() else t for t in tensors]
        reference = self.reference(lengths, dtype, seed)
        started = time.process_time()
        result = reference(*given, **lengths)
        if dtype is torch.float64:
            self.seconds = min(self.seconds, time.process_time() - started)
        return [result] if isinstance(result, torch.Tensor) else list(result)

    def add_errors(self, found, tensors, lengths):
        """Adds the errors of one draw; returns the outputs in double precision."""
        exact = self.run(tensors, lengths)
        if not all(torch.isfinite(e).all() for e in exact if e.is_floating_point()):
            raise Refused("results are not finite for random inputs")
        single = self.run(tensors, lengths, torch.float32)
        if not all(torch.isfinite(s).all() for s in single if s.is_floating_point()):
            raise Refused("results overflow in single precision for random inputs")
        found.add(exact, single)
        return exact


def differ(left, right, tolerance):
    """True if any output differs by more than the tolerance."""
    for a, b in zip(left, right):
        if not a.is_floating_point():
            if not torch.equal(a, b):
                return True
        elif _row_errors(a, b, tolerance.trailing) > tolerance.relative:
            return True
    return False


def check_determinism(runner, lengths, tensors, exact):
    """Refuses modules with random outputs."""
    again = runner.run(tensors, lengths, seed=1)
    if not all(torch.equal(a, b) for a, b in zip(exact, again)):
        raise Refused("outputs are random (dropout, or random constants of the constructor)")


def depends_on_inputs(runner, lengths, tensors, exact, tolerance):
    """True if other inputs with the same parameters change any output by more than the
    tolerance."""
    return any(differ(exact, runner.run(runner.drawn(lengths, seed, parameters=tensors), lengths), tolerance)
               for seed in (101, 102))


def safe_classes(runner, lengths, tolerance, candidates):
    """Classes of the floating inputs for which single precision stays within the tolerance."""
    inputs = [t for t in runner.tensors if t.role == "input" and t.dtype == "float32"]
    safe = []
    for kind in candidates:
        before = [t.classes for t in inputs]
        for t in inputs:
            t.classes = [kind]
        try:
            found = Errors(tolerance.trailing)
            runner.add_errors(found, runner.drawn(lengths, 7), lengths)
            if MARGIN / 2 * found.relative[-1] <= tolerance.relative:
                safe.append(kind)
        except Refused:
            pass
        for t, classes in zip(inputs, before):
            t.classes = classes
    return safe
