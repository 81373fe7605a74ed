#!/usr/bin/python3
"""structure.py [MEASURE:EDGE,EDGE,... ...]: how axes of an archive part kernels of a language model, by structure.tsv.

structure.tsv has kernels of the recorded runs, each with up to four assignments of its knobs, measured by `eval --only compile` on
a processor with AVX-512. `label` is the structure as a language model named it that saw the sources alone; `held_out` kernels were drawn
and labelled after the axes were chosen with the `first`. Prints for the axes given (default: before and after) the share of pairs
of other structure that share a cell, of pairs of one kernel with other knobs that do, and the cells that each task's kernels fill.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "experiments/python"))
import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402
from kernelevolve import axes  # noqa: E402

BEFORE = ["engine:0.5,1.5,2.5", "data_path:0.5,1.5,2.5", "loop_depth:3,5"]
AFTER = ["functions:2,8,32", "lane_moves:16,128,256"]


def shares(kernels, proposal):
    """(share of pairs of other structure in one cell, of pairs of one source with other knobs, cells filled by task, cells)."""
    bins, cells = [], 1
    for axis in proposal:
        name, _, edges = axis.partition(":")
        edges = [float(edge) for edge in edges.split(",")]
        bins.append(np.searchsorted(edges, kernels[name], side="right"))
        cells *= len(edges) + 1
    kernels = kernels.assign(cell=np.unique(np.stack(bins), axis=1, return_inverse=True)[1],
                             **{key: pd.factorize(kernels[key])[0] for key in ("task", "label", "source")})
    plain = kernels[kernels.variant == 0]
    apart = axes.shares(plain.cell, plain.task, plain.label)[1]
    knobs = axes.shares(kernels.cell, kernels.task, kernels.source)[0]
    return 1 - apart, knobs, " ".join(str(n) for n in plain.groupby("task").cell.nunique()), cells


def rows(proposals):
    table = pd.read_csv(pathlib.Path(__file__).with_name("structure.tsv"), sep="\t")
    keys = ("other_structure", "other_knobs", "filled", "cells")
    return [{"axes": " ".join(proposal), "kernels": name, **dict(zip(keys, shares(own, proposal)))}
            for proposal in proposals for name, own in table.groupby("set")]


if __name__ == "__main__":
    for row in rows([sys.argv[1:]] if sys.argv[1:] else [BEFORE, AFTER]):
        print("{axes}  {kernels}: other structure {other_structure:.2f}, other knobs {other_knobs:.2f}, cells {filled} of {cells}".format(**row))
