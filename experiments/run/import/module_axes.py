"""Chooses the constants of a problem that become axes, their ranges, and all shapes over them."""

import dataclasses
import random
import re
import time

from kernelevolve_reference import constant_values
from shape_formulas import fit_measure
from task_file import Refused

SMALL = 8  # a smaller constant is an axis only if it is the length of an input
SAMPLES = 20  # lengths tried per axis
SECONDS = 12  # for probes of one problem
SLOW = 0.25  # a probe that takes longer reduces the number and length of further ones

RESERVED = set("""
alignas alignof and asm auto bool break case catch char class const constexpr continue default delete do double else
enum explicit export extern false float for friend goto half if inline int kernel long mutable namespace new not
nullptr operator or private protected public reference register return short signed sizeof static struct switch
template this throw true try typedef typename union unsigned using virtual void volatile while xor
min max ceil_div prepare global local constant read_only write_only
""".split())


def identifier(name, taken):
    """Makes a C identifier from the name, unique among `taken`, and adds it there."""
    stem = re.sub(r"\W+", "_", name).strip("_") or "tensor"
    stem = f"t_{stem}" if stem[0].isdigit() else stem
    made = stem if stem not in RESERVED else stem + "_"
    number = 2
    while made in taken:
        made, number = f"{stem}_{number}", number + 1
    taken.add(made)
    return made


@dataclasses.dataclass
class Axes:
    constants: dict  # axis: constants of the module that it replaces
    published: dict  # axis: published length
    ranges: dict  # axis: (least, greatest) length that works
    formulas: list  # one expression per measured length of the probe, see Probe.measures
    probe: object  # the tensors, at some lengths
    labels: list  # one identifier per tensor of the probe

    def texts(self):
        """[(tensor, identifier, [expression per dimension], expression of the integers' bound)]."""
        rest = iter(self.formulas)
        return [(t, label, [next(rest) for _ in t.shape], next(rest) if t.high else None)
                for t, label in zip(self.probe.tensors, self.labels)]


class AxisFinder:
    def __init__(self, problem, seed):
        self.problem = problem
        self.random = random.Random(seed)
        started = time.monotonic()
        self.deadline = started + SECONDS
        self.base = problem.probe()
        if self.base is None:
            raise Refused(f"does not run: {problem.error}")
        pace = max(time.monotonic() - started, 1e-4)
        self.reach = 4 if pace < SLOW and not problem.shortened else 1  # times the published length
        self.start = {**problem.constants, **problem.shortened}
        problem.slow = pace >= SLOW or bool(problem.shortened)
        if pace >= SLOW:
            pace = self._shrink(pace)
        self.samples = max(6, min(SAMPLES, int(SECONDS / 8 / pace)))
        self.known = {}
        taken = set()
        self.labels = [identifier(t.name, taken) for t in self.base.tensors]
        self.constants = {identifier(name.lower(), taken): [name] for name in problem.constants}
        self.found = {}

    def find(self, most):
        """Finds at most `most` axes, with formulas that hold for all of them together."""
        if not self.found:
            self._find_single()
            self._find_tied()
        while len(self.found) > most:
            self.found.pop(self._weakest(self.found))
        while True:
            axes, dropped = self._together()
            if axes is not None:
                return self._checked(axes)
            self.found.pop(dropped)

    def _shrink(self, pace):
        """Starts from shorter lengths if their probes are faster, as for loops over time steps."""
        for name, length in sorted(self.start.items(), key=lambda item: -item[1]):
            if length < 4 * SMALL or pace < SLOW:
                continue
            shorter = {**self.start, name: max(SMALL, length // 16)}
            started = time.monotonic()
            probe = self.problem.probe(shorter)
            took = time.monotonic() - started
            if probe is not None and probe.structure() == self.base.structure() and took < 0.7 * pace:
                self.start, self.base, pace = shorter, probe, took
        return pace

    def _checked(self, axes):
        """Requires a shortened constant to be an axis, because its published length was never
        probed."""
        replaced = {constant for constants in axes.constants.values() for constant in constants}
        if not set(self.problem.shortened) <= replaced:
            raise Refused("takes too long to run without data")
        return axes

    def _find_single(self):
        for axis in self.constants:
            one = self._points(axis)
            if one is not None:
                self.found[axis] = one

    def _find_tied(self):
        """Merges constants that only work with equal values into one axis."""
        alone = [axis for axis in self.constants
                 if axis not in self.found and self._works({axis: self._start(axis) + 1}) is None]
        for axis in alone:
            same = [other for other in alone if self._published(other) == self._published(axis)]
            if len(same) < 2 or axis != same[0] or self._published(axis) < SMALL:
                continue
            before = self.constants[axis]
            self.constants[axis] = [self.constants[other][0] for other in same]
            one = self._points(axis)
            if one is None:
                self.constants[axis] = before
            else:
                self.found[axis] = one

    def _published(self, axis):
        return self.problem.constants[self.constants[axis][0]]

    def _start(self, axis):
        return self.start[self.constants[axis][0]]

    def _works(self, lengths):
        """Measures at these lengths; None if the problem does not run or changes its form."""
        values = {**self.start, **constant_values({axis: self.constants[axis] for axis in lengths}, lengths)}
        key = tuple(sorted(values.items()))
        if key not in self.known:
            probe = self.problem.probe(values)
            same = probe is not None and probe.structure() == self.base.structure()
            self.known[key] = probe.measures() if same and min(probe.measures(), default=1) > 0 else None
        return self.known[key]

    def _points(self, axis):
        """((least, greatest), {length: measures}) of a constant that can be an axis, or None."""
        published, start = self._published(axis), self._start(axis)
        shortened = any(name in self.problem.shortened for name in self.constants[axis])
        if time.monotonic() > self.deadline or not self._varies(axis, start):
            return None
        least = self._bisect(axis, start, 1)
        greatest = 4 * start if shortened else self._bisect(axis, start, self.reach * published)
        lengths = {self.random.randint(least, greatest) for _ in range(self.samples // 2)}
        lengths |= {min(start + i, greatest) for i in range(self.samples // 2)}
        lengths |= {least, start, greatest}
        points = {length: self._works({axis: length}) for length in sorted(lengths)}
        if any(measures is None for measures in points.values()):
            return None
        return ((least, greatest), points) if self._is_length(published, points) else None

    def _varies(self, axis, published):
        """True if the next and a shorter length work and change shapes."""
        more = self._works({axis: published + 1})
        if more is None or more == self.base.measures():
            return False
        less = [self._works({axis: n}) for n in {published // 2, published * 3 // 4} if n >= 1]
        return not less or any(m is not None and m != self.base.measures() for m in less)

    def _bisect(self, axis, good, end):
        """Finds the working length nearest to `end`; all between it and `good` should work."""
        if self._works({axis: end}):
            return end
        bad = end
        while abs(good - bad) > 1:
            middle = (good + bad) // 2
            good, bad = (middle, bad) if self._works({axis: middle}) else (good, middle)
        return good

    def _is_length(self, published, points):
        """True if some tensor has a dimension of exactly this length."""
        index = 0
        for tensor in self.base.tensors:
            for dimension in range(len(tensor.measures())):
                exact = all(measures[index] == length for length, measures in points.items())
                wide = published >= SMALL and (tensor.role != "parameter" or dimension < 2)
                if exact and dimension < len(tensor.shape) and (tensor.role == "input" or wide):
                    return True
                index += 1
        return False

    def _together(self):
        """(axes, None), or (None, the axis to give up)."""
        base = {axis: self._start(axis) for axis in self.found}
        published = {axis: self._published(axis) for axis in self.found}
        ranges = {axis: interval for axis, (interval, _) in self.found.items()}
        if not self._raise_corner(ranges):
            return None, self._weakest(self.found)
        samples = self._samples(base, ranges)
        if samples is None:
            return None, self._weakest(self.found)
        formulas = []
        for index in range(len(self.base.measures())):
            text, used = fit_measure(samples, base, index)
            if text is None:
                return None, self._weakest(used)
            formulas.append(text)
        constants = {axis: self.constants[axis] for axis in base}
        return Axes(constants, published, ranges, formulas, self.base, self.labels), None

    def _samples(self, base, ranges):
        """[(lengths, measures)]: each axis alone, then all together; None if one fails."""
        samples = [({**base, axis: length}, measures)
                   for axis, (_, points) in self.found.items() for length, measures in points.items()]
        samples.append((base, self.base.measures()))
        for _ in range(max(3, self.samples // 2) if base else 0):
            lengths = {axis: self.random.randint(*interval) for axis, interval in ranges.items()}
            measures = self._works(lengths)
            if measures is None:
                return None
            samples.append((lengths, measures))
        return samples

    def _raise_corner(self, ranges):
        """Raises the least lengths until they work together: batch statistics need two values."""
        corner = {axis: low for axis, (low, _) in ranges.items()}
        if not ranges or self._works(corner):
            return True
        for length in (2, 3, 4, 8, 16):
            for axis, (low, high) in ranges.items():
                if low < length <= high and self._works({**corner, axis: length}):
                    ranges[axis] = (length, high)
                    return True
        corner = {axis: min(high, max(low, 16)) for axis, (low, high) in ranges.items()}
        if not self._works(corner):
            return False
        ranges.update({axis: (corner[axis], high) for axis, (_, high) in ranges.items()})
        return True

    def _weakest(self, axes):
        """The axis to give up: the shortest, preferably no length of an input."""
        inputs = [length for t in self.base.of("input") for length in t.shape]
        return min(axes, key=lambda axis: (self._start(axis) in inputs, self._published(axis)))
