"""Shapes that a service was called at, from a trace: a CSV file with a column for each axis that varies, and `count`."""

import csv
import dataclasses

from module_description import sizes_text
from task_file import Refused

MOST_OF_BENCH, MOST_OF_OTHERS = 8, 4  # shapes of a role


@dataclasses.dataclass
class Served:
    """Workloads of the three timed roles, each a list of (lengths, count)."""
    bench: list
    validation: list
    holdout: list

    def lengths(self):
        return [lengths for lengths, _ in self.bench + self.validation + self.holdout]


def _number(text, column, line):
    if not text or not text.strip().isdigit() or int(text) < 1:
        raise Refused(f"--trace, line {line}: '{column}' is '{text or ''}', not a whole number from 1")
    return int(text)


def _rows(path, axes):
    with open(path, newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file, skipinitialspace=True)
        columns = [name.strip() for name in reader.fieldnames or []]
        reader.fieldnames = columns
        unknown = [name for name in columns if name not in [*axes, "count"]]
        if "count" not in columns or unknown:
            what = f"has the column '{unknown[0]}'" if unknown else "has no column 'count'"
            raise Refused(f"--trace {what}: its columns are count and axes of this module: {', '.join(axes) or 'there are none'}")
        for row in reader:
            if None in row:
                raise Refused(f"--trace, line {reader.line_num}: there are more values than columns")
            lengths = {axis: _number(row[axis], axis, reader.line_num) if axis in columns else length
                       for axis, length in axes.items()}
            yield lengths, _number(row["count"], "count", reader.line_num), reader.line_num


def served_shapes(path, axes, sizes, limits):
    """The most frequent shapes are bench workloads, the next ones by turns validation and holdout. axes: module_axes.Axes, whose
    ranges grow to what was served."""
    counts = {}
    for lengths, count, line in _rows(path, axes.published):
        for axis, (low, _) in axes.ranges.items():
            if lengths[axis] < low:
                raise Refused(f"--trace, line {line}: {axis} = {lengths[axis]}, this module works from {low} on")
        if sizes.probe(lengths) is None:
            raise Refused(f"--trace, line {line}: the module does not run at {sizes_text(lengths)}")
        if not limits.fits(sizes, lengths, 10):
            raise Refused(f"--trace, line {line}: {sizes_text(lengths)} is more than {limits.text()}")
        key = tuple(lengths.values())
        counts[key] = counts.get(key, 0) + count
    if not counts:
        raise Refused("--trace has no shapes")
    for at, (axis, (low, high)) in enumerate(axes.ranges.items()):
        axes.ranges[axis] = (low, max(high, max(key[at] for key in counts)))
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    shapes = [(dict(zip(axes.published, key)), count) for key, count in ranked]
    others = shapes[MOST_OF_BENCH:MOST_OF_BENCH + 2 * MOST_OF_OTHERS]
    return Served(shapes[:MOST_OF_BENCH], others[::2], others[1::2])
