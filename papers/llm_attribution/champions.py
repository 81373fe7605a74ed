#!/usr/bin/env python3
"""Measures the champions of the recorded runs again, one after the other, on a machine that does nothing else, and writes
champions.tsv: of each run, form of PyTorch and role, the speedup and its 95 % interval, also where that is too wide for a report. Needs PyTorch and
a compiler.

usage: papers/llm_attribution/champions.py [RUN ...]    (all if none is named; rows of other runs stay)"""
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
import study  # noqa: E402
import unpack  # noqa: E402

TABLE = HERE / "champions.tsv"
COLUMNS = ["run", "form", "role", "speedup", "low", "high"]


def measured(run):
    """Rows of one run. A run without a verified champion has none."""
    binary = os.environ.get("KERNELEVOLVE", str(study.ROOT / "build/release/kernelevolve"))
    done = subprocess.run([binary, "verify", "--remeasure", "--json", run], stdout=subprocess.PIPE, text=True, check=False)
    figures = json.loads(done.stdout)["runs"][0]["remeasured"]
    rows = []
    for figure in figures:
        now = figure["now"].get("estimate", figure["now"])
        values = ("" if one is None else f"{one:.4f}" for one in (now["speedup"], *now["ci"]))
        rows.append([run.stem, figure["baseline"], figure["role"], *values])
    return rows


def main():
    os.environ.setdefault("OUT", tempfile.mkdtemp())
    folder = unpack.unpack()
    names = set(sys.argv[1:]) or {path.stem for path in folder.glob("*.kev")}
    with open(TABLE, encoding="utf-8", newline="") as file:
        rows = [row for row in list(csv.reader(file, delimiter="\t"))[1:] if row[0] not in names]
    for name in sorted(names):
        rows += measured(folder / f"{name}.kev")
    with open(TABLE, "w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter="\t", lineterminator="\n").writerows([COLUMNS, *sorted(rows)])


if __name__ == "__main__":
    main()
