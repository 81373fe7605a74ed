#!/usr/bin/python3
"""Draws OUT/<name>.svg from OUT/<name>.csv.

    papers/draw.py effects NAME     ratios with their intervals, by factor and arm
    papers/draw.py curves NAME      best objective over evaluations, by arm
    papers/draw.py points NAME      named points; columns x_label and y_label say what they are

Uses the matplotlib of Debian, which belongs to /usr/bin/python3. Without it the CSV stays, and a line says so.
"""
import csv
import os
import pathlib
import sys

try:
    import matplotlib
except ImportError:
    sys.exit("no figures: apt-get install python3-matplotlib (their data are in the CSV files)")
matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "kernelevolve"  # the same data give the same file
import matplotlib.pyplot as plt  # noqa: E402

COLOURS = {"better": "#1b7837", "worse": "#b2182b", "equivalent": "#2166ac"}


def effects(rows, axes):
    rows = rows[::-1]
    for y, row in enumerate(rows):
        ratio = float(row["ratio"])
        low, high = float(row["low"] or ratio), float(row["high"] or ratio)
        axes.errorbar(ratio, y, xerr=[[ratio - low], [high - ratio]], fmt="o", capsize=3,
                      color=COLOURS.get(row["conclusion"], "#555555"))
    axes.set_yticks(range(len(rows)), [f"{row['factor']}: {row['arm']} / {row['reference']}" for row in rows])
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set_xlabel("ratio to the reference")
    axes.set_title("green better, red worse, blue equivalent, grey not told apart or out of reach", fontsize=8)


def curves(rows, axes):
    arms = list(dict.fromkeys(row["arm"] for row in rows))
    for i, arm in enumerate(arms):
        own = [row for row in rows if row["arm"] == arm]
        axes.plot([float(row["evaluations"]) for row in own], [float(row["best"]) for row in own], label=arm,
                  color=plt.get_cmap("tab20")(i))
    axes.set_xscale("log")
    axes.set_xlabel("evaluations")
    axes.set_ylabel("best so far, geometric mean")
    axes.legend(fontsize=8)


def points(rows, axes):
    for row in rows:
        axes.plot(float(row["x"]), float(row["y"]), "o", color="#2166ac")
        axes.annotate(row["name"], (float(row["x"]), float(row["y"])), textcoords="offset points", xytext=(4, 4), fontsize=8)
    axes.set_xlabel(rows[0]["x_label"])
    axes.set_ylabel(rows[0]["y_label"])


def main():
    kind, name = sys.argv[1:]
    path = pathlib.Path(os.environ["OUT"]) / name
    with open(f"{path}.csv") as file:
        rows = list(csv.DictReader(file))
    figure, axes = plt.subplots(figsize=(8, 1.2 + 0.28 * len(rows) if kind == "effects" else 5))
    {"effects": effects, "curves": curves, "points": points}[kind](rows, axes)
    figure.tight_layout()
    figure.savefig(f"{path}.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
