"""Shapes that a service was called at, from a trace: a CSV file with a column for each axis that varies, and `count`."""

import csv
import dataclasses

from module_description import sizes_text
from task_file import Refused

MOST_OF_BENCH, MOST_OF_OTHERS = 8, 4  # shapes of a role
MOST_CALLS = 10 ** 15


@dataclasses.dataclass
class Served:
    """Workloads of the three timed roles, each a list of (lengths, count)."""
    bench: list
    validation: list
    holdout: list
    share: float = 1  # of all calls that the bench workloads are

    def lengths(self):
        return [lengths for lengths, _ in self.bench + self.validation + self.holdout]

    def give_up_one(self):
        """Lengths that are no longer timed: of the shape that matters least; None where one is all there is."""
        for role in (self.holdout, self.validation, self.bench[1:] and self.bench):
            if role:
                return role.pop()[0]
        return None


def _number(text, column, line):
    text = (text or "").strip()
    if not (text.isascii() and text.isdigit()) or int(text) < 1:
        raise Refused(f"--trace, line {line}: '{column}' is '{text}', not a whole number from 1")
    return int(text)


def _rows(path, axes):
    with open(path, newline="", encoding="utf-8-sig") as file:
        reader = csv.DictReader(file, skipinitialspace=True)
        reader.fieldnames = columns = [name.strip() for name in reader.fieldnames or []]
        unknown = [name for name in columns if name not in [*axes, "count"] or columns.count(name) > 1]
        if "count" not in columns or unknown:
            what = f"has the column '{unknown[0]}'" if unknown else "has no column 'count'"
            raise Refused(f"--trace {what}: its columns are count and axes of this module, each once: "
                          f"{', '.join(axes) or 'there are none'}")
        for row in reader:
            if None in row:
                raise Refused(f"--trace, line {reader.line_num}: there are more values than columns")
            lengths = {axis: _number(row[axis], axis, reader.line_num) if axis in columns else length
                       for axis, length in axes.items()}
            yield lengths, _number(row["count"], "count", reader.line_num), reader.line_num


def _checked(lengths, line, axes, sizes, limits):
    for axis, (low, _) in axes.ranges.items():
        if lengths[axis] < low:
            raise Refused(f"--trace, line {line}: {axis} = {lengths[axis]}, this module works from {low} on")
    if sizes.probe(lengths) is None:
        raise Refused(f"--trace, line {line}: the module does not run at {sizes_text(lengths)}")
    if not limits.fits(sizes, lengths, 10):
        raise Refused(f"--trace, line {line}: {sizes_text(lengths)} is more than {limits.text()}")


def served_shapes(path, axes, sizes, limits):
    """The shapes that take most, by calls times elements of their tensors, are bench workloads, the next ones by turns
    validation and holdout. axes: module_axes.Axes, whose ranges grow to these shapes."""
    counts, lines = {}, {}
    for lengths, count, line in _rows(path, axes.published):
        key = tuple(lengths.values())
        counts[key] = counts.get(key, 0) + count
        lines.setdefault(key, line)
    calls = sum(counts.values())
    if not 0 < calls <= MOST_CALLS:
        raise Refused("--trace has no shapes" if not calls else f"--trace has more than {MOST_CALLS:.0e} calls")
    ranked = [(dict(zip(axes.published, key)), count, lines[key]) for key, count in counts.items()]
    ranked.sort(key=lambda one: (-one[1] * sizes.elements(one[0]), one[2]))
    kept = ranked[:MOST_OF_BENCH + 2 * MOST_OF_OTHERS]
    for lengths, _, line in kept:
        _checked(lengths, line, axes, sizes, limits)
    for axis, (low, high) in axes.ranges.items():
        axes.ranges[axis] = (low, max(high, max(lengths[axis] for lengths, *_ in kept)))
    shapes = [(lengths, count) for lengths, count, _ in kept]
    bench, others = shapes[:MOST_OF_BENCH], shapes[MOST_OF_BENCH:]
    return Served(bench, others[::2], others[1::2], sum(count for _, count in bench) / calls)
