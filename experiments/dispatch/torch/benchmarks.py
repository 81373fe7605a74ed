"""Measures the operators of this package: the kernel alone, a call, and the task's formula in PyTorch.

Every operator is measured at the smallest and the largest of the shapes at which its kernel was chosen, and at the
largest with its first axis divided by 4 again and again. Times are the least of several rounds, in turns."""

import dataclasses
import time

import torch

ROUNDS, SECONDS = 9, 0.004  # of one round
SIZES = 6
GRAPH_CALLS = 20


@dataclasses.dataclass
class Row:
    operator: str
    shape: str
    kernel_us: float  # the library without PyTorch; on a GPU, calls in a CUDA graph
    call_us: float
    pytorch_us: float  # the task's formula, eager; None where it is not in PyTorch

    @property
    def overhead_us(self):
        return self.call_us - self.kernel_us


def benchmark(operators):
    """Rows of all operators; prints them."""
    rows = [row for operator in operators.values() for row in measured(operator)]
    print(table(rows))
    return rows


def table(rows):
    texts = [("operator", "shape", "kernel us", "call us", "overhead us", "formula in PyTorch us")]
    texts += [(row.operator, row.shape, *(f"{value:.2f}" for value in (row.kernel_us, row.call_us, row.overhead_us)),
               "-" if row.pytorch_us is None else f"{row.pytorch_us:.2f}") for row in rows]
    widths = [max(len(row[i]) for row in texts) for i in range(len(texts[0]))]
    return "\n".join("  ".join(text.ljust(width) for text, width in zip(row, widths)).rstrip() for row in texts)


def smallest_overhead(rows):
    """Microseconds of a call over its kernel, where the kernel is shortest and disturbs the difference least."""
    return min(rows, key=lambda row: row.kernel_us).overhead_us


def pays_text(rows):
    """Sentence for each operator: from which of the measured shapes on a call is faster than PyTorch."""
    lines = []
    for name in dict.fromkeys(row.operator for row in rows):
        own = [row for row in rows if row.operator == name]
        least = f"a call costs {smallest_overhead(own):.1f} us over its kernel"
        if own[0].pytorch_us is None:
            lines.append(f"`{name}`: {least}; its task has no formula in PyTorch to compare with.")
            continue
        slower = [i for i, row in enumerate(own) if row.call_us >= row.pytorch_us]
        first = slower[-1] + 1 if slower else 0
        pays = (f"faster than the formula in PyTorch from {own[first].shape} on" if first < len(own) else
                f"not faster than the formula in PyTorch up to {own[-1].shape}")
        lines.append(f"`{name}`: {least}; {pays}.")
    return "\n".join(lines)


def measured(operator):
    call = getattr(getattr(torch.ops, operator.package), operator.symbol).default
    before = torch.get_num_threads()
    torch.set_num_threads(operator.threads)  # of the formula, as many as the kernel has
    try:
        with torch.inference_mode():
            return [_row(operator, call, axes) for axes in _sizes(operator)]
    finally:
        torch.set_num_threads(before)


def _sizes(operator):
    """{axis: length} of the shapes, from small to large."""
    names = [axis["name"] for axis in operator.axes]
    listed = sorted((one["lengths"] for one in operator.shapes), key=lambda lengths: torch.Size(lengths).numel())
    largest, found = listed[-1], {tuple(listed[0]), tuple(listed[-1])}
    halved = list(largest)
    for _ in range(SIZES if names else 0):
        step = operator.axes[0]["multiple_of"]
        halved[0] = halved[0] // 4 // step * step
        if halved[0] < max(1, operator.axes[0]["low"]):
            break
        if not operator.outside(operator.with_constants(dict(zip(names, halved)))):
            found.add(tuple(halved))
    return [dict(zip(names, lengths)) for lengths in sorted(found, key=lambda one: torch.Size(one).numel())]


def _row(operator, call, lengths):
    axes = operator.with_constants(lengths)
    tensors = [one.drawn(axes, operator.device) for one in operator.inputs]
    arguments = [*tensors, *(axes[axis["name"]] for axis in operator.axes if axis["tensor"] is None)]
    functions = {"call": lambda: call(*arguments)}
    formula = operator.reference.eager(tensors, lengths)
    if formula is not None:
        functions["pytorch"] = formula
    if operator.device == "cuda":
        functions["kernel"] = _graph(functions["call"])
    times = {name: _many(function, operator.device) for name, function in functions.items()}
    if operator.device == "cpu":
        times["kernel"] = lambda count: operator.seconds_of_kernel(tensors, axes, time.perf_counter, count)
    least = _in_turns(times)
    if operator.device == "cuda":
        least["kernel"] /= GRAPH_CALLS
    label = " ".join(f"{name}={length}" for name, length in lengths.items())
    return Row(operator.symbol, label, least["kernel"], least["call"], least.get("pytorch"))


def _many(function, device):
    """A function of a count: the seconds of that many calls."""
    def seconds(count):
        if device == "cuda":
            torch.cuda.synchronize()
        begin = time.perf_counter()
        for _ in range(count):
            function()
        if device == "cuda":
            torch.cuda.synchronize()
        return time.perf_counter() - begin
    return seconds


def _in_turns(times):
    """{name: least microseconds of one call}."""
    counts = {}
    for name, seconds in times.items():
        seconds(1)
        counts[name] = max(1, int(SECONDS / max(min(seconds(1) for _ in range(3)), 1e-7)))
    least = dict.fromkeys(times, float("inf"))
    for _ in range(ROUNDS):
        for name, seconds in times.items():
            least[name] = min(least[name], seconds(counts[name]) / counts[name] * 1e6)
    return least


def _graph(function):
    function()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(GRAPH_CALLS):
            function()
    return graph.replay
