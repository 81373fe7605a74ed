"""Chooses the lengths for testing, optimising and checking a task."""

import hashlib
import itertools
import math
import random

from shape_formulas import evaluate
from task_file import BYTES, Refused

SECONDS = 2.0  # of the reference at the bench workload
FEW_SHAPES = 256
SMALL = 2 ** 14  # elements of all tensors of a test workload: small ones are judged with special rows (fitness/host/check.cpp)
LARGER = 2 ** 17  # of the last test workload


class HostLimits:
    """What a reference on a processor may take at the bench workload."""
    ELEMENTS = 2 ** 27  # of all tensors
    RESULT = 2 ** 28  # elements of one intermediate result

    def __init__(self, seconds=None):
        self.most_seconds = seconds or SECONDS

    def text(self):
        return f"a processor computes in {self.most_seconds:g} s"

    def seconds(self, sizes, lengths):
        return sizes.seconds(lengths)

    def fits(self, sizes, lengths, slack=1.0):
        return (sizes.elements(lengths) <= self.ELEMENTS and sizes.probe(lengths) is not None
                and sizes.probe(lengths).largest <= self.RESULT and sizes.seconds(lengths) <= slack * self.most_seconds)

    def refusal(self, sizes, lengths):
        if sizes.elements(lengths) > 4 * self.ELEMENTS or sizes.probe(lengths).largest > 4 * self.RESULT:
            return f"{sizes.elements(lengths)} elements, and no axis to reduce them by"
        if sizes.seconds(lengths) > 10 * self.most_seconds:
            return f"the reference takes about {sizes.seconds(lengths):.0f} s, and no axis reduces it"
        return ""


class GpuLimits:
    """What a judgement on a GPU of so many bytes may take: the tensors of a call and scratch [fitness/gpu/gpu_evaluator.cpp], one
    content with expected outputs in double precision, and the reference as it computes them."""
    MOST_OF_TENSOR = 2 ** 32 - 1  # elements
    FLOPS, ELEMENTS = 1e12, 1e11  # a second in double precision, of a GPU that is not made for it

    def __init__(self, memory, seconds=None, here=False):
        self.memory, self.most_seconds, self.here = memory, seconds or SECONDS, here  # here: this machine has it

    def text(self):
        return f"a GPU of {self.memory / 2 ** 30:.0f} GiB judges, with {self.most_seconds:g} s for the reference"

    def room(self, sizes, lengths):
        """Bytes that are left for the reference."""
        return self.memory - self.bytes(sizes, lengths) + self._of_reference(sizes, lengths)

    def share(self, sizes, lengths):
        """Of the memory that a judgement takes."""
        return self.bytes(sizes, lengths) / self.memory

    def _of_reference(self, sizes, lengths):
        return 8 * (sizes.elements(lengths) + 2 * sizes.probe(lengths).largest)

    def bytes(self, sizes, lengths):
        tensors = [(t, t.elements(lengths)) for t in sizes.tensors]
        call = sum(n * BYTES[t.dtype] for t, n in tensors)
        content = sum(n * (8 if t.role == "output" else BYTES[t.dtype]) for t, n in tensors)
        return call + min(4 * call, self.memory // 8) + content + self._of_reference(sizes, lengths)

    def seconds(self, sizes, lengths):
        probe = sizes.probe(lengths)
        return probe.flops / self.FLOPS + probe.work / self.ELEMENTS

    def fits(self, sizes, lengths, slack=1.0):
        return (sizes.probe(lengths) is not None and max(t.elements(lengths) for t in sizes.tensors) <= self.MOST_OF_TENSOR
                and self.bytes(sizes, lengths) <= self.memory and self.seconds(sizes, lengths) <= slack * self.most_seconds)

    def refusal(self, sizes, lengths):
        if self.fits(sizes, lengths, 10):
            return ""
        return (f"a judgement takes about {self.bytes(sizes, lengths) / 2 ** 30:.0f} GiB of {self.memory / 2 ** 30:.0f} and "
                f"{self.seconds(sizes, lengths):.0f} s, and no axis reduces it")


class Sizes:
    """Costs of a task at given lengths."""

    def __init__(self, problem, axes, tensors):
        self.problem, self.axes, self.tensors = problem, axes, tensors
        self.known = {}
        self.measured = None

    def elements(self, lengths):
        return sum(t.elements(lengths) for t in self.tensors)

    def probe(self, lengths):
        key = tuple(lengths.values())
        if key not in self.known:
            probe = self.problem.probe(self.axes.values(lengths), count=True)
            works = probe is not None and probe.structure() == self.axes.probe.structure()
            self.known[key] = probe if works else None
        return self.known[key]

    def calibrate(self, lengths, seconds):
        self.measured = (self.probe(lengths), self.elements(lengths), seconds)

    def seconds(self, lengths):
        """Time of the reference, estimated from a measured call at other lengths."""
        probe, elements, seconds = self.measured
        here = self.probe(lengths)
        ratios = [self.elements(lengths) / elements]
        if probe.flops:
            ratios.append(here.flops / probe.flops)
        if probe.work:
            ratios.append(here.work / probe.work)
        return seconds * max(ratios)

    def reduced(self, lengths, fits):
        """Halves the largest length until the lengths fit or nothing can be halved."""
        while not fits(lengths):
            smaller = self.halved(lengths)
            if smaller is None:
                break
            lengths = smaller
        return dict(lengths)

    def halved(self, lengths):
        """The same with half of the largest length; None where nothing can be halved."""
        smaller = [axis for axis in lengths if lengths[axis] // 2 >= self.axes.ranges[axis][0]]
        if not smaller:
            return None
        axis = max(smaller, key=lambda a: lengths[a])
        return {**lengths, axis: lengths[axis] // 2}

    def small(self, lengths):
        """Reduces to at most 2^20 elements and a call of a fraction of a second."""
        def fits(here):
            if self.elements(here) > 2 ** 20 + least:
                return False
            probe = self.probe(here)
            return probe is not None and probe.work <= 2 ** 24 and probe.flops <= 2 ** 31
        least = self.elements({axis: low for axis, (low, _) in self.axes.ranges.items()})
        return self.reduced(self._shortened(lengths, 32), fits)

    def _shortened(self, lengths, most):
        """Starts with shorter lengths if probes are slow, as for loops over time steps."""
        if not self.problem.slow:
            return lengths
        made = dict(lengths)
        for axis, (low, _) in self.axes.ranges.items():
            while made[axis] > most and made[axis] // 2 >= low:
                made[axis] //= 2
        return made

    def bench(self, published, limits):
        lengths = self.reduced(self._shortened(published, 128), lambda here: limits.fits(self, here))
        if self.probe(lengths) is None:
            raise Refused(f"does not run at the published sizes, nor reduced to {lengths}")
        if refusal := limits.refusal(self, lengths):
            raise Refused(refusal)
        return lengths


def seed_of(name):
    """Of the lengths that are drawn for a task."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "little")


def _prime_below(n):
    for candidate in range(n, 2, -1):
        if all(candidate % d for d in range(2, int(candidate ** 0.5) + 1)):
            return candidate
    return n


def _clipped(lengths, ranges):
    return {axis: min(max(n, ranges[axis][0]), ranges[axis][1]) for axis, n in lengths.items()}


def _patterns(published, ranges, power):
    """Lists of lengths around 2^power; no axis exceeds its published length by much."""
    powers = {axis: min(power, max(n, 2).bit_length() - 1) for axis, n in published.items()}
    near = {axis: 2 ** p for axis, p in powers.items()}
    yield {axis: low for axis, (low, _) in ranges.items()}
    yield {axis: n - 1 for axis, n in near.items()}
    yield near
    yield {axis: n + 1 for axis, n in near.items()}
    yield {axis: _prime_below(max(3, n - 2 - i)) for i, (axis, n) in enumerate(near.items())}
    for parity in (0, 1):
        yield {axis: 2 * n + 5 if i % 2 == parity else 3 for i, (axis, n) in enumerate(near.items())}
    yield {axis: n + n // 2 + 1 - i % 2 for i, (axis, n) in enumerate(near.items())}


def _shapes_within(ranges):
    return math.prod(high - low + 1 for low, high in ranges.values())


def test_lengths(sizes, published, ranges, taken=()):
    """Small workloads: least lengths, powers of two and their neighbours, a prime, odd tails.

    Never the published lengths, nor those taken. Where few shapes are possible, about half of them remain for other roles."""
    made, highest = [], 5 if sizes.problem.slow else 9
    longest = highest
    least = sizes.elements({axis: low for axis, (low, _) in ranges.items()})
    most = max(1, (_shapes_within(ranges) - 1) // 2)
    for index in range(8):
        for power in range(highest if index < 7 else longest, 0, -1):
            lengths = _clipped(list(_patterns(published, ranges, power))[index], ranges)
            if sizes.elements(lengths) > (SMALL if index < 7 else LARGER) + least and power > 1:
                continue
            if not sizes.probe(lengths) or (sizes.seconds(lengths) > 0.5 and power > 1):
                continue
            if lengths in taken:
                continue
            if lengths not in [*made, published] and len(made) < most:
                made.append(lengths)
            highest = min(highest, power + 1) if index else highest
            break
    return made


def _drawn_near(generator, bench, ranges, low, high):
    return _clipped({axis: max(1, round(n * 2 ** generator.uniform(low, high))) for axis, n in bench.items()}, ranges)


def _drawn(generator, bench, ranges, low, high):
    """Lengths between 2^low and 2^high of bench, then further below; all shapes where they are few."""
    for attempt in range(30):
        yield _drawn_near(generator, bench, ranges, low - attempt / 10, high - attempt / 20)
    if bench and _shapes_within(ranges) <= FEW_SHAPES:
        every = [dict(zip(ranges, n)) for n in itertools.product(*(range(a, b + 1) for a, b in ranges.values()))]
        yield from generator.sample(every, len(every))


def drawn_lengths(sizes, bench, ranges, seed, taken, limits=None):
    """One list for validation (None if there is no room), up to three for holdout; the last of three
    is far from bench. None of them is among those taken."""
    generator = random.Random(seed)
    limits = limits or HostLimits()
    slack = max(2, 1.5 * limits.seconds(sizes, bench) / limits.most_seconds)
    found = []
    for low, high in ((-0.8, 0.4), (-1.2, 0.3), (-1.5, 0.6), (-3.5, -1.0)):
        for lengths in _drawn(generator, bench, ranges, low, high):
            if lengths not in taken + found and limits.fits(sizes, lengths, slack):
                found.append(lengths)
                break
    return (found[0] if found else None), found[1:]


def flops_text(sizes, bench, ranges, tensors, seed):
    """Flops as a multiple of a product of axes and lengths, or None if no such product fits."""
    generator = random.Random(seed)
    draws = [_drawn_near(generator, bench, ranges, -1.5, 0) for _ in range(3)]
    samples = [(n, sizes.probe(n).flops) for n in [bench] + draws if sizes.probe(n)]
    if not samples[0][1]:
        return None
    extras = [more for count in range(3) for more in itertools.combinations(bench, count)]
    products = [[*t.shape, *more] for t in tensors for more in extras] + [list(bench)]
    for factors in products:
        ratio = _constant_ratio(factors, samples)
        if ratio:
            return ratio, factors
    return None


def _constant_ratio(factors, samples):
    ratios = set()
    for lengths, flops in samples:
        product = 1
        for factor in factors:
            product *= evaluate(factor, lengths)
        if flops % product:
            return None
        ratios.add(flops // product)
    return ratios.pop() if len(ratios) == 1 else None
