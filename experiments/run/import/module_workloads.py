"""Chooses the lengths for testing, optimising and checking a task."""

import itertools
import math
import random

from shape_formulas import evaluate
from task_file import Refused

MOST_ELEMENTS = 2 ** 27  # of all tensors at the bench workload
MOST_RESULT = 2 ** 28  # elements of one intermediate result
BENCH_SECONDS = 2.0  # of the reference
FEW_SHAPES = 256
SMALL = 2 ** 14  # elements of all tensors of a test workload: small ones are judged with special rows (fitness/host/check.cpp)
LARGER = 2 ** 17  # of the last test workload


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
            values = {c: lengths[axis] for axis, all_of in self.axes.constants.items() for c in all_of}
            probe = self.problem.probe(values, count=True)
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
        lengths = dict(lengths)
        while not fits(lengths):
            smaller = [axis for axis in lengths if lengths[axis] // 2 >= self.axes.ranges[axis][0]]
            if not smaller:
                break
            axis = max(smaller, key=lambda a: lengths[a])
            lengths[axis] //= 2
        return lengths

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

    def bench(self, published):
        def fits(here):
            return (self.elements(here) <= MOST_ELEMENTS and self.probe(here) is not None
                    and self.probe(here).largest <= MOST_RESULT and self.seconds(here) <= BENCH_SECONDS)
        lengths = self.reduced(self._shortened(published, 128), fits)
        if self.probe(lengths) is None:
            raise Refused(f"does not run at the published sizes, nor reduced to {lengths}")
        if self.elements(lengths) > 2 ** 29 or self.probe(lengths).largest > 2 ** 30:
            raise Refused(f"{self.elements(lengths)} elements, and no axis to reduce them by")
        if self.seconds(lengths) > 10 * BENCH_SECONDS:
            raise Refused(f"the reference takes about {self.seconds(lengths):.0f} s, and no axis reduces it")
        return lengths


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


def test_lengths(sizes, published, ranges):
    """Small workloads: least lengths, powers of two and their neighbours, a prime, odd tails.

    Never the published lengths. Where few shapes are possible, about half of them remain for other roles."""
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


def drawn_lengths(sizes, bench, ranges, seed, taken):
    """One list for validation (None if there is no room), up to three for holdout; the last of three
    is far from bench. None of them is among those taken."""
    generator = random.Random(seed)
    limit = max(2 * BENCH_SECONDS, 1.5 * sizes.seconds(bench))
    found = []
    for low, high in ((-0.8, 0.4), (-1.2, 0.3), (-1.5, 0.6), (-3.5, -1.0)):
        for lengths in _drawn(generator, bench, ranges, low, high):
            if lengths in taken + found or sizes.elements(lengths) > MOST_ELEMENTS or not sizes.probe(lengths):
                continue
            if sizes.probe(lengths).largest <= MOST_RESULT and sizes.seconds(lengths) <= limit:
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
    products = [(t.shape, extra) for t in tensors for extra in [None, *bench]] + [(list(bench), None)]
    for shape, extra in products:
        factors = list(shape) + ([extra] if extra else [])
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
