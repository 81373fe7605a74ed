"""Times calls on a device, measures the device's peak rates, and computes intervals of ratios."""

import math
import statistics
import time

import torch

LEAST_SPIN, MOST_SPIN = 400_000, 40_000_000  # cycles of a GPU, so that the host is ahead when the clock starts
CYCLES_PER_SECOND = 2e9  # upper bound for a GPU
BYTES = {"cpu": 2 ** 27, "cuda": 2 ** 30}  # size of the copied array
PRODUCT = {"cpu": 1024, "cuda": 8192}  # rows and columns of the multiplied matrices
LONGEST = 10.0  # approximate seconds of all rounds together
MOST_ROUNDS, LEAST_ROUNDS = 30, 5


class Clock:
    """Seconds of one call. On a GPU, the time between two events that are launched during a spin
    twice as long as the host's part of earlier calls, so the host's part is not counted."""

    def __init__(self, device):
        self.gpu = device.type == "cuda"
        if self.gpu:
            self.events = [torch.cuda.Event(enable_timing=True) for _ in range(2)]
            self.spin = LEAST_SPIN

    def seconds(self, call):
        if not self.gpu:
            started = time.perf_counter()
            call()
            return time.perf_counter() - started
        torch.cuda.synchronize()
        torch.cuda._sleep(self.spin)
        started = time.perf_counter()
        self.events[0].record()
        call()
        self.events[1].record()
        host = 2 * CYCLES_PER_SECOND * (time.perf_counter() - started)
        self.spin = min(max(self.spin, int(host)), MOST_SPIN)
        torch.cuda.synchronize()
        return self.events[0].elapsed_time(self.events[1]) / 1e3

    def wall_seconds(self, call, repeats):
        """Seconds of one of several calls, including the host's part."""
        started = time.perf_counter()
        for _ in range(repeats):
            call()
        if self.gpu:
            torch.cuda.synchronize()
        return (time.perf_counter() - started) / repeats


def medians(clock, calls):
    """{name: median seconds} of interleaved calls, one of each per round."""
    with torch.no_grad():
        first = time.perf_counter()
        for call in calls.values():
            call()
        second = time.perf_counter()
        for call in calls.values():
            clock.seconds(call)
        took = max(time.perf_counter() - second, 1e-6)
        rounds = max(LEAST_ROUNDS, min(MOST_ROUNDS, int((LONGEST - (second - first)) / took)))
        times = {name: [] for name in calls}
        for _ in range(rounds):
            for name, call in calls.items():
                times[name].append(clock.seconds(call))
    return {name: statistics.median(found) for name, found in times.items()}


def peaks(device, dtype):
    """(bytes/s of a copy, read and written; flop/s of a matrix product), the best of several."""
    clock = Clock(device)
    source = torch.ones(BYTES[device.type] // 4, device=device)
    target = torch.empty_like(source)
    size = PRODUCT[device.type]
    left, right = (torch.randn(size, size, device=device).to(dtype) for _ in range(2))
    copy = min(clock.seconds(lambda: target.copy_(source)) for _ in range(8))
    product = min(clock.seconds(lambda: left @ right) for _ in range(8))
    return 2 * source.numel() * 4 / copy, 2 * size ** 3 / product


def in_turns(clock, calls, rounds, least_seconds=0.02):
    """{name: [seconds per round]} of calls A B C A B C ..., repeated to take least_seconds each."""
    repeats = {}
    for name, call in calls.items():
        call()
        repeats[name] = max(1, math.ceil(least_seconds / max(clock.wall_seconds(call, 2), 1e-7)))
    times = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            times[name].append(clock.wall_seconds(call, repeats[name]))
    return times


def median_interval(values):
    """(median, low, high): order statistics that contain the median with at least 95 % confidence,
    from 6 values on."""
    ordered, n = sorted(values), len(values)
    outside, rank = 0.0, 0
    while rank < n // 2:
        outside += 2 * math.comb(n, rank) / 2 ** n
        if outside > 0.05:
            break
        rank += 1
    rank = max(rank, 1)
    return statistics.median(ordered), ordered[rank - 1], ordered[n - rank]


def ratio(slow, fast):
    """(median, low, high) of the speedup, from pairs of rounds."""
    return median_interval([a / b for a, b in zip(slow, fast)])
