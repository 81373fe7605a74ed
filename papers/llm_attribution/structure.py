#!/usr/bin/python3
"""structure.py [MEASURE:EDGE,EDGE,... ...]: how axes of an archive part kernels of a language model, by structure.tsv.

structure.tsv has kernels of the recorded runs, each with up to four assignments of its knobs, measured by `eval --only compile` on
a processor with AVX-512. `label` is the structure as a language model named it that saw the sources alone; `held_out` kernels were drawn
and labelled after the axes were chosen with the `first`. Prints for the axes given (default: before and after) the share of pairs
of other structure that share a cell, of a kernel and itself with other knobs that do, and the cells that each task's kernels fill.
"""
import pathlib
import sys

import numpy as np
import pandas as pd

BEFORE = ["engine:0.5,1.5,2.5", "data_path:0.5,1.5,2.5", "loop_depth:3,5"]
AFTER = ["functions:2,8,32", "lane_moves:16,128,256"]


def pairs(counts):
    return float((counts * (counts - 1) / 2).sum())


def shares(kernels, axes):
    cell, cells = pd.Series("", kernels.index), 1
    for axis in axes:
        name, _, edges = axis.partition(":")
        edges = [float(edge) for edge in edges.split(",")]
        cell += "/" + pd.Series(np.searchsorted(edges, kernels[name], side="right"), kernels.index).astype(str)
        cells *= len(edges) + 1
    kernels = kernels.assign(cell=cell)
    plain = kernels[kernels.variant == 0]
    together, alike, both = (pairs(plain.groupby(keys).size()) for keys in (["task", "cell"], ["task", "label"], ["task", "label", "cell"]))
    others = pairs(plain.groupby("task").size()) - alike
    varied = kernels[kernels.variant > 0].merge(plain[["task", "source", "cell"]], on=["task", "source"])
    filled = " ".join(str(n) for n in plain.groupby("task").cell.nunique())
    return (together - both) / others, (varied.cell_x == varied.cell_y).mean(), filled, cells


def rows(proposals):
    table = pd.read_csv(pathlib.Path(__file__).with_name("structure.tsv"), sep="\t")
    keys = ("other_structure", "other_knobs", "filled", "cells")
    return [{"axes": " ".join(axes), "kernels": name, **dict(zip(keys, shares(own, axes)))}
            for axes in proposals for name, own in table.groupby("set")]


if __name__ == "__main__":
    for row in rows([sys.argv[1:]] if sys.argv[1:] else [BEFORE, AFTER]):
        print("{axes}  {kernels}: other structure {other_structure:.2f}, other knobs {other_knobs:.2f}, cells {filled} of {cells}".format(**row))
