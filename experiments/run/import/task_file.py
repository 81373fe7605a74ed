"""task.yaml of an imported task: its parts, and its text."""

import dataclasses
import json
import math
import pathlib
import traceback

from shape_formulas import evaluate, product_text, sum_text

MOST_ARGUMENTS = 16  # of a kernel: tensors and axes
BYTES = {"float64": 8, "float32": 4, "float16": 2, "bfloat16": 2, "int8": 1, "uint8": 1, "bool": 1, "int32": 4,
         "int64": 8}
FLOATS = ("float64", "float32", "float16", "bfloat16")
HALVES = ("float16", "bfloat16")


# Kinds of lines (fitness/content/float_lines.cpp) at which a formula in single precision may err by more than the tolerance
# that was measured with other values: a task avoids those that it was not measured with.
UNMEASURED = ("shrunk grown offset dominated one_signed split_signs signs fading equals repeated columns sparse zeros cut "
              "diagonal numbers").split()


class Refused(Exception):
    """The problem cannot be a task; the message says why."""


def described(error, path):
    """`IndexError: index out of range (model.py:12)`: with the last line of the user's file that led to it."""
    if isinstance(error, SyntaxError):
        return f"SyntaxError: {error.msg} ({pathlib.Path(path).name}:{error.lineno})"
    text = f"{type(error).__name__}: {error}".split("\n")[0]
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
    return f"{text} ({pathlib.Path(path).name}:{lines[-1]})" if lines else text


def first_of(texts, most=8, separator=", "):
    """`a, b and 3 more`."""
    more = f" and {len(texts) - most} more" if len(texts) > most else ""
    return separator.join(texts[:most]) + more


@dataclasses.dataclass
class TaskTensor:
    role: str  # input, parameter or output
    name: str
    dtype: str
    shape: list  # expressions
    classes: list = ()
    scale: int = 0  # exponent of two
    low: int = 0
    high: str = ""  # expression: one past the largest integer
    marks: list = ()  # integers outside the range, as of padding
    dotted: object = ""  # name of the module's parameter, or names of those that lie in it one after the other
    numbers: list = ()  # values to be drawn among others
    avoid: list | None = None  # kinds of lines that the judge does not draw; None: those that nothing was measured with

    def lengths(self, axes):
        return [evaluate(text, axes) for text in self.shape]

    def elements(self, axes):
        return math.prod(self.lengths(axes))


@dataclasses.dataclass
class Tolerance:
    relative: float  # also of the rms of the row
    l2: float
    trailing: int  # dimensions of an output that make a row

    def text(self):
        return f"{{relative: {self.relative:.1e}, relative_l2: {self.l2:.1e}, scale: {self.relative:.1e}}}"


@dataclasses.dataclass
class PublishedTolerance:
    """|d| <= absolute + relative |ref| for a share of the elements; no error above max_error."""
    relative: float
    absolute: float
    matched_ratio: float
    max_error: float | None
    trailing: int = 1

    def text(self):
        parts = [f"relative: {min(self.relative, 0.5)!r}", f"absolute: {self.absolute!r}"]
        if self.matched_ratio == 1 and self.absolute == 0:  # otherwise a norm that was not published binds
            parts.append("relative_l2: 0.5")
        if self.matched_ratio < 1:
            parts.append(f"matched_ratio: {self.matched_ratio!r}")
        if self.max_error is not None:
            parts.append(f"max_error: {self.max_error!r}")
        return "{" + ", ".join(parts) + "}"


@dataclasses.dataclass
class TaskFile:
    """Content of task.yaml."""
    name: str
    description: str
    op_type: str
    axes: list  # names of those that vary
    tensors: list  # of TaskTensor, outputs last
    tolerance: Tolerance
    workloads: list  # of (lengths, role), and weight where it is not 1
    reference: str  # file
    constants: dict = dataclasses.field(default_factory=dict)  # axes that do not vary
    ranges: dict = dataclasses.field(default_factory=dict)  # axis: (least, greatest)
    flops: str = ""  # expression
    source: str = ""
    licence: str = ""
    category: str = ""  # within the collection
    language: str = ""  # where it is not C++
    kernels: str = ""  # naive kernel's file
    nonfinite: str = "unspecified"
    total_time: bool = False  # the aggregate, not a geometric mean
    tf32: bool = False  # products of float32 may be taken in TF32


def rounded_up(value):
    """Rounds up to 1, 2 or 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(value))
    return next(float(f"{step * power:.0e}") for step in (1, 2, 5, 10) if value <= step * power * (1 + 1e-9))


def check_arguments(tensors, axes):
    count = len(tensors) + len(axes)
    if count > MOST_ARGUMENTS:
        raise Refused(f"{count} tensors and axes; a kernel takes at most {MOST_ARGUMENTS} arguments")


def _quoted(text):
    return text if str(text).isidentifier() or str(text).isdigit() else json.dumps(text)


def _tensor_line(tensor):
    keys = [f"shape: [{', '.join(map(str, map(_quoted, tensor.shape)))}]", f"dtype: {tensor.dtype}", "align: 64"]
    if tensor.role != "output":
        keys.append(f"changes: {'never' if tensor.role == 'parameter' else 'every_call'}")
        if tensor.high:
            keys.append(f"range: [{tensor.low}, {_quoted(tensor.high)}]")
        if tensor.marks:
            keys.append(f"marks: [{', '.join(map(str, tensor.marks))}]")
        keys.append(f"classes: [{', '.join(tensor.classes)}]")
        if tensor.numbers:
            keys.append(f"numbers: [{', '.join(map(repr, tensor.numbers))}]")
        unmeasured = UNMEASURED if tensor.dtype in FLOATS else []
        avoid = unmeasured if tensor.avoid is None else tensor.avoid
        if avoid:
            keys.append(f"avoid: [{', '.join(avoid)}]")
    if tensor.scale:
        keys.append(f"scale: {2.0 ** tensor.scale!r}")
    return f"  {tensor.name}: {{{', '.join(keys)}}}"


def _workload_line(lengths, role, weight=1):
    weights = [f"weight: {weight}"] if weight != 1 else []
    return "  - {" + ", ".join([f"{axis}: {n}" for axis, n in lengths.items()] + [f"role: {role}", *weights]) + "}"


def _range_text(file):
    """Ranges that the default rule, up to four times the largest listed length, does not cover."""
    listed = [lengths for lengths, *_ in file.workloads]
    parts = []
    for axis, (low, high) in file.ranges.items():
        longest = max(n[axis] for n in listed)
        if high < 4 * longest or low < min(n[axis] for n in listed):
            parts.append(f"{axis}: [{low}, {min(max(high, longest), 4 * longest)}]")
    return "ranges: {" + ", ".join(parts) + "}" if parts else None


def row_text(output, trailing):
    return _quoted(sum_text([product_text(output.shape[max(0, len(output.shape) - trailing):])]))


def bytes_text(tensors):
    """Least number of bytes that a call reads and writes, as an expression. Counts a table indexed
    by values with at most one row per index."""
    indices = [product_text(t.shape) for t in tensors if t.high]
    return sum_text([product_text([BYTES[t.dtype], *_rows_read(t, indices), *t.shape[1:]]) for t in tensors])


def _rows_read(tensor, indices):
    if not tensor.shape or not indices or tensor.high or tensor.role == "output":
        return tensor.shape[:1]
    rows, most = str(tensor.shape[0]), sum_text(indices)
    if rows.isdigit() and most.isdigit():
        return [min(int(rows), int(most))]
    return [rows if rows == most else f"min({rows}, {most})"]


def task_text(file):
    outputs = [t for t in file.tensors if t.role == "output"]
    tolerance = file.tolerance
    axes = [f"{axis}: var" for axis in file.axes] + [f"{axis}: {n}" for axis, n in file.constants.items()]
    cost = [f"bytes: {json.dumps(bytes_text(file.tensors))}"]
    if file.flops:
        cost.append(f"flops: {json.dumps(file.flops)}")
    lines = [
        "schema: kernelevolve-task/1",
        f"name: {file.name}",
        f"description: {json.dumps(file.description)}",
        f"op_type: {file.op_type}",
        f"source: {json.dumps(file.source)}" if file.source else None,
        f"licence: {json.dumps(file.licence)}" if file.licence else None,
        f"category: {json.dumps(file.category)}" if file.category else None,
        f"axes: {{{', '.join(axes)}}}",
        f"signature: [{', '.join([t.name for t in file.tensors] + file.axes)}]",
        "inputs:", *[_tensor_line(t) for t in file.tensors if t.role != "output"],
        "outputs:", *[_tensor_line(t) for t in outputs],
        "threads: 1",
        f"nonfinite: {file.nonfinite}",
        "subnormals: flush",
        "math: tf32" if file.tf32 else None,
        f"tolerance: {tolerance.text()}",
        f"row: {row_text(outputs[0], tolerance.trailing)}",
        f"cost: {{{', '.join(cost)}}}",
        f"aggregate: {'total_time' if file.total_time else 'geometric_mean'}",
        f"reference: {file.reference}",
        f"language: {file.language}" if file.language else None,
        f"kernels: {{naive: {file.kernels}, anchor: {file.kernels}}}" if file.kernels else None,
        "workloads:", *[_workload_line(*workload) for workload in file.workloads],
        _range_text(file),
    ]
    return "\n".join(line for line in lines if line is not None) + "\n"


def write_task_file(file, folder, sources):
    """Writes task.yaml, and the sources {file name: text} into the same folder."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in {**sources, "task.yaml": task_text(file)}.items():
        (folder / name).write_text(text, encoding="utf-8")
