#!/usr/bin/env python3
"""Prints the tables of README.md from the figures beside it and in bfloat16.

usage: papers/kernelbench/table.py [--check README.md]
--check: exit code 1 when the file does not hold exactly what would be printed."""

import collections
import csv
import math
import pathlib
import re
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
FORMS = {"float32": ("anchor", "pytorch_compiled"), "TF32": ("pytorch_eager_tf32", "pytorch_compiled_tf32"),
         "bfloat16": ("anchor", "pytorch_compiled")}
ROLES = ("bench", "validation", "holdout")


def rows_of(name):
    with open(FOLDER / name, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def label(problem):
    level, number, rest = re.fullmatch(r"level(\d)_(\d+)_(.*)", problem).groups()
    return f"{level}.{number} {rest.replace('_', ' ')[:34].strip()}"


class Champion:
    """The verified figures of one problem's champion."""

    def __init__(self, rows):
        self.failures = sorted({row["note"] for row in rows if row["note"]})
        self.figures = {(row["opponent"], row["role"]): tuple(float(row[key]) for key in ("speedup", "low", "high"))
                        for row in rows if row["speedup"]}

    def over(self, kind, role="bench"):
        """Speedup over the faster form of that accuracy with its interval, or None: not verified, or it failed once."""
        known = [self.figures[form, role] for form in FORMS[kind] if (form, role) in self.figures]
        return min(known) if known and not self.failures else None


def text(figure):
    return f"{figure[0]:.2f} [{figure[1]:.2f}, {figure[2]:.2f}]" if figure else "-"


def summary(champions, kind, role="bench"):
    """Kernels that failed or were not verified count as the module itself."""
    figures = [champion.over(kind, role) or (1.0, 0.0) for champion in champions]
    mean = math.exp(sum(math.log(figure[0]) for figure in figures) / len(figures))
    fast = [sum(figure[1] > least for figure in figures) / len(figures) for least in (1.0, 1.5, 2.0)]
    return f"| {kind}, {role} | {mean:.2f} | " + " | ".join(f"{one:.2f}" for one in fast) + " |"


def line(row, champion, right, kinds):
    """kinds: of the opponents, the first at all shapes, the others at bench shapes."""
    times = [float(row["eager_us"]), float(row["compiled_us"])]
    if "TF32" in kinds:
        times.append(min(float(row["eager_tf32_us"]), float(row["compiled_tf32_us"])))
    figures = [champion.over(kinds[0], role) for role in ROLES] + [champion.over(kind) for kind in kinds[1:]]
    cells = [label(row["problem"]), f"{sum(right)} of {len(right)}", *(f"{time:,.0f}" for time in times), *map(text, figures)]
    return f"| {' | '.join(cells)} |"


def table(folder, kinds):
    answers, verified = collections.defaultdict(list), collections.defaultdict(list)
    for row in rows_of(f"{folder}/answers.tsv"):
        answers[row["problem"]].append(row["verdict"])
    for row in rows_of(f"{folder}/verified.tsv"):
        verified[row["problem"]].append(row)
    times = rows_of(f"{folder}/opponents.tsv")
    champions = {row["problem"]: Champion(verified[row["problem"]]) for row in times}
    heads = ["problem", "right", "eager, us", "compile, us", *(["TF32, us"] if "TF32" in kinds else []), f"over {kinds[0]}, bench",
             *ROLES[1:], *(f"over {kind}, bench" for kind in kinds[1:])]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    lines += [line(row, champions[row["problem"]], [verdict == "ok" for verdict in answers[row["problem"]]], kinds) for row in times]
    verdicts = sum(answers.values(), [])
    lines += ["", f"{verdicts.count('ok')} of {len(verdicts)} answers are right, {verdicts.count('unusable')} are no kernels.", "",
              "| over the fastest form in | geometric mean | fast_1 | fast_1.5 | fast_2 |", "|---|---|---|---|---|"]
    lines += [summary(champions.values(), kind, role) for kind in kinds for role in ROLES]
    return "\n".join(lines)


def main():
    made = [table(".", ("float32", "TF32")), table("bfloat16", ("bfloat16",))]
    if sys.argv[1:2] != ["--check"]:
        print(*made, sep="\n\n")
        return 0
    page = pathlib.Path(sys.argv[2]).read_text(encoding="utf-8")
    return 0 if all(one in page for one in made) else 1


if __name__ == "__main__":
    sys.exit(main())
