#!/usr/bin/env python3
"""Draws the figures that figures.json lists, from the CSV files beside it.

usage: draw.py FOLDER/figures.json [svg,pdf,png]
Computes no figure: every number that is drawn stands in a CSV. Exit code 3: matplotlib is missing.
"""
import csv
import json
import pathlib
import sys

sys.dont_write_bytecode = True  # an installed folder may be read-only
try:
    import matplotlib.figure
except ImportError:
    sys.exit(3)
matplotlib.use("agg")

import arms  # noqa: E402
import roofline  # noqa: E402
import runs  # noqa: E402
import style  # noqa: E402

FIGURES = {"archive": runs.archive, "diversity": runs.diversity, "lineage": runs.lineage, "failures": runs.failures,
           "curves": arms.curves, "profiles": arms.profiles, "ccdf": arms.ccdf, "fast_p": arms.fast_p, "cd": arms.cd,
           "ablation": arms.ablation, "effects": arms.effects, "cost": arms.cost,
           "roofline": roofline.roofline}


def read(path):
    """Rows as dicts: numbers as floats, empty fields as None."""
    csv.field_size_limit(1 << 30)
    with open(path, newline="", encoding="utf-8", errors="replace") as file:
        return list(csv.DictReader(file))


def main():
    manifest_path = pathlib.Path(sys.argv[1])
    formats = sys.argv[2].split(",") if len(sys.argv) > 2 else ["svg", "pdf", "png"]
    manifest = json.loads(manifest_path.read_text(encoding="utf-8", errors="replace"))
    matplotlib.rcParams.update(style.SETTINGS)
    names = style.Arms(dict.fromkeys(run["arm"] for run in manifest["runs"]), manifest.get("labels", {}),
                       dict.fromkeys(run.get("task", "") for run in manifest["runs"]))
    for entry in manifest["figures"]:
        rows = read(manifest_path.parent / entry["csv"])
        drawn = FIGURES[entry["name"]](rows, entry, names)
        one = isinstance(drawn, matplotlib.figure.Figure)
        for number, figure in enumerate([drawn] if one else drawn, start=1):
            page = "" if number == 1 else f"_{number}"  # of a figure that takes several
            style.save(figure, manifest_path.parent / (entry["name"] + page), formats)
            matplotlib.pyplot.close(figure)


if __name__ == "__main__":
    main()
