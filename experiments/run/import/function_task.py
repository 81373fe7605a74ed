"""Draws inputs for a function of tensors, runs it in either precision, and chooses lengths and
tolerance."""

import math
import time

import torch

from kernelevolve_reference import FunctionReference
from judge import Draws
from module_numbers import Errors, Runner, beyond_rounding, check_determinism, depends_on_inputs
from module_workloads import drawn_lengths, seed_of, test_lengths
from task_file import FLOATS, HALVES, Refused, Tolerance

MOST_ELEMENTS = 2 ** 26  # of all tensors at a bench workload
MOST_LEAST = 5 * 2 ** 22  # with every varying axis at its shortest
BENCH_SECONDS = 2.0  # of the reference
MEASURE_SECONDS = 8  # of processor time for the tolerance
MOST_BENCH = 4
MOST_TESTS = 4  # of published workloads
LEAST_HALF_TOLERANCE = 1e-3


class FunctionRunner(Runner):
    """Runs `function` on drawn inputs. constants: arguments that are not tensors."""

    def __init__(self, function, tensors, arguments, constants):
        self.function, self.arguments, self.constants = function, arguments, constants
        self.tensors = [t for t in tensors if t.role != "output"]
        self.outputs = [t for t in tensors if t.role == "output"]
        self.seconds, self.infinite, self.math, self.draws = math.inf, False, "float32", Draws()

    def reference(self, lengths, dtype, seed):
        names = [t.name for t in self.outputs]
        return FunctionReference(self.function, self.arguments, self.constants, names, dtype)

    def run(self, tensors, lengths, dtype=torch.float64, seed=0):
        """Returns the outputs as a list."""
        given = [t.to(dtype) if t.is_floating_point() else t.clone() for t in tensors]
        outputs = super().run(given, lengths, dtype, seed)
        self._check(outputs, lengths)
        return outputs

    def run_as_written(self, tensors, lengths, exact):
        own = self.reference(lengths, None, 0).as_written()(*[t.clone() for t in tensors])
        own = [own] if isinstance(own, torch.Tensor) else list(own)
        return [beyond_rounding(e, o, t.dtype) for e, o, t in zip(exact, own, self.outputs)]

    def kept_constants(self):
        return []

    def _check(self, outputs, lengths):
        if len(outputs) != len(self.outputs):
            raise Refused(f"run() returns {len(outputs)} outputs, the definition has {len(self.outputs)}")
        for value, tensor in zip(outputs, self.outputs):
            if list(value.shape) != tensor.lengths(lengths):
                raise Refused(f"output '{tensor.name}' of run() has shape {list(value.shape)}, "
                              f"the definition says {tensor.lengths(lengths)}")
            if value.is_floating_point() != (tensor.dtype in FLOATS):
                raise Refused(f"output '{tensor.name}' of run() is {str(value.dtype)[6:]}, "
                              f"the definition says {tensor.dtype}")


class Known:
    """A shape at which the reference runs."""
    largest = 0  # nothing is known of intermediate results


class FunctionSizes:
    """Measures the cost of the reference at given lengths of the varying axes."""

    slow = False

    def __init__(self, runner, tensors, constants):
        self.runner, self.tensors, self.problem = runner, tensors, self
        self.constants = dict(constants)
        self.known, self.error = {}, ""

    def all_lengths(self, lengths):
        return {**self.constants, **lengths}

    def elements(self, lengths):
        return sum(t.elements(self.all_lengths(lengths)) for t in self.tensors)

    def reduce_constants(self, axes):
        """Halves the longest constant axes until the tensors are small enough."""
        while self.elements(dict.fromkeys(axes, 1)) > MOST_LEAST:
            longest = max(self.constants, key=self.constants.get, default=None)
            if longest is None or self.constants[longest] < 2:
                raise Refused("its tensors are too large, and no axis reduces them")
            self.constants[longest] //= 2

    def probe(self, lengths):
        return Known() if self.elements(lengths) <= MOST_ELEMENTS and self.seconds(lengths) < math.inf else None

    def seconds(self, lengths):
        """Time of the reference; infinite if it does not run or gives no finite numbers."""
        key = tuple(lengths.values())
        if key not in self.known:
            self.known[key] = self._measured(lengths)
        return self.known[key]

    def _measured(self, lengths):
        lengths = self.all_lengths(lengths)
        tensors = self.runner.drawn(lengths, 1)
        started = time.process_time()
        try:
            outputs = self.runner.run(tensors, lengths)
        except Refused:
            raise
        except Exception as error:
            self.error = f"{type(error).__name__}: {error}".split("\n")[0]
            return math.inf
        if not all(torch.isfinite(o).all() for o in outputs if o.is_floating_point()):
            self.error = "results are not finite for random inputs"
            return math.inf
        return time.process_time() - started

    def least(self, axes):
        """{axis: shortest length at which the reference runs}."""
        made = {axis: 2 for axis in axes}
        base = next((dict.fromkeys(axes, n) for n in (8, 16, 64, 4, 2, 1)
                     if self.seconds(dict.fromkeys(axes, n)) < math.inf), None)
        if base is None:
            raise Refused(f"does not run in double precision: {self.error}")
        for axis in axes:
            made[axis] = next(n for n in (1, 2, 3, 4, 8, 16, 64) if self.seconds({**base, axis: n}) < math.inf)
        return made

    def reduced(self, lengths, least):
        """Halves the lengths until the reference is within its time limit.

        Starts short: a call at the full lengths might take minutes."""
        halvings = 0
        while any(n >> halvings > least[axis] for axis, n in lengths.items()):
            halvings += 1
        found = {axis: max(least[axis], n >> halvings) for axis, n in lengths.items()}
        for power in range(halvings, -1, -1):
            tried = {axis: max(least[axis], n >> power) for axis, n in lengths.items()}
            if self.elements(tried) > MOST_ELEMENTS or self.seconds(tried) > BENCH_SECONDS:
                break
            found = tried
        return found


def _spread(items, count):
    """At most `count` of the items, evenly spaced, including the last."""
    if len(items) <= count:
        return list(items)
    return [items[round((i + 1) * len(items) / count) - 1] for i in range(count)]


def chosen_workloads(published, sizes, least, name):
    """([(lengths, role)], whether published lengths were reduced).

    At most four published shapes, evenly spaced from small to large, are bench. Quick ones among
    the others are test, and the largest remaining one is validation. Further test, validation and
    holdout shapes are drawn."""
    if not least:
        return [({}, "bench")], False
    usable = []
    for lengths in published:
        reduced = sizes.reduced(lengths, least)
        if reduced not in usable:
            usable.append(reduced)
    usable.sort(key=sizes.elements)
    bench = _spread(usable, MOST_BENCH)
    rest = [n for n in usable if n not in bench]
    ranges = {axis: (n, 2 ** 30) for axis, n in least.items()}
    tests = [n for n in test_lengths(sizes, bench[-1], ranges) if n not in bench]
    quick = [n for n in rest if sizes.seconds(n) < 0.2 and sizes.elements(n) < MOST_LEAST]
    tests += [n for n in quick[:MOST_TESTS] if n not in tests]
    drawn, holdouts = drawn_lengths(sizes, bench[-1], ranges, seed_of(name), tests + usable)
    validation = next((n for n in reversed(rest) if n not in tests), drawn)
    roles = [(n, "test") for n in tests] + [(n, "bench") for n in bench]
    roles += [(validation, "validation")] if validation else []
    return roles + [(n, "holdout") for n in holdouts], any(n not in published for n in usable)


def measured_tolerance(runner, workloads, sizes):
    """A multiple of the largest error of the unmodified function, relative to double precision."""
    tensors = sizes.tensors
    if any(t.dtype == "float64" for t in tensors):
        raise Refused("float64: there is no more exact reference in Python to measure a tolerance by")
    found = Errors(max(len(t.shape) for t in tensors if t.role == "output"))
    tested = [n for n, role in workloads if role == "test" and sizes.seconds(n) < 0.5] or [workloads[0][0]]
    started = time.process_time()
    for seed, lengths in enumerate(tested):
        if time.process_time() - started > MEASURE_SECONDS:
            break
        lengths = sizes.all_lengths(lengths)
        drawn = runner.drawn(lengths, seed)
        exact = runner.add_errors(found, drawn, lengths)
    check_determinism(runner, lengths, drawn, exact)
    tolerance = found.tolerance()
    if any(t.dtype in HALVES for t in tensors):
        tolerance = Tolerance(max(tolerance.relative, LEAST_HALF_TOLERANCE), max(tolerance.l2, LEAST_HALF_TOLERANCE),
                              tolerance.trailing)
    if not depends_on_inputs(runner, lengths, drawn, exact, tolerance):
        raise Refused("outputs are constant whatever the inputs, within the tolerance")
    return tolerance
