"""Chooses the constants of a problem, or the lengths of its inputs, that become axes, their ranges, and all shapes over
them."""

import dataclasses
import keyword
import random
import re
import time

from input_sizes import input_sizes, place_of, sets_to_try, size_name
from kernelevolve_reference import constant_values
from shape_formulas import fit_measure, last_good
from task_file import Refused, first_of

SMALL = 8  # a smaller constant is an axis only if it is the length of an input
SAMPLES = 20  # lengths tried per axis
SECONDS = 12  # of the processor, for probes of one problem
MOST_TOLD = 3  # quantities whose failure is told
SLOW = 0.25  # a probe that takes longer reduces the number and length of further ones

RESERVED = set("""
alignas alignof and asm auto bool break case catch char class const constexpr continue default delete do double else
enum explicit export extern false float for friend goto half if inline int kernel long mutable namespace new not
nullptr operator or private protected public reference register return short signed sizeof static struct switch
template this throw true try typedef typename union unsigned using virtual void volatile while xor
min max ceil_div prepare global local constant read_only write_only
""".split()) | set(keyword.kwlist)  # Python evaluates expressions over axes


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
    constants: dict  # axis: constants of the module, or sizes of its inputs, that it replaces
    published: dict  # axis: published length
    ranges: dict  # axis: (least, greatest) length that works
    formulas: list  # one expression per measured length of the probe, see Probe.measures
    probe: object  # the tensors, at some lengths
    labels: list  # one identifier per tensor of the probe
    tried: str = ""  # where there is no axis: what was tried, and why it does not vary

    def values(self, lengths):
        """{constant or size: its length}."""
        return constant_values(self.constants, lengths)

    def texts(self):
        """[(tensor, identifier, [expression per dimension], expression of the integers' bound)]."""
        rest = iter(self.formulas)
        return [(t, label, [next(rest) for _ in t.shape], next(rest) if t.high else None)
                for t, label in zip(self.probe.tensors, self.labels)]


class AxisFinder:
    """reserved: names that no axis may have."""

    def __init__(self, problem, seed, reserved):
        self.problem = problem
        self.random = random.Random(seed)
        started = time.process_time()
        self.deadline = started + SECONDS
        self.base = problem.probe()
        if self.base is None:
            raise Refused(f"does not run: {problem.error}")
        pace = max(time.process_time() - started, 1e-4)
        self.reach = 4 if pace < SLOW and not problem.shortened else 1  # times the published length
        self.start = {**problem.constants, **problem.shortened}
        problem.slow = pace >= SLOW or bool(problem.shortened)
        if pace >= SLOW:
            pace = self._shrink(pace)
        self.samples = max(6, min(SAMPLES, int(SECONDS / 8 / pace)))
        self.known = {}
        taken = set()
        self.labels = [identifier(t.name, taken) for t in self.base.tensors]
        taken |= reserved
        self.constants = {identifier(name.lower(), taken): [name] for name in problem.constants}
        self.taken = taken
        self.sizes = input_sizes(self.base.tensors)
        self.searched, self.found = False, {}
        self.given_up = {}  # constants and sizes of axes that were left out later: why
        self.reasons = {}  # lengths that do not work: why

    def find(self, most):
        """Finds at most `most` axes, with formulas that hold for all of them together."""
        if not self.searched and most > 0:
            self.searched = True
            self._find_single()
            self._find_tied()
            self._find_sizes(self._sizes_to_find())
        while len(self.found) > most:
            self.found.pop(self._weakest(self.found))
        while True:
            axes, dropped = self._together()
            if axes is not None and self._stuck(axes):
                self._lengthen(self._stuck(axes))
            elif axes is not None:
                axes.tried = "" if self.found or not self.searched else self._tried()
                return self._checked(axes)
            else:
                self.found.pop(dropped)

    def _shrink(self, pace):
        """Starts from shorter lengths if their probes are faster, as for loops over time steps."""
        for name, length in sorted(self.start.items(), key=lambda item: -item[1]):
            if length < 4 * SMALL or pace < SLOW:
                continue
            shorter = {**self.start, name: max(SMALL, length // 16)}
            started = time.process_time()
            probe = self.problem.probe(shorter)
            took = time.process_time() - started
            if probe is not None and probe.structure() == self.base.structure() and took < 0.7 * pace:
                self.start, self.base, pace = shorter, probe, took
        return pace

    def _stuck(self, axes):
        """Constants that _shrink() made shorter and that are no axes."""
        replaced = {constant for constants in axes.constants.values() for constant in constants}
        published = {**self.problem.constants, **self.problem.shortened}
        return [name for name, length in self.start.items() if length != published[name] and name not in replaced]

    def _lengthen(self, names):
        """Starts anew with the published lengths of these constants."""
        self.start.update({name: self.problem.constants[name] for name in names})
        self.base = self.problem.probe(self.start)
        if self.base is None:
            raise Refused(f"does not run: {self.problem.error}")
        self.deadline = time.monotonic() + SECONDS
        points = {axis: self._points(axis) for axis in self.found}
        self.found = {axis: one for axis, one in points.items() if one is not None}

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

    def _sizes_to_find(self):
        """All lengths of the inputs where no axis shapes any; else lengths of dimension 0, mostly the batch, that none does."""
        shaped, index = set(), 0
        for tensor in self.base.of("input"):
            for dimension in range(len(tensor.shape)):
                if any(len({m[index + dimension] for m in points.values()}) > 1 for _, points in self.found.values()):
                    shaped.add(size_name(tensor.name, dimension))
            index += len(tensor.measures())
        return {name: length for name, length in self.sizes.items()
                if length > 0 and (not shaped or (name not in shaped and place_of(name)[1] == 0))}

    def _find_sizes(self, free):
        """Makes axes of the inputs' lengths: of each alone, or of equal lengths that must vary together."""
        ranks = {t.name: len(t.shape) for t in self.base.of("input")}
        in_order = sorted(free, key=lambda name: list(ranks).index(place_of(name)[0]))
        while free and time.process_time() < self.deadline:
            first, length = next(iter(free.items()))
            group = self._size_group(first, [n for n in free if n != first and free[n] == length], ranks)
            if group:
                group = [name for name in in_order if name in group]
                argument, dimension = place_of(group[0])
                axis = identifier(f"{argument}_dim{dimension}", self.taken)
                self.constants[axis] = group
                one = self._points(axis)
                if one is not None:
                    self.found[axis] = one
            for name in group or [first]:
                free.pop(name)

    def _size_group(self, first, others, ranks):
        """The least set of sizes with `first` that may vary, or None. Sizes of 1 vary together where they can, since an
        operation repeats a single element for any length of another input."""
        if self.sizes[first] == 1:
            same = [name for name in others if place_of(name)[1] == place_of(first)[1]]
            if same and self._grows([first, *same]):
                return [first, *same]
        if self._grows([first]):
            return [first]
        if not others:
            return None
        return next(([first, *some] for some in sets_to_try(first, others, ranks) if self._grows([first, *some])), None)

    def _grows(self, names):
        in_time = time.process_time() < self.deadline
        return in_time and self._works({name: self.sizes[name] + 1 for name in names}) is not None

    def _published(self, axis):
        first = self.constants[axis][0]
        return self.sizes[first] if first in self.sizes else self.problem.constants[first]

    def _start(self, axis):
        first = self.constants[axis][0]
        return self.sizes[first] if first in self.sizes else self.start[first]

    def _works(self, lengths):
        """Measures at these lengths, of axes or of sizes; None if the problem does not run or changes its form."""
        given = {axis: self.constants.get(axis, [axis]) for axis in lengths}
        values = {**self.start, **constant_values(given, lengths)}
        key = tuple(sorted(values.items()))
        if key not in self.known:
            probe = self.problem.probe(values)
            same = probe is not None and probe.structure() == self.base.structure()
            self.known[key] = probe.measures() if same and min(probe.measures(), default=1) > 0 else None
            self.reasons[key] = self.problem.error if probe is None else "gives outputs of another kind, or empty ones"
        return self.known[key]

    def _points(self, axis):
        """((least, greatest), {length: measures}) of a constant that can be an axis, or None."""
        published, start = self._published(axis), self._start(axis)
        shortened = any(name in self.problem.shortened for name in self.constants[axis])
        if time.process_time() > self.deadline or not self._varies(axis, start):
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
        return last_good(lambda length: self._works({axis: length}), good, end)

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
        """The axis to give up: the shortest, preferably no length of an input, and no dimension 0 of one."""
        inputs = [length for t in self.base.of("input") for length in t.shape]

        def value(axis):
            place = place_of(self.constants[axis][0])
            return (place is not None and place[1] == 0, self._start(axis) in inputs, self._published(axis))
        return min(axes, key=value)

    def give_up(self, axis, reason):
        """Leaves out an axis that find() chose, because the module does not run on values at other lengths."""
        self.found.pop(axis)
        self.given_up.update(dict.fromkeys(self.constants[axis], reason))

    def _tried(self):
        """Which quantities were tried as axes, and why each does not vary."""
        lengths = {**self.problem.constants, **self.sizes}
        texts = [f"{name} = {length} ({self._why_not(name, length)})" for name, length in lengths.items()]
        return f"no length varies: {first_of(texts, MOST_TOLD, '; ') or 'the inputs have no dimensions'}"

    def _why_not(self, name, length):
        if name in self.given_up:
            return self.given_up[name]
        more = self._works({name: length + 1}) if length and time.process_time() < self.deadline else ()
        if more is None:
            key = tuple(sorted({**self.start, name: length + 1}.items()))
            return f"{length + 1}: {self.reasons[key]}"
        if more == self.base.measures():
            return "shapes no tensor"
        return "no formula of it gives all shapes" if more else "not tried for lack of time"
