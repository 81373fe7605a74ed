"""Tables for terminals and CSV, and numbers as both show them."""
import csv
import io
import math

from .analysis import plain


def short(value):
    """Four digits; '-' where there is no number."""
    return "-" if value is None or math.isnan(value) else f"{value:.4g}"


def interval(low, high):
    """'0.97 .. 1.2'; an infinite end is left out, and '-' stands for no interval."""
    if low is None or math.isinf(low) and math.isinf(high) and low < high:
        return "-" if low is None else "unbounded"
    return " ".join(part for part in (short(low) if math.isfinite(low) else "", "..", short(high) if math.isfinite(high) else "") if part)


def p_text(p):
    if p is None:
        return "-"
    return "<0.0001" if p < 0.0001 else f"{p:.4f}"


def field(value):
    """Of CSV: '' for what there is not or is infinite."""
    if value is None:
        return ""
    if isinstance(value, float):
        return plain(value) if math.isfinite(value) else ""
    return str(value)


def csv_text(head, lines):
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(head)
    writer.writerows([field(value) for value in line] for line in lines)
    return out.getvalue()


def is_numeric(text):
    return text in ("", "-") or text[0].isdigit() or text[0] == "-" and text[1:2].isdigit()


def table(head, lines):
    """Columns of numbers flush right."""
    lines = [[str(cell) for cell in line] for line in lines]
    columns = list(zip(head, *lines))
    right = [all(is_numeric(cell) for cell in column[1:]) for column in columns]
    room = [max(map(len, column)) for column in columns]

    def one(line):
        return "  ".join(cell.rjust(width) if flush else cell.ljust(width) for cell, width, flush in zip(line, room, right)).rstrip()
    return "\n".join(map(one, [head, ["-" * width for width in room], *lines])) + "\n"
