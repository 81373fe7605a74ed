"""Which measures of kernels make good axes of an archive, by the kernels that runs recorded.

An archive is useful where kernels of one source, which differ in their knobs, share a cell, and kernels of different sources
lie apart. Both are counted over pairs of kernels that one run measured on one device. Bins of numbers hold equally many of the
values that occur.
"""
import math

import numpy as np
import pandas as pd
import scipy.stats

from .runs import RunError, option, query
from .text import short, table

BINS, MOST_AXES = 4, 3
LEAST_GAIN = 0.02  # of separation, for one more axis
LEAST_KERNELS = 5  # of one task, for an effect on speed
COLUMNS = ["measure", "kernels", "values", "one_source", "other_sources", "separation", "evenness", "speed"]


def between(a, b):
    """The number of fewest digits above a and below b."""
    middle = math.sqrt(a * b) if a > 0 and b > 8 * a else (a + b) / 2
    return next((text for text in (float(f"{middle:.{digits}g}") for digits in range(1, 17)) if a < text < b), middle)


def axis_of(name, values, categories):
    """The axis as a configuration writes it: names of its bins, or their edges."""
    if categories:
        return {"measure": name, "bins": [label for label, _ in categories]}
    seen = np.unique(values)
    groups = np.array_split(seen, min(BINS, len(seen)))
    cuts = [between(left[-1], right[0]) for left, right in zip(groups, groups[1:])]
    return {"measure": name, "bins": [float(seen[0]), *cuts, float(seen[-1])]}


def bins_of(axis, values, categories):
    """Of each value its bin."""
    if categories:
        return np.abs(values[:, None] - np.array([value for _, value in categories])).argmin(axis=1)
    return np.searchsorted(axis["bins"][1:-1], values, side="right")


def bins_in(axis):
    return len(axis["bins"]) - (0 if isinstance(axis["bins"][0], str) else 1)


def pairs(*keys):
    """Number of pairs that agree in all keys."""
    counts = np.unique(np.stack(keys), axis=1, return_counts=True)[1].astype(float)
    return float((counts * (counts - 1) / 2).sum())


def shares(cells, place, source):
    """(share of pairs of one source in one cell, share of pairs of two sources in two cells); NaN without pairs."""
    same, together = pairs(place, source), pairs(place, source, cells)
    other, met = pairs(place) - same, pairs(place, cells) - together
    return together / same if same else math.nan, 1 - met / other if other else math.nan


def separation(cells, place, source):
    """How much more often two sources lie apart than one source does. Without pairs of two sources: entropy of the cells over that
    of all cells of a proposal."""
    together, apart = shares(cells, place, source)
    if math.isnan(apart):
        return evenness(cells, BINS ** MOST_AXES)
    return apart - (0 if math.isnan(together) else 1 - together)


def evenness(cells, count):
    """Entropy over that of `count` equally filled cells."""
    return float(scipy.stats.entropy(np.unique(cells, return_counts=True)[1]) / math.log(count)) if count > 1 else 0.0


def effect_on_speed(kernels, bins):
    """Share of the variance of ranks of the objective that the bins explain, (H - k + 1) / (n - k) of Kruskal and Wallis's H,
    averaged over tasks by kernels; NaN where no task has enough."""
    found = []
    for _, own in kernels.assign(bin=bins).dropna(subset="objective").groupby("task", observed=True):
        groups = [one.objective.to_numpy() for _, one in own.groupby("bin")]
        n, k = len(own), len(groups)
        if n < LEAST_KERNELS or k < 2 or k >= n or own.objective.nunique() < 2:
            continue
        found.append((max(0.0, (scipy.stats.kruskal(*groups).statistic - k + 1) / (n - k)), n))
    return float(np.average([effect for effect, _ in found], weights=[n for _, n in found])) if found else math.nan


def places_of(runs):
    """Frame of the kernels, each genome once a run and device, with `place`, which numbers pairs of both, and `kind` of the device."""
    kernels = runs.candidates[runs.candidates.verdict == "ok"].copy()
    kernels["device"], kernels["kind"] = 0, ""
    for row, (file, config) in enumerate(zip(runs.runs.file, runs.runs.config)):
        own = kernels.run == row
        kernels.loc[own, "kind"] = option(config, "device.kind")
        for island, device, kind in query(file, "SELECT i.island, d.position, d.kind FROM device_island i JOIN device d ON d.position = i.device"):
            kernels.loc[own & (kernels.island == island), ["device", "kind"]] = device, kind
    kernels["place"] = kernels.groupby(["run", "device"]).ngroup()
    return kernels.drop_duplicates(["place", "genome"])


def axes_of(kernels, measures, known):
    """{kernels, sources, measures: [rows of COLUMNS by separation], left_out: {measure: why}, proposal, cells, filled, separation}.
    `measures` has a row for each kernel; `known` declares them, {measure: categories as pairs of label and value, or none},
    and if it is empty, all measures are numbers that may be axes."""
    place, source = kernels.place.to_numpy(), kernels.source.to_numpy()
    lines, axes, bins, left_out = [], {}, {}, {}
    for name in measures.columns:
        values = measures[name]
        if known and name not in known:
            left_out[name] = "no axis may name it"
        elif values.isna().any():
            left_out[name] = f"{values.isna().sum()} kernels lack it"
        elif values.nunique() < 2:
            left_out[name] = f"always {short(values.iloc[0])}"
        if name in left_out:
            continue
        values, categories = values.to_numpy(), known.get(name)
        axes[name] = axis_of(name, values, categories)
        bins[name] = bins_of(axes[name], values, categories)
        together, apart = shares(bins[name], place, source)
        lines.append([name, len(values), len(np.unique(values)), together, apart, separation(bins[name], place, source),
                      evenness(bins[name], bins_in(axes[name])), effect_on_speed(kernels, bins[name])])
    lines.sort(key=lambda line: (-line[5], -line[6], line[0]))
    chosen, cells, best = [], np.zeros(len(kernels), int), 0.0
    while len(chosen) < MOST_AXES:
        tried = {name: np.unique(np.stack([cells, one]), axis=1, return_inverse=True)[1].ravel() for name, one in bins.items() if name not in chosen}
        gains = {name: separation(one, place, source) for name, one in tried.items()}
        name = max(gains, key=gains.get, default=None)
        if name is None or gains[name] - best < LEAST_GAIN:
            break
        chosen.append(name)
        cells, best = tried[name], gains[name]
    return {"kernels": len(kernels), "sources": len(kernels[["place", "source"]].drop_duplicates()),
            "measures": [{name: None if value != value else value for name, value in zip(COLUMNS, line)} for line in lines],
            "left_out": left_out, "proposal": [axes[name] for name in chosen], "cells": math.prod(bins_in(axes[name]) for name in chosen),
            "filled": len(np.unique(cells)) if chosen else 0, "separation": best}


def axes(runs, known=None):
    """{kind of device: axes_of() of its kernels}. `known` holds what the program declares, by kind."""
    kernels, found = places_of(runs), {}
    wide = runs.measures.pivot_table(index=["run", "candidate"], columns="measure", values="value", observed=True)
    wide = wide[[name for name in wide.columns if not name.startswith("validation")]]
    for kind in sorted(kernels.kind.unique()):
        own = kernels[kernels.kind == kind]
        measures = wide.reindex(pd.MultiIndex.from_frame(own[["run", "candidate"]])).reset_index(drop=True).dropna(axis=1, how="all")
        if len(own) > 1 and len(measures.columns):
            found[kind] = axes_of(own.reset_index(drop=True), measures, (known or {}).get(kind, {}))
    if not found:
        raise RunError("axes: the runs hold no two valid kernels with measures; numeric strategies record none")
    return found


def yaml_of(axis):
    bins = ", ".join(value if isinstance(value, str) else f"{value:.17g}" if value != float(f"{value:.6g}") else f"{value:.6g}" for value in axis["bins"])
    return f"    - {{measure: {axis['measure']}, bins: [{bins}]}}\n"


def text(found):
    parts = []
    for kind, one in found.items():
        lines = [[*list(line.values())[:3], *map(short, list(line.values())[3:])] for line in one["measures"]]
        parts.append(f"{kind}: {one['kernels']} valid kernels of {one['sources']} source{'' if one['sources'] == 1 else 's'}\n\n" + table([name.replace("_", " ") for name in COLUMNS], lines)
                     + "".join(f"left out: {name}, {why}\n" for name, why in one["left_out"].items()))
        if one["proposal"]:
            parts.append(f"proposal: {one['filled']} of {one['cells']} cells filled, separation {short(one['separation'])}\n\n"
                         "archive:\n  axes:\n" + "".join(map(yaml_of, one["proposal"])))
        else:
            parts.append("proposal: none, no measure tells these kernels apart\n")
    return "\n".join(parts) + """
one source      share of pairs of kernels of one source, with other knobs, that share a bin
other sources   share of pairs of kernels of two sources, of one run and device, that lie in two bins
separation      other sources - (1 - one source); 1 is best. Without two sources: entropy of the bins over log(64)
evenness        entropy of the bins over that of equally filled bins
speed           share of the variance of the kernels' ranks by objective that the bins explain
"""
