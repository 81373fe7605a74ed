"""Archives of runs: what stands in which cell, how diverse it is; draw_archives.py draws them.

`configured` is the archive that the search used, its islands together; `common` the grid that every run of a sweep fills
alike, whatever its strategy.
"""
import collections
import dataclasses
import functools
import math
import re

import numpy as np
import pandas as pd
import scipy.stats

from . import statistics
from .runs import RunError, option, query

MOST_CELLS = 20_000
SHOWN = {"objective": "objective", "visits": "candidates that fell into the cell", "share": "share of seeds that fill the cell",
         "mean": "mean objective over seeds that fill the cell"}


@dataclasses.dataclass
class Axis:
    """`edges` in the measure's unit, one more than bins; None for categories. `labels` name the bins."""
    measure: str
    unit: str
    labels: list
    edges: list = None
    log: bool = False

    @property
    def name(self):
        return self.measure if self.unit in ("", "1") else f"{self.measure} ({self.unit})"

    def value_at(self, position):
        """The value at a position in [0, 1] along the axis."""
        low, high = self.edges[0], self.edges[-1]
        return low * (high / low) ** position if self.log else low + (high - low) * position


@dataclasses.dataclass
class Shape:
    """Axes of a grid, the last one fastest in a cell's number; or centroids (cells, axes) in [0, 1]. A cell of a deep archive has
    `depth` places."""
    axes: list
    centroids: np.ndarray = None
    depth: int = 1

    @property
    def cells(self):
        return len(self.centroids) if self.centroids is not None else math.prod(len(axis.labels) for axis in self.axes)

    def bins(self, cell):
        """The bin of a grid's cell on each axis."""
        return np.unravel_index(cell, [len(axis.labels) for axis in self.axes])


def numbers(text):
    try:
        return [float(word) for word in text.strip("[]()").split(",")]
    except ValueError:
        return []


def axis_of(config, path, measure, unit, labels):
    """With the edges that the configuration says; those of the labels, of four digits, where it does not say them."""
    low, high = (numbers(option(config, f"{path}.{end}") or "x") for end in ("low", "high"))
    bins, log = numbers(option(config, f"{path}.bins") or "x"), option(config, f"{path}.scale") == "log"
    ranges = [numbers(label) for label in labels]
    if option(config, f"{path}.measure") != measure or not low or not all(len(found) == 2 for found in ranges):
        ranged = labels and all(len(found) == 2 for found in ranges)
        return Axis(measure, unit, labels, [found[0] for found in ranges] + [ranges[-1][1]] if ranged else None)
    axis = Axis(measure, unit, labels, [low[0], high[0]], log and low[0] > 0)
    axis.edges = bins if len(bins) == len(labels) + 1 else [axis.value_at(i / len(labels)) for i in range(len(labels))] + [high[0]]
    return axis


def centroid_axis(config, path, measure):
    axis = axis_of(config, path, measure, "", ["[0, 1]"])
    if axis.edges == [0, 1] and option(config, f"{path}.low") == "":
        return Axis(measure, "", [], None)
    return axis if not option(config, f"{path}.bins").strip("[]").split(",")[0].strip()[:1].isalpha() else Axis(measure, "", [], None)


def shape_of(runs, run, archive="configured"):
    """Shape of the archive of a run; None where it has no axes."""
    if not hasattr(runs, "_shapes"):
        runs._shapes, runs._axes = {}, dict(tuple(runs.axes.groupby(["run", "archive"], observed=True)))
    own = runs._axes.get((run, archive))
    if own is None:
        return None
    config = "\n".join(line for line in runs.runs.config[run].split("\n") if line.startswith(("archive.", "passive.")))
    key = archive, config, tuple(own.label)
    if key not in runs._shapes:
        runs._shapes[key] = made_shape(config, own, archive)
    return runs._shapes[key]


def made_shape(config, own, archive):
    path = "passive.axes" if archive == "common" and option(config, "passive.kind") else "archive.axes"
    several = option(config, f"{path}.0.measure") == ""
    found = [(group.measure.iloc[0], group.unit.iloc[0], list(group.label)) for _, group in own.groupby("position")]
    if found[0][0] == "validation":
        found = found[1:]
    depth = len(found[-1][2]) if found[-1][0] == "place" else 1
    found = found[:-1] if found[-1][0] == "place" else found
    if len(found) == 1 and found[0][0].startswith("cvt("):
        measures = found[0][0][4:-1].split(", ")
        return Shape([centroid_axis(config, f"{path}.{i}", measure) for i, measure in enumerate(measures)],
                     np.array([numbers(label) for label in found[0][2]]), depth)
    return Shape([axis_of(config, "" if several else f"{path}.{i}", *axis) for i, axis in enumerate(found)], None, depth) if found else None


def cells(runs, archive="configured"):
    """One row a filled or visited cell of each run: `objective` of its best elite and which `candidate` that is, over islands and
    over the places of a deep archive; `visits`, candidates that fell there; `clipped`, those of them outside of an axis."""
    known = sorted({"configured", "common", *runs.axes.archive})
    if archive not in known:
        raise RunError(f"there is no archive '{archive}': {', '.join(known)}")
    depths = pd.Series({run: (shape.depth, shape.cells) for run in range(len(runs)) if (shape := shape_of(runs, run, archive))}, dtype=object)
    keys = ["run", "arm", "task", "seed", "cell"]

    def folded(frame):
        own = frame[(frame.archive == archive) & frame.run.isin(depths.index)]
        depth, count = (own.run.map(depths.map(lambda pair, i=i: pair[i])).astype(int) for i in (0, 1))
        return own.assign(cell=own.cell // depth)[own.cell // depth < count].drop(columns=["archive"])
    elites = folded(runs.archive).sort_values("objective", kind="stable").drop_duplicates(["run", "cell"], keep="last")
    offered = folded(runs.archive_events).drop_duplicates(["run", "cell", "candidate"])
    visits = offered.groupby(["run", "cell"]).agg(visits=("candidate", "size"), clipped=("clipped", "sum"))
    found = elites[[*keys, "candidate", "objective"]].set_index(["run", "cell"]).join(visits, how="outer").reset_index()
    table = runs.runs[["arm", "task", "seed"]].iloc[found.run].reset_index(drop=True)
    return found.assign(arm=table.arm, task=table.task, seed=table.seed).fillna({"visits": 0, "clipped": 0, "candidate": ""})[
        [*keys, "candidate", "objective", "visits", "clipped"]]


def entropy(counts, size):
    """Of visits over log(cells): 1 when all cells were visited alike, 0 when one was. NumPy's logarithm depends on the processor."""
    total = sum(counts)
    shares = [count / total for count in counts if count > 0]
    return abs(math.fsum(share * math.log(share) for share in shares) / math.log(size)) if size > 1 else 0.0


def diversity(runs, archive="configured"):
    """One row a run: `cells`, `filled`, `coverage`, `qd_score` (sum of the elites' objectives), `entropy` of visits, and how many
    measurements were `clipped` into border cells. NaN where the archive has no axes."""
    every, found = cells(runs, archive), []
    by_run = dict(tuple(every.groupby("run")))
    for run, row in enumerate(runs.runs.itertuples()):
        shape, own = shape_of(runs, run, archive), by_run.get(run, every.iloc[:0])
        keys = {"run": run, "arm": row.arm, "task": row.task, "seed": row.seed}
        if shape is None:
            found.append({**keys, "cells": 0, "filled": 0, "coverage": np.nan, "qd_score": np.nan, "entropy": np.nan, "visits": 0, "clipped": 0})
            continue
        filled = own.objective.notna().sum()
        found.append({**keys, "cells": shape.cells, "filled": filled, "coverage": filled / shape.cells, "qd_score": own.objective.sum(),
                      "entropy": entropy(own.visits, shape.cells), "visits": int(own.visits.sum()), "clipped": int(own.clipped.sum())})
    return pd.DataFrame(found)


def intervals(runs, archive="configured", level=0.95):
    """Means over the seeds of each arm on each task of coverage, QD score and entropy, each with its interval."""
    table = diversity(runs, archive).dropna(subset=["coverage"])
    return pd.DataFrame([(task, arm, measure, len(own), *mean_and_interval(own[measure], measure, level))
                         for (task, arm), own in table.groupby(["task", "arm"], sort=False) for measure in ("coverage", "qd_score", "entropy")],
                        columns=["task", "arm", "measure", "seeds", "mean", "low", "high"])


def mean_and_interval(values, measure, level=0.95):
    """(mean, low, high): Student's t over the seeds, within [0, 1] for shares; NaN around one seed."""
    mean, count = float(np.mean(values)), len(values)
    if count < 2:
        return mean, np.nan, np.nan
    half = float(scipy.stats.t.ppf((1 + level) / 2, count - 1)) * float(np.std(values, ddof=1)) / math.sqrt(count)
    share = measure in ("coverage", "entropy")
    return mean, max(0.0, mean - half) if share else mean - half, min(1.0, mean + half) if share else mean + half


def course_intervals(runs, measure="coverage", archive="configured", points=50, level=0.95):
    """Means over the seeds of each arm on each task after so many `evaluations`, up to where the first of them ends: `mean`, `low`
    and `high` as in `intervals`. `measure`: a column of `courses`."""
    found = []
    for (task, arm), own in courses(runs, archive).groupby(["task", "arm"], sort=False):
        grid = np.unique(np.linspace(1, own.groupby("run").evaluations.max().min(), points).round())
        by_seed = np.array([statistics.value_at(seed.evaluations, seed[measure], grid, 0.0) for _, seed in own.groupby("run")])
        found += [(task, arm, int(at), len(by_seed), *mean_and_interval(values, measure, level)) for at, values in zip(grid, by_seed.T)]
    return pd.DataFrame(found, columns=["task", "arm", "evaluations", "seeds", "mean", "low", "high"])


def median_runs(runs):
    """For each task and arm, (run with the lower median of the best objectives, number of runs); the earlier run wins ties."""
    table = runs.runs.assign(best=runs.runs.best.fillna(0), place=[runs.arms.index(arm) for arm in runs.runs.arm])
    found = []
    for _, own in table.groupby(["task", "place"]):
        ordered = own.sort_values("best", kind="stable")
        found.append((int(ordered.index[(len(ordered) - 1) // 2]), len(ordered)))
    return found


def places(shape, cell):
    """(row, column, label of the row, label of the column) of a grid's cell: the last axis along the columns, all others along the
    rows."""
    labels = [axis.labels[at] for axis, at in zip(shape.axes, shape.bins(cell))]
    return *divmod(cell, len(shape.axes[-1].labels)), " / ".join(labels[:-1]), labels[-1]


def table(runs, archive="configured"):
    """(one row a cell of the median run of each arm and task, empty ones too; why runs are left out). `share`, `mean` and `seeds`
    are over all runs of the arm on the task."""
    every, found, why = cells(runs, archive), [], ""
    for run, _ in median_runs(runs):
        row, shape = runs.runs.iloc[run], shape_of(runs, run, archive)
        if shape is None:
            why = f"the {archive} archive has no axes"
        elif shape.cells > MOST_CELLS:
            why = f"the {archive} archive has {shape.cells} cells; up to {MOST_CELLS} are drawn"
        else:
            found += list(rows_of(runs, every, row, shape, run))
    return pd.DataFrame(found), why


def rows_of(runs, every, row, shape, run):
    seeds = int(((runs.runs.arm == row.arm) & (runs.runs.task == row.task)).sum())
    of_arm = every[(every.arm == row.arm) & (every.task == row.task)]
    filled, own = of_arm.dropna(subset=["objective"]).groupby("cell").objective, of_arm[of_arm.run == run].set_index("cell")
    share, mean = filled.size() / seeds, filled.mean()
    column = shape.axes[-1].name
    row_axis = " / ".join(axis.name for axis in shape.axes[:-1])
    if shape.centroids is not None and len(shape.axes) == 2:
        row_axis = shape.axes[0].name
    for cell in range(shape.cells):
        known = cell in own.index
        yield {"task": row.task, "arm": row.arm, "seed": row.seed, "cell": cell,
               **dict(zip(("row", "column", "row_bin", "column_bin"), places(shape, cell) if shape.centroids is None else ("", "", "", ""))),
               "row_axis": row_axis, "column_axis": column, "x": "" if shape.centroids is None else float(shape.centroids[cell][-1]),
               "y": "" if shape.centroids is None else float(shape.centroids[cell][-2]) if len(shape.axes) > 1 else 0.5,
               "candidate": own.candidate[cell] if known else "", "objective": own.objective[cell] if known else np.nan,
               "visits": int(own.visits[cell]) if known else 0, "clipped": int(own.clipped[cell]) if known else 0,
               "share": share.get(cell, 0.0), "mean": mean.get(cell, np.nan), "seeds": seeds}


def draw(runs, archive="configured", show="objective", limits=None, cmap="viridis", arms=None):
    """Figures, one a page: tasks by `arms` (all, or a list of names), each the median run by best objective, or all seeds where
    `show` is "share" or "mean". `limits`: (low, high) of the colours, by default those of a task. Drawn are grids of one to three
    axes, centroids of one or two measures in their units; more axes as parallel lines. Fonts, lines and spines are those of
    rcParams where the caller changed them."""
    from . import draw_archives, style
    if show not in SHOWN:
        raise RunError(f"archive: show = {show} is not one of {' | '.join(SHOWN)}")
    frame, why = table(runs, archive)
    if not len(frame):
        raise RunError(why or "no run to draw")
    for arm in arms or []:
        if arm not in runs.arms:
            raise RunError(f"archive: arms = {arm} is not one of {' | '.join(runs.arms)}")
    with style.context():
        names = style.Arms(runs.arms, runs.labels, list(dict.fromkeys(runs.runs.task)))
        return list(draw_archives.pages(runs, frame if arms is None else frame[frame.arm.isin(arms)], archive, show, limits, cmap, names))


# ---- diversity over the course of a search ----

MOST_POINTS, MOST_SOURCES = 60, 1000


# Comments and splices, then numbers, raw strings, strings, words, signs, as in operators/llm/shingles.cpp.
TOKEN = re.compile(r"""//[^\n]*|/\*.*?(?:\*/|\Z)|\\\r?\n|(\.?\d(?:(?<=[eE])[+-]|'(?=\w)|[\w.])*|R"([^(]{0,16})\(.*?\)\2"|
                       "(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?|\w+|\S)""", re.S | re.X)


def shingles(text):
    """Runs of four tokens of a source, or all of them where there are fewer."""
    tokens = [found[1] for found in TOKEN.finditer(text) if found[1]]
    return {tuple(tokens[i:i + 4]) for i in range(max(1, len(tokens) - 3))} if tokens else set()


class Distances:
    """Between sources of a run file, by their rows: 1 - the Jaccard index of their runs of four tokens [Broder1997]."""

    def __init__(self, file):
        self.texts = functools.cache(lambda: dict(query(file, "SELECT id, text FROM source")))
        self.shingles = functools.cache(lambda source: shingles(self.texts()[source]))
        self.between = functools.cache(self._between)

    def _between(self, a, b):
        one, other = self.shingles(a), self.shingles(b)
        return 1 - len(one & other) / len(one | other) if one | other else 0.0

    def mean(self, sources):
        """Over all pairs of kernels with these sources; 0 for fewer than two kernels."""
        counts = sorted(collections.Counter(sources).items())
        if len(counts) > MOST_SOURCES:
            return np.nan
        total = sum(n * m * self.between(a, b) for i, (a, n) in enumerate(counts) for b, m in counts[:i])
        kernels = len(sources)
        return total / (kernels * (kernels - 1) / 2) if kernels > 1 else 0.0


def courses(runs, archive="configured"):
    """Diversity at about 60 steps of each run: `evaluations`, `coverage`, `qd`, `entropy` of visits so far, `code`: mean distance of
    the elites' sources. None of a numeric search, whose changes are not recorded, and of runs without a valid kernel."""
    runs.load("archive_events", "steps", "candidates", "axes")
    events = runs.archive_events
    by_run = dict(tuple(events[events.archive == archive].groupby("run")))
    steps = dict(tuple(runs.steps.groupby("run")))
    candidates = dict(tuple(runs.candidates[["run", "candidate", "source"]].groupby("run")))
    found = []
    for run, row in enumerate(runs.runs.itertuples()):
        shape, own = shape_of(runs, run, archive), by_run.get(run)
        if shape is None or own is None or not row.found:
            continue
        sources, distances = dict(zip(candidates[run].candidate, candidates[run].source)), Distances(row.file)
        events_of_run = list(zip(own.step, own.cell // shape.depth, own.cell, own.candidate, own.status.astype(object), own.objective, own.island))
        evaluations, count = steps[run].evaluations.to_numpy(), len(steps[run])
        elites, visits, seen, at = {}, {}, set(), 0
        filled = score = spread = code = 0.0
        points = min(MOST_POINTS, count)
        for point in range(1, points + 1):
            step, before, changed = point * count // points - 1, len(seen), False
            while at < len(events_of_run) and events_of_run[at][0] <= step:
                _, cell, place, candidate, status, objective, island = events_of_run[at]
                if cell < shape.cells:
                    if (cell, candidate) not in seen:
                        seen.add((cell, candidate))
                        visits[cell] = visits.get(cell, 0) + 1
                    if status in ("new_cell", "improved"):
                        elites[island, place], changed = (cell, objective, candidate), True
                at += 1
            if changed:
                best = {}
                for cell, objective, _ in elites.values():
                    best[cell] = max(objective, best.get(cell, -np.inf))
                filled, score = len(best) / shape.cells, sum(best.values())
                code = distances.mean([sources[candidate] for *_, candidate in elites.values()])
            if len(seen) > before:
                spread = entropy(list(visits.values()), shape.cells)
            found.append((run, row.arm, row.task, row.seed, int(evaluations[step]), filled, score, spread, code))
    return pd.DataFrame(found, columns=["run", "arm", "task", "seed", "evaluations", "coverage", "qd", "entropy", "code"])
