"""Which measures of kernels make good axes of an archive, by the kernels that runs recorded.

An archive is useful where kernels of one source, which differ in their knobs, share a cell, and kernels of different sources
lie apart. Both are counted over pairs of kernels of one run. Measures without names of their own are divided into bins of
equal width between the 5th and the 95th percentile.
"""
import math

import numpy as np
import pandas as pd
import scipy.stats

from .runs import RunError, option
from .text import short, table

BINS, MOST_AXES = 4, 3
LEAST_GAIN = 0.02  # of separation, for one more axis
LEAST_KERNELS = 5  # of one task, for an effect on speed
HEAD = ["measure", "kernels", "values", "one source", "other sources", "separation", "evenness", "speed"]


def rounded(value, up):
    """To two digits, away from the values between the ends."""
    if value == 0 or not math.isfinite(value):
        return value
    step = 10.0 ** (math.floor(math.log10(abs(value))) - 1)
    return float(f"{(math.ceil if up else math.floor)(value / step) * step:.6g}")


def axis_of(name, values, known):
    """The axis as the configuration writes it: named bins, or `low`, `high`, `scale` and a number of bins."""
    if known.get("categories"):
        return {"measure": name, "bins": [label for label, _ in known["categories"]]}
    low, high = np.percentile(values, [5, 95])
    scale = known.get("scale") or ("log" if values.min() > 0 and high > 10 * low else "linear")
    if scale == "log" and low <= 0:
        scale = "linear"
    low, high = rounded(low, False), rounded(high, True)
    if scale == "log" and low <= 0 or low >= high:
        low, high = known.get("low", low - 0.5), known.get("high", high + 0.5)
    distinct = len(np.unique(values))
    return {"measure": name, "low": low, "high": high, "bins": max(2, min(BINS, distinct)), "scale": scale}


def bins_of(axis, values, known):
    """Of each value its bin; those outside lie in the first or last one."""
    if known.get("categories"):
        codes = np.array([value for _, value in known["categories"]])
        return np.abs(values[:, None] - codes).argmin(axis=1)
    change = np.log if axis["scale"] == "log" else np.asarray
    least = axis["low"] if axis["scale"] == "log" else -np.inf
    low, high = change([axis["low"], axis["high"]])
    place = (change(np.maximum(values, least)) - low) / (high - low) * axis["bins"]
    return np.clip(np.floor(place), 0, axis["bins"] - 1).astype(int)


def pairs_of(kernels):
    """Index pairs of kernels of one run, those of one source and those of two."""
    same, other = [], []
    for _, own in kernels.groupby("run", observed=True):
        place, source = own.index.to_numpy(), own.source.to_numpy()
        i, j = np.triu_indices(len(place), 1)
        equal = source[i] == source[j]
        same.append(np.stack([place[i[equal]], place[j[equal]]]))
        other.append(np.stack([place[i[~equal]], place[j[~equal]]]))
    return np.concatenate(same, axis=1), np.concatenate(other, axis=1)


def shares(cells, same, other):
    """(share of pairs of one source in one cell, share of pairs of two sources in two cells); NaN without pairs."""
    def share(pairs, together):
        equal = cells[pairs[0]] == cells[pairs[1]]
        return float((equal if together else ~equal).mean()) if pairs.shape[1] else math.nan
    return share(same, True), share(other, False)


def separation(cells, same, other):
    """How much more often two sources lie apart than one source does. Without pairs of two sources: entropy of the cells over that
    of all cells of a proposal."""
    together, apart = shares(cells, same, other)
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


def valid_kernels(runs, rows):
    """(kernels with their source and objective, their measures by name), each genome once a run."""
    own = runs.candidates[runs.candidates.run.isin(rows) & (runs.candidates.verdict == "ok")]
    kernels = own.drop_duplicates(["run", "genome"]).reset_index(drop=True)
    wide = runs.measures[runs.measures.run.isin(rows)].pivot_table(index=["run", "candidate"], columns="measure", values="value", observed=True)
    wide = wide[[name for name in wide.columns if not name.startswith("validation")]]
    return kernels, wide.reindex(pd.MultiIndex.from_frame(kernels[["run", "candidate"]])).reset_index(drop=True)


def axes_of(kernels, measures, known):
    """{kernels, sources, measures: [rows of HEAD by separation], proposal, cells, filled, separation}."""
    same, other = pairs_of(kernels)
    lines, axes, bins = [], {}, {}
    for name in measures.columns:
        if known and name not in known:
            continue
        values = measures[name]
        if values.isna().any() or values.nunique() < 2:  # an axis needs a value of every kernel
            continue
        values, about = values.to_numpy(), known.get(name, {})
        axes[name] = axis_of(name, values, about)
        bins[name] = bins_of(axes[name], values, about)
        together, apart = shares(bins[name], same, other)
        lines.append([name, len(values), len(np.unique(values)), together, apart, separation(bins[name], same, other),
                      evenness(bins[name], len(about.get("categories") or []) or axes[name]["bins"]), effect_on_speed(kernels, bins[name])])
    lines.sort(key=lambda line: (-line[5], -line[6], line[0]))
    chosen, cells, best = [], np.zeros(len(kernels), int), 0.0
    while len(chosen) < MOST_AXES:
        tried = {name: np.unique(np.stack([cells, one]), axis=1, return_inverse=True)[1].ravel() for name, one in bins.items() if name not in chosen}
        gains = {name: separation(one, same, other) for name, one in tried.items()}
        name = max(gains, key=gains.get, default=None)
        if name is None or gains[name] - best < LEAST_GAIN:
            break
        chosen.append(name)
        cells, best = tried[name], gains[name]
    count = [len(axes[name]["bins"]) if isinstance(axes[name]["bins"], list) else axes[name]["bins"] for name in chosen]
    return {"kernels": len(kernels), "sources": len(kernels[["run", "source"]].drop_duplicates()),
            "measures": [{word.replace(" ", "_"): None if value != value else value for word, value in zip(HEAD, line)} for line in lines],
            "proposal": [axes[name] for name in chosen], "cells": math.prod(count), "filled": len(np.unique(cells)) if chosen else 0,
            "separation": best}


def axes(runs, known=None):
    """{kind of device: axes_of() of its runs}. `known` holds, by kind and measure, what the program declares: categories as
    pairs of label and value, low, high, scale."""
    kinds = {row: option(config, "device.kind") for row, config in enumerate(runs.runs.config)}
    found = {}
    for kind in sorted(set(kinds.values())):
        kernels, measures = valid_kernels(runs, [row for row, own in kinds.items() if own == kind])
        if len(kernels) > 1 and len(measures.columns):
            found[kind] = axes_of(kernels, measures, (known or {}).get(kind, {}))
    if not found:
        raise RunError("axes: the runs hold no two valid kernels with measures")
    return found


def yaml_of(axis):
    """The axis as a line of a configuration."""
    words = {key: value if isinstance(value, (str, int)) else f"[{', '.join(value)}]" if isinstance(value, list) else f"{value:.6g}"
             for key, value in axis.items()}
    return f"    - {{{', '.join(f'{key}: {value}' for key, value in words.items())}}}\n"


def text(found):
    parts = []
    for kind, one in found.items():
        lines = [[line["measure"], line["kernels"], line["values"], *(short(line[name.replace(" ", "_")]) for name in HEAD[3:])]
                 for line in one["measures"]]
        parts.append(f"{kind}: {one['kernels']} valid kernels of {one['sources']} sources\n\n" + table(HEAD, lines))
        if one["proposal"]:
            parts.append(f"proposal: {one['filled']} of {one['cells']} cells filled, separation {short(one['separation'])}\n\n"
                         "archive:\n  axes:\n" + "".join(map(yaml_of, one["proposal"])))
        else:
            parts.append("proposal: none, no measure tells these kernels apart\n")
    return "\n".join(parts) + """
one source      share of pairs of kernels of one source, with other knobs, that share a bin
other sources   share of pairs of kernels of two sources of a run that lie in two bins
separation      other sources - (1 - one source); 1 is best. Without two sources in any run: entropy of the bins over log(64)
evenness        entropy of the bins over that of equally filled bins
speed           share of the variance of the kernels' ranks by objective that the bins explain
"""
