"""What the runs of a sweep show, and what they cannot show.

`compare` reads one figure from each run, pairs the arms, and answers with a Comparison: frames `arms` and `contrasts`, and
`document`, the JSON of `kernelevolve compare --json`. Numbers that there are not are None there.
"""
import collections
import dataclasses
import itertools
import math

import numpy as np
import pandas as pd

from . import captions, statistics
from .analysis import Analysis, read_analysis
from .runs import RunError, Runs, open, option, query, sha256

FAST = [1, 1.5, 2]  # speedups that count as fast, one fast_p each [Ouyang2025]
USUAL_SPEEDUPS = [0, 0.8, 1, 1.2, 1.5, 2, 3, 5]
MOST_THRESHOLDS, MOST_NAMED, MOST_PLANNED = 400, 5, 1000
CURRENCIES = ["evaluations", "proposals", "device_seconds", "seconds"]
DIVERSITY = {"qd_score": "configured", "coverage": "configured", "common_qd_score": "common", "common_coverage": "common"}


# ---- endpoints: one value a run ----

def cells_of(runs, archive):
    """For each run: (filled cells, cells, sum over cells of the best objective), or None where the archive has no axes. Places
    of a deep archive share a cell; specialists stand in no cell of the archive proper."""
    axes, elites = runs.axes, runs.archive
    shapes = {run: list(own.groupby("position").agg(measure=("measure", "first"), bins=("bin", "size")).itertuples(index=False))
              for run, own in axes[axes.archive == archive].groupby("run")}
    by_run = dict(tuple(elites[elites.archive == archive].groupby("run")))
    found = []
    for run in range(len(runs)):
        if run not in shapes:
            found.append(None)
            continue
        shape = shapes[run]
        special = shape[0].measure == "validation"
        depth = shape[-1].bins if shape[-1].measure == "place" else 1
        cells = math.prod(axis.bins for axis in shape[special:]) // depth
        own = by_run.get(run, elites.iloc[:0])
        own = own[own.cell < cells * depth]
        best = own.objective.groupby(own.cell // depth).max()
        found.append((len(best), cells, float(best.sum())))
    return found


def limits_of(runs):
    """The limit on evaluations of each run, or the number at its end where it has none."""
    limits = pd.to_numeric(runs.options("budget.evaluations", ""), errors="coerce").fillna(0)
    return np.where(limits > 0, limits, np.maximum(1, runs.runs.evaluations)).astype(int)


def area_under(points, limit, before):
    """Mean over evaluations 1 to `limit` of the best objective so far; `before` stands for it until the first valid kernel."""
    total, best, at = 0.0, before, 0
    for evaluations, reached in points:
        until = min(max(evaluations - 1, at), limit)
        total, at = total + best * (until - at), until
        best = best if np.isnan(reached) else reached
    return (total + best * (limit - at)) / limit


def progress_of(runs):
    points = {run: list(zip(own.evaluations, own.best)) for run, own in runs.steps.groupby("run")}
    return [points.get(run, []) for run in range(len(runs))]


def opponents_of(runs, analysis):
    """{run: its champion's figure against the baseline of the analysis}. The strongest baseline stands first; the anchor counts only
    where there is no other, and forms in TF32, which are less accurate, only where there is no anchor."""
    table = runs.champions
    table = table[(table.champion == 1) & (table.role == analysis.role)]
    if analysis.baseline != "strongest":
        table = table[table.baseline == analysis.baseline]
    rank = table.baseline.eq("anchor") + 2 * table.baseline.str.endswith("_tf32")
    ordered = table.iloc[np.argsort(rank.to_numpy(), kind="stable")]
    return {row.run: row for row in ordered.drop_duplicates("run").itertuples()}


def verified_of(runs, analysis):
    """(value, why there is none) of each run. Without a champion the baseline stays deployed, which is as fast as itself."""
    opponents = opponents_of(runs, analysis)
    for run, champion in enumerate(runs.runs.champion):
        own = opponents.get(run)
        if not champion:
            yield 1.0, ""
        elif own is None:
            yield np.nan, f"its champion has no verified figure against '{analysis.baseline}' on {analysis.role}"
        elif own.speedup > 0:
            yield float(own.speedup), ""
        else:
            yield np.nan, f"its champion has no speedup over {own.baseline}: {own.note}"


def endpoint_of(runs, analysis):
    """(values, censored, why a run has no value)."""
    count, end = len(runs), analysis.endpoint
    none = [False] * count, [""] * count
    # A run on a device that found no valid kernel leaves the starting kernel in place, whose objective is 1.
    start = np.where(runs.runs.objective == "anchor", 1.0, np.nan)
    if end == "best_seen":
        return np.where(runs.runs.found, runs.runs.best, start), *none
    if end == "auc":
        return np.array([area_under(points, limit, 0.0 if np.isnan(before) else before) if found else before for points, limit, before, found in
                         zip(progress_of(runs), limits_of(runs), start, runs.runs.found)]), *none
    if end == "best_verified_speedup":
        values, missing = zip(*verified_of(runs, analysis)) if count else ((), ())
        return np.array(values), none[0], list(missing)
    if end in DIVERSITY:
        archive, words = DIVERSITY[end], "its archive has no axes; endpoint=common_" + end.removeprefix("common_")
        cells = cells_of(runs, archive)
        values = [np.nan if own is None else own[0] / own[1] if "coverage" in end else own[2] for own in cells]
        return np.array(values), none[0], [words if own is None else "" for own in cells]
    arrivals = [next((max(1, at) for at, best in points if best >= analysis.target), None) for points in progress_of(runs)]
    return (np.array([limit if at is None else at for at, limit in zip(arrivals, limits_of(runs))], dtype=float),
            [at is None for at in arrivals], none[1])


def sol_score(t, t_baseline, t_limit):
    """0.5 at the baseline, 1 at the limit, within [0, 1] [Lin2026]; a baseline at its limit leaves 1 for a kernel at it too, else 0."""
    gap = t_baseline - t_limit
    return float(t <= t_limit) if gap <= 0 else 1 / (1 + max(t - t_limit, 0.0) / gap)


def sol_scores(runs, analysis):
    """Mean of the champion's scores over the workloads of the role, for each run; NaN without a measured bandwidth or times, or
    where the peak was measured and the run does not say how many cores its kernels had."""
    table = runs.workloads
    table = table[(table.role == analysis.role) & (table.bandwidth > 0)]
    own_times = table.groupby(["run", "workload"]).candidate_ns.mean()
    by_run, opponents, found = dict(tuple(table.groupby("run"))), opponents_of(runs, analysis), []
    bounded = set(runs.work.run[(runs.work.role == analysis.role) & runs.work.bandwidth.notna()])
    for run, row in enumerate(runs.runs.itertuples()):
        own = by_run.get(run)
        if run not in bounded or not np.isnan(row.peak_flops_per_s) and np.isnan(row.threads):
            found.append(np.nan)
        elif not row.champion:
            found.append(0.5)
        elif own is None or run not in opponents:
            found.append(np.nan)
        else:
            peak = row.peak_flops_per_s * (1 if np.isnan(row.threads) else row.threads)
            scores = [sol_score(own_times[run, work.workload], work.opponent_ns, max(
                work.bytes / work.bandwidth * 1e9, 0 if np.isnan(peak) else work.flops / peak * 1e9))
                for work in own[own.baseline == opponents[run].baseline].itertuples()]
            found.append(np.mean(scores) if scores else np.nan)
    return np.array(found, dtype=float)


def observe(runs, analysis):
    """One row a run: arm, task, device, seed, value, censored, found, group, sol, gain; and {file: why there is no value}."""
    values, censored, why = endpoint_of(runs, analysis)
    table = runs.runs[["arm", "task", "device", "seed", "found", "file"]].assign(
        value=np.asarray(values, dtype=float), censored=censored, group=runs.runs.category, sol=np.nan)
    if analysis.endpoint == "best_verified_speedup":
        table["sol"] = sol_scores(runs, analysis)
    missing = {file: words for file, words in zip(table.file, why) if words}
    table = table[np.array([not words for words in why], dtype=bool)]
    bad = table[np.isinf(table.value) | (table.value <= 0 if analysis.log_scale else False)]
    for row in bad.itertuples():
        what = "is not finite" if np.isinf(row.value) else "has no logarithm; set analysis.scale: linear"
        raise RunError(f"arm '{row.arm}', task '{row.task}', seed {row.seed}: {analysis.endpoint} = {row.value:g} {what}")
    return table.assign(gain=gain_of(analysis, table.value)), missing


def gain_of(analysis, values):
    """On the scale on which arms are compared, larger is better."""
    scaled = np.log(values) if analysis.log_scale else values
    return scaled if analysis.larger_is_better else -scaled


def effect_of(analysis, gain):
    """Back from a gain: a ratio on the log scale, in the endpoint's own direction."""
    natural = gain if analysis.larger_is_better else -gain
    return math.exp(min(natural, 709.7)) if analysis.log_scale else natural


# ---- samples, arms and contrasts ----

PLACE = ["task", "device", "seed"]


def sample_of(table):
    """Gains by task, device and seed, of the runs that have one."""
    return table.dropna(subset=["gain"]).drop_duplicates(PLACE, keep="last").set_index(PLACE).gain.sort_index()


def hierarchy_of(analysis, sample):
    """sample -> [unit][device][seed]. Devices are averaged over the tasks that all have; seeds and chains over all tasks and
    devices, without those that some of them lack."""
    if not len(sample):
        return []
    if analysis.unit == "task":
        return [[list(own) for _, own in unit.groupby(level="device", sort=True)] for _, unit in sample.groupby(level="task", sort=True)]
    if analysis.unit == "device":
        table = sample.groupby(level=["task", "device"]).agg(lambda own: reduced(analysis, own)).unstack("device").dropna()
        return [[[value]] for value in table.mean()] if len(table) else []
    table = sample.unstack(["task", "device"]).dropna()
    return [[[np.mean(row)]] for row in table.to_numpy()]


def reduced(analysis, values):
    return float(statistics.REDUCTIONS[analysis.reduce](np.asarray(values, dtype=float)))


def interval_of(analysis, hierarchy, stream):
    return statistics.hierarchical_bootstrap(hierarchy, statistics.Stream(statistics.BOOTSTRAP_SEED, stream), analysis.repetitions,
                                             1 - analysis.alpha, reduction=analysis.reduce)


def figure(value=None, low=-math.inf, high=math.inf):
    """Of JSON: None for what is not known."""
    return {"value": value, "ci": [bound if value is not None and math.isfinite(bound) else None for bound in (low, high)]}


def figure_of(analysis, value, low, high, limits):
    """An interval of gains as effects, cut to what there can be unless nothing is known of it."""
    a, b = sorted(effect_of(analysis, bound) if math.isfinite(bound) else bound * (1 if analysis.larger_is_better else -1) for bound in (low, high))
    if math.isfinite(low) or math.isfinite(high):
        a, b = max(a, limits[0]), min(b, limits[1])
    return figure(effect_of(analysis, value), a, b)


def ranges(analysis, objectives, table):
    """(range of values, range of effects) that the endpoint can have; infinite where a value lies outside."""
    low, high = -math.inf, math.inf
    if "coverage" in analysis.endpoint:
        low, high = 0, 1
    elif analysis.endpoint == "best_verified_speedup":
        low = 0
    elif analysis.endpoint == "evaluations_to_target":
        low, high = 1, max(table.value[table.censored], default=math.inf)
    elif "" not in objectives:
        low = 0
        if analysis.endpoint in ("best_seen", "auc") and objectives == {"optimum"}:
            high = 1
    if not table.value.dropna().between(low, high).all():
        low, high = -math.inf, math.inf
    if not analysis.log_scale:
        return (low, high), (low - high, high - low)
    return (low, high), (0, math.inf) if low <= 0 or math.isinf(high) else (low / high, high / low)


def fast_shares(own, tasks):
    """Shares of tasks above each of FAST; a task without a figure is not fast."""
    return {f"{threshold:g}": float((own.value > threshold).groupby(own.task).mean().sum() / tasks) for threshold in FAST}


def groups_of(analysis, table, own):
    names = sorted(table.group.unique())
    for name in names if len(names) > 1 else []:
        inside = own[own.group == name]
        gains = sample_of(inside).groupby(level="task").agg(lambda gains: reduced(analysis, gains)) if len(inside) else []
        yield {"name": name or "not stated", "tasks": int(inside.task.nunique()),
               "mean": effect_of(analysis, float(np.mean(gains))) if len(gains) else None,
               "fast": fast_shares(inside, table[table.group == name].task.nunique())}


def arm_figures(analysis, name, table, limits, stream):
    """Of an arm alone, in the endpoint's own unit."""
    runs = table[table.arm == name]
    own, hierarchy = runs.dropna(subset=["value"]), hierarchy_of(analysis, sample_of(runs))
    arm = {"name": name, "tasks": int(own.task.nunique()), "runs": len(runs), "found": int(runs.found.sum()), "censored": int(own.censored.sum()),
           "mean": figure(), "units": 0, "median": float(own.value.median()) if len(own) else None,
           "iqm": float(statistics.iqm(own.value.to_numpy())) if len(own) else None, "expected_running_time": None, "fast": {}, "sol": None,
           "sol_runs": 0, "groups": []}
    if hierarchy:
        found = interval_of(analysis, hierarchy, stream)
        arm["mean"], arm["units"] = figure_of(analysis, found.value, found.low, found.high, limits), len(found.unit_values)
    if analysis.endpoint == "evaluations_to_target":
        arm["expected_running_time"] = statistics.expected_running_time(own.value, ~own.censored.astype(bool))
    if analysis.endpoint == "best_verified_speedup":
        scored = own.dropna(subset=["sol"])
        arm.update(fast=fast_shares(own, table.task.nunique()), sol_runs=len(scored), groups=list(groups_of(analysis, table, own)),
                   sol=float(scored.groupby("task").sol.mean().mean()) if len(scored) else None)
    return arm


def margin_of(analysis):
    return math.log(1 + analysis.min_effect) if analysis.log_scale else analysis.min_effect


def contrast_of(analysis, arm, table, family, stream, limits):
    """(an arm against the reference, notes on its limits)."""
    own, reference = (sample_of(table[table.arm == name]) for name in (arm, analysis.reference))
    contrast = {"arm": arm, "units": 0, "pairs": 0, "effect": figure(), "p": None, "p_adjusted": None, "p_equivalence": None,
                "a12": None, "conclusion": "", "unit_values": [], "means_of_pairs": None}
    scores = [statistics.a12(own[task], reference[task]) for task in own.index.unique("task") if task in reference.index.unique("task")]
    if scores:
        contrast["a12"] = float(np.mean(scores))
    notes = (unpaired if analysis.test == "mann_whitney" else paired)(analysis, contrast, own, reference, family, stream, limits)
    return contrast, notes


def paired(analysis, contrast, own, reference, family, stream, limits):
    differences = (own - reference).dropna()
    hierarchy = hierarchy_of(analysis, differences)
    contrast["pairs"] = len(differences)
    notes = list(without_partner(analysis, contrast, own, reference, differences))
    if not hierarchy:
        if len(differences):  # pairs, but no unit of them is whole
            notes.append(f"no {analysis.unit} of '{contrast['arm']}' and '{analysis.reference}' has all of its pairs: no difference")
        return notes
    interval = interval_of(analysis, hierarchy, stream)
    units, values = len(interval.unit_values), interval.unit_values
    contrast.update(units=units, unit_values=values.tolist(), effect=figure_of(analysis, interval.value, interval.low, interval.high, limits),
                    means_of_pairs=[effect_of(analysis, mean_over_units(hierarchy_of(analysis, sample[differences.index])))
                                    for sample in (own, reference)])
    beyond = statistics.out_of_reach(analysis.alpha, family, pairs=units)
    if beyond:
        notes.append(beyond)
    elif analysis.test == "wilcoxon":
        contrast["p"] = float(statistics.wilcoxon(values)[0])
    else:  # the bootstrap alone rejects too often with few units; sign flips are exact there
        contrast["p"] = max(interval.p, statistics.sign_flip(values, statistics.Stream(statistics.BOOTSTRAP_SEED, stream, 1)))
    if analysis.min_effect > 0 and units > 1:
        contrast["p_equivalence"] = float(statistics.paired_equivalence(values, margin_of(analysis))[0])
    return notes


def mean_over_units(hierarchy):
    """Each unit counts with the mean of its devices."""
    return float(np.mean([np.mean([np.mean(device) for device in unit]) for unit in hierarchy]))


def without_partner(analysis, contrast, own, reference, differences):
    """A sentence for each side of runs that the other side lacks."""
    arm, other = contrast["arm"], analysis.reference
    if not len(differences):
        yield (f"no pairs: '{arm}' ({places_text(own.index)}) and '{other}' ({places_text(reference.index)}) have no task, device and seed in "
               "common: no difference, no p-value")
        return
    for name, index in ((other, own.index.difference(reference.index)), (arm, reference.index.difference(own.index))):
        if len(index):
            yield f"{name} has no {places_text(index)}: left out of the difference"


def places_text(index):
    """'seed 4', 'softmax seeds 1, 2; conv2d seed 3'."""
    if not len(index):
        return "no value"
    tasks, several = index.unique("task"), index.nunique() > 1
    parts = []
    for task in tasks[:MOST_NAMED]:
        seeds = sorted(set(index[index.get_level_values("task") == task].get_level_values("seed")))
        few = ", ".join(map(str, seeds[:MOST_NAMED])) + (f" and {len(seeds) - MOST_NAMED} more" if len(seeds) > MOST_NAMED else "")
        parts.append(f"{task + ' ' if len(tasks) > 1 else ''}seed{'s' if len(seeds) > 1 and several else ''} {few}")
    return "; ".join(parts) + (f"; and {len(tasks) - MOST_NAMED} more tasks" if len(tasks) > MOST_NAMED else "")


def unpaired(analysis, contrast, own, reference, family, stream, limits):
    """Mann and Whitney's test, with Welch's interval of the difference of means."""
    def units(sample):
        hierarchy = hierarchy_of(analysis, sample)
        return interval_of(analysis, hierarchy, stream).unit_values if hierarchy else np.empty(0)
    x, y = units(own), units(reference)
    contrast["units"] = min(len(x), len(y))
    beyond = statistics.out_of_reach(analysis.alpha, family, values=(len(x), len(y)))
    if not beyond:
        contrast["p"] = statistics.mann_whitney(x, y)
    if min(len(x), len(y)) > 1:
        margin = margin_of(analysis) if analysis.min_effect > 0 else 1
        p, low, high = statistics.independent_equivalence(x, y, margin, analysis.alpha / 2)
        contrast["effect"] = figure_of(analysis, float(np.mean(x) - np.mean(y)), low, high, limits)
        contrast["p_equivalence"] = float(p) if analysis.min_effect > 0 else None
    return [beyond] if beyond else []


def adjust(analysis, contrasts, name, to):
    """The family consists of all contrasts; those without a p-value count as 1."""
    p = [1.0 if contrast[name] is None else contrast[name] for contrast in contrasts]
    for contrast, value in zip(contrasts, statistics.holm(p) if analysis.holm else p):
        if contrast[name] is not None:
            contrast[to] = value


def conclusion_of(analysis, contrast):
    """better and worse need significance, equivalent min_effect and two one-sided tests."""
    if contrast["p_adjusted"] is not None and contrast["p_adjusted"] < analysis.alpha and contrast["effect"]["value"] is not None:
        return "better" if (contrast["effect"]["value"] > (1 if analysis.log_scale else 0)) == analysis.larger_is_better else "worse"
    if contrast["p_equivalence"] is not None and contrast["p_equivalence"] < analysis.alpha:
        return "equivalent"
    return "undecided" if contrast["p"] is not None else "out of reach"


def scope_notes(analysis, table, arms):
    tasks = sorted(table.task.unique())
    if analysis.unit == "task" and len(tasks) == 1:
        yield (f"one task: nothing can be concluded about other tasks; intervals and p-values speak of '{tasks[0]}' alone, over its seeds or devices")
    if analysis.unit != "task" and len(tasks) > 1:
        yield f"the unit is the {analysis.unit}: conclusions hold for these {len(tasks)} tasks, not for tasks in general"
    fewest = min([arm["units"] for arm in arms], default=0)
    if fewest < statistics.LEAST_UNITS:
        yield (f"intervals rest on {fewest} unit{'' if fewest == 1 else 's'}: they are wide, and hold their level from {statistics.LEAST_UNITS} units on")


def found_note(analysis, table):
    """How runs without a valid kernel count."""
    if table.found.all() or analysis.endpoint in ("evaluations_to_target", *DIVERSITY):
        return []
    counts = ", ".join(f"{own.found.sum()} of {len(own)} of '{arm}'" for arm, own in table.groupby("arm", sort=False))
    lost = table[~table.found]
    rule = ("counts as the starting kernel, with the value 1" if lost.value.notna().all() else
            "has no value: means and differences are of the others, and the column found is a result of its own")
    return [f"runs that found a valid kernel: {counts}; one that did not {rule}"]


def compare_arms(analysis, arms, table, objectives):
    """Of observations of these arms, in this order: {arms, contrasts, by_task, ranks, held_out, notes}."""
    present = [arm for arm in arms if (table.arm == arm).any()]
    if analysis.reference not in present:
        raise RunError(f"no run of the reference arm '{analysis.reference}' has a figure")
    value_range, effect_range = ranges(analysis, objectives, table)
    figures = [arm_figures(analysis, arm, table, value_range, 1000 + i) for i, arm in enumerate(present)]
    notes = [*scope_notes(analysis, table, figures), *found_note(analysis, table)]
    others = [arm for arm in present if arm != analysis.reference and (not analysis.arms or arm in analysis.arms)]
    family, contrasts = max(1, len(others)) if analysis.holm else 1, []
    for i, arm in enumerate(others):
        contrast, more = contrast_of(analysis, arm, table, family, i, effect_range)
        contrasts.append(contrast)
        notes += more
    adjust(analysis, contrasts, "p", "p_adjusted")
    adjust(analysis, contrasts, "p_equivalence", "p_equivalence")
    for contrast in contrasts:
        contrast["conclusion"] = conclusion_of(analysis, contrast)
    gains = table.dropna(subset=["gain"]).groupby(["task", "arm"]).gain.agg(lambda own: reduced(analysis, own)).unstack("arm").reindex(columns=present)
    result = {"arms": figures, "contrasts": contrasts, "gains": gains, "ranks": None, "held_out": [], "notes": notes}
    if analysis.unit != "chain":  # whose tasks are no replicates
        result["ranks"] = ranks_of(analysis, gains, notes)
        result["held_out"] = leave_one_out(gains.dropna(), analysis.reference)
    result["notes"] = list(dict.fromkeys(notes))
    return result


def ranks_of(analysis, gains, notes):
    if gains.shape[1] < 3:
        return None
    shared = gains.dropna()
    if len(shared) < statistics.LEAST_TASKS_FOR_RANKS:
        notes.append(f"no ranks: they need {statistics.LEAST_TASKS_FOR_RANKS} tasks that all arms have, there are {len(shared)}")
        return None
    return {"arms": list(gains.columns), **statistics.compare_ranks(shared.to_numpy().T, analysis.alpha)}


def leave_one_out(gains, reference):
    """(task, arm that is best on the others, its gain over the reference on the task) [Stone1974]; none below three tasks."""
    if len(gains) < 3:
        return []
    found = []
    for task in gains.index:
        arm = gains.drop(index=task).sum().idxmax()
        found.append((task, arm, float(gains.loc[task, arm] - gains.loc[task, reference])))
    return found


# ---- main effects of a factorial sweep [Montgomery2012] ----

def factors_of(runs):
    """{path: [level of each arm]} of settings that vary, without those that another one determines; {} unless the arms are all
    combinations of two factors or more."""
    table = runs.runs.sort_values(["task", "seed"], kind="stable")
    cell = next((own for _, own in table.groupby(["task", "seed"]) if set(own.arm) == set(runs.arms)), None)
    if cell is None or len(runs.arms) < 4:
        return {}
    by_arm = {row.arm: dict(line.split(" = ", 1) for line in row.config.splitlines() if " = " in line) for row in cell.itertuples()}
    settings, factors = [by_arm[arm] for arm in runs.arms], {}

    def determines(fine, coarse):
        return len(set(zip(fine, coarse))) == len(set(fine))
    for path in sorted(set().union(*settings)):
        levels = [own.get(path, "none") for own in settings]
        if len(set(levels)) < 2 or any(determines(other, levels) for other in factors.values()):
            continue
        factors = {name: other for name, other in factors.items() if not determines(levels, other)}
        factors[path] = levels
    combinations = math.prod(len(set(levels)) for levels in factors.values())
    whole = len(factors) > 1 and combinations == len(runs.arms) == len(set(zip(*factors.values())))
    return factors if whole else {}


def main_effects(runs, analysis, table, objectives):
    """Each level against that of the reference, over all arms that have it, by task, device and seed."""
    found = []
    for path, levels in (factors_of(runs) if analysis.unit != "chain" else {}).items():
        of_arm, distinct = dict(zip(runs.arms, levels)), list(dict.fromkeys(levels))
        own = table.dropna(subset=["gain"]).assign(arm=lambda t: t.arm.map(of_arm))
        means = own.groupby(["arm", *PLACE], as_index=False).agg(gain=("gain", "mean"), censored=("censored", "any"), found=("found", "all"),
                                                                count=("gain", "size"), group=("group", "first"))
        means = means[means["count"] == len(runs.arms) // len(distinct)]
        if not len(means):
            continue
        means = means.assign(value=[effect_of(analysis, gain) for gain in means.gain], sol=np.nan)
        level = Analysis(**{**vars(analysis), "arms": [], "reference": of_arm[analysis.reference]})
        found.append((path, level.reference, compare_arms(level, distinct, means, objectives)))
    return found


# ---- shares over thresholds ----

def curve_of(thresholds, shares):
    return {"thresholds": list(map(float, thresholds)), "shares": dict(sorted(shares.items()))} if len(thresholds) else None


def shares_of(analysis, table):
    """Performance profile [Dolan2002], distribution of the endpoint, fast_p [Ouyang2025]; None where there is none."""
    values = np.unique(table.value.dropna())
    if len(values) > MOST_THRESHOLDS:
        values = values[np.arange(MOST_THRESHOLDS) * (len(values) - 1) // (MOST_THRESHOLDS - 1)]
    by_arm = {arm: own for arm, own in table.groupby("arm")}

    def above(thresholds):
        return {arm: (own.value.to_numpy() > np.asarray(thresholds, dtype=float).reshape(-1, 1)).mean(axis=1).tolist() for arm, own in by_arm.items()}
    if analysis.endpoint == "evaluations_to_target":
        shares = {arm: [float(((own.value <= at) & ~own.censored.astype(bool)).mean()) for at in values] for arm, own in by_arm.items()}
    else:
        shares = above(values)
    speedups = np.unique([*values, *USUAL_SPEEDUPS]) if analysis.endpoint == "best_verified_speedup" else []
    return {"profile": profile_of(analysis, table), "distribution": curve_of(values, shares), "fast_p": curve_of(speedups, above(speedups))}


def profile_of(analysis, table):
    if not (table.value.dropna() > 0).all() or table.value.isna().all():
        return None
    arms = sorted(table.arm.unique())
    costs = np.full((len(arms), table.task.nunique()), np.inf)
    for j, (_, on_task) in enumerate(table.groupby("task")):
        for i, arm in enumerate(arms):
            own = on_task[on_task.arm == arm].dropna(subset=["value"])
            if len(own) and not own.censored.all():
                costs[i, j] = 1 / own.value.mean() if analysis.larger_is_better else own.value.mean()
    best, factors = costs.min(axis=0), {1.0}
    for cost, least in zip(costs.T, best):
        for one in cost[np.isfinite(cost)]:
            factor = one / least
            while factor * least < one:  # rounded so that it holds
                factor = np.nextafter(factor, 2 * factor)
            factors.add(float(factor))
    thresholds = sorted(factors)
    return curve_of(thresholds, dict(zip(arms, statistics.performance_profile(costs, thresholds))))


# ---- the whole ----

@dataclasses.dataclass
class Comparison:
    """`document` is the JSON of the command; `gains` are the means of arms by task on the scale of the comparison."""
    runs: Runs
    analysis: Analysis
    document: dict
    gains: pd.DataFrame

    @property
    def arms(self):
        """One row an arm: its mean with interval, median, interquartile mean and counts, in the endpoint's unit."""
        return flat(self.document["arms"], "mean", ["tasks", "runs", "found", "censored", "units", "median", "iqm", "sol"], "name")

    @property
    def contrasts(self):
        """One row an arm against the reference: effect with interval, p-values, A12 and conclusion."""
        return flat(self.document["contrasts"], "effect", ["units", "pairs", "p", "p_adjusted", "p_equivalence", "a12", "conclusion"], "arm")

    @property
    def by_task(self):
        """Means of the arms (columns) on each task (rows)."""
        return self.gains.apply(lambda own: own.map(lambda gain: effect_of(self.analysis, gain) if not math.isnan(gain) else gain))

    def text(self):
        from . import report
        return report.text(self)

    def csv(self):
        from . import report
        return report.csv(self)

    def latex(self):
        from . import latex
        return latex.arms(self)

    def latex_tasks(self):
        from . import latex
        return latex.tasks(self)


def flat(entries, name, more, key):
    return pd.DataFrame([{key: one[key], name: one[name]["value"], "low": one[name]["ci"][0], "high": one[name]["ci"][1],
                          **{column: one[column] for column in more}} for one in entries]).set_index(key) if entries else pd.DataFrame()


def choose(runs, overrides):
    """(analysis, why it is exploratory or '')."""
    declared = runs.index["analysis"]["text"] if runs.index else ""
    planned, chosen = read_analysis(declared), read_analysis(declared, overrides)
    if not chosen.reference and runs.arms:
        chosen = read_analysis(declared, [*overrides, f"reference={runs.arms[0]}"])
    if (planned.unit == "chain") != (chosen.unit == "chain"):
        raise RunError(f"compare: analysis.unit = {chosen.unit}: these runs are chains, in which later runs depend on earlier ones; the unit is the chain"
                       if planned.unit == "chain" else
                       "compare: analysis.unit = chain: these runs are no chains; a sweep with 'chain: tasks' makes some")
    for arm in [*chosen.arms, chosen.reference]:
        if arm not in runs.arms:
            raise RunError(f"compare: no arm '{arm}' here; there are: {', '.join(runs.arms)}")
    if not runs.index:
        return chosen, "these runs belong to no sweep: no analysis was declared before them"
    if sha256(declared) != runs.index["analysis"]["hash"]:
        return chosen, "the analysis in sweep.json was changed after it was hashed"
    return chosen, "" if chosen.text == planned.text else "the analysis differs from the one that was hashed before the runs"


def lines_of(config, *starts):
    return [line for line in config.splitlines() if line.startswith(starts)]


def check_comparable(runs, analysis, carry_forward):
    """Refuses arms that differ in budget, or in the axes on which diversity was counted."""
    starts = {"configured": ("archive.",), "common": ("archive.axes.", "passive.")}.get(DIVERSITY.get(analysis.endpoint))
    for _, own in runs.runs.groupby("task"):
        first = own.iloc[0]
        for row in own.itertuples():
            budgets = [", ".join(lines_of(config, "budget.")) for config in (first.config, row.config)]
            if not carry_forward and budgets[0] != budgets[1]:
                raise RunError(f"arms have different limits: '{first.arm}' {budgets[0]}, '{row.arm}' {budgets[1]}; --carry-forward compares them at "
                               "the end of each all the same")
            if starts and lines_of(first.config, *starts) != lines_of(row.config, *starts):
                raise RunError(f"arms '{first.arm}' and '{row.arm}' count {analysis.endpoint} on different axes, which cannot be compared; "
                               + ("give all arms the same archive.axes" if analysis.endpoint.startswith("common") else
                                  f"give all arms the same archive, or compare common_{analysis.endpoint}"))


def provenance_of(runs):
    """Facts that a table must state: distinct values over all runs, in order of first appearance."""
    makers = collections.Counter(maker for own in runs.makers for maker in own)
    configs = {arm: list(dict.fromkeys(own.config_id.str[:12])) for arm, own in runs.runs.groupby("arm", sort=False)}
    budgets = [f"{limit} {currency}" for config in runs.runs.config for currency in ("evaluations", "proposals")
               if (limit := option(config, f"budget.{currency}")) not in ("", "0")]
    return {"tasks": list(dict.fromkeys(runs.runs.task)), "seeds": [int(seed) for seed in dict.fromkeys(runs.runs.seed)],
            "lag": list(dict.fromkeys(lag for lag in runs.options("islands.lag", "") if lag)), "budgets": list(dict.fromkeys(budgets)),
            "hardware": list(dict.fromkeys(runs.runs.device)), "config_ids": configs,
            "made_by": [{"host": host, "hardware": hardware, "device": device, "program": program, "runs": count}
                        for (host, hardware, device, program), count in sorted(makers.items())]}


def programs_warning(makers):
    """Why runs may not be comparable; '' when one program made all."""
    programs = collections.Counter()
    for maker in makers:
        programs[maker["program"]] += maker["runs"]
    if len(programs) < 2:
        return ""
    names = ", ".join(f"{count} of {program[:12]}" for program, count in sorted(programs.items()))
    return f"the runs stem from {len(programs)} programs ({names}): differences between them may be those of the programs"


def inert_arms(runs, table):
    """A sentence for each pair of arms whose runs of the same task and seed took the same course, all of them."""
    values = {arm: own.set_index(["task", "seed"]).value.to_dict() for arm, own in table.groupby("arm")}
    runs_of, courses = runs.runs.groupby("arm").size(), {}
    for a, b in itertools.combinations([arm for arm in runs.arms if arm in values], 2):
        same = values[a] == values[b] and len(values[a]) == runs_of[a] == runs_of[b] and not any(map(math.isnan, values[a].values()))
        courses = courses or same and courses_of(runs)
        if same and courses[a] == courses[b]:
            yield f"arms '{a}' and '{b}' have equal histories in all {len(values[a])} runs: what they differ in had no effect"


def courses_of(runs):
    """{arm: {(task, seed): the columns of its steps as bytes}}"""
    values = runs.steps[["proposals", "evaluations", "best", "filled", "qd_score"]].to_numpy(dtype=float)
    ends, found = np.searchsorted(runs.steps.run, np.arange(len(runs) + 1)), collections.defaultdict(dict)
    for run, row in enumerate(runs.runs.itertuples()):
        found[row.arm][row.task, row.seed] = values[ends[run]:ends[run + 1]].tobytes()
    return found


def plan_power(analysis, contrasts, units=0):
    """How many units a study needs to find analysis.min_effect, if they scatter like those of the pilot."""
    plan = {"units": units, "alpha": 0.0, "missing": "", "rows": []}
    if analysis.min_effect <= 0:
        return {**plan, "missing": "power needs the smallest effect of interest: set analysis.min_effect"}
    plan["alpha"] = analysis.alpha / (max(1, len(contrasts)) if analysis.holm else 1)
    pilots = [(contrast["arm"], np.array(contrast["unit_values"])) for contrast in contrasts if len(contrast["unit_values"]) > 1]
    for number, (arm, pilot) in enumerate(pilots):
        stream = statistics.Stream(statistics.POWER_SEED, number)
        power = statistics.paired_power(pilot, units or len(pilot), margin_of(analysis), plan["alpha"], stream)
        plan["rows"].append({"arm": arm, "pilot_units": len(pilot), "power": power, "units_needed": statistics.pairs_for_power(
            pilot, 0.8, MOST_PLANNED, margin_of(analysis), plan["alpha"], stream)})
    return plan if pilots else {**plan, "missing": "power needs a pilot with at least two paired units an arm"}


PROMPTS = """SELECT c.id, c.step_idx, e.verdict = 'ok' AND c.outcome <> 'no_child' AND coalesce(e.ci_low, 0) > 0, e.objective,
    (SELECT max(p.objective) FROM parent r JOIN evaluation p ON p.candidate_id = r.parent_id JOIN candidate o ON o.id = r.parent_id
     WHERE r.candidate_id = c.id AND r.role = 'parent' AND o.outcome <> 'no_child' AND p.verdict = 'ok' AND p.ci_low > 0), x.max_output_tokens,
    (SELECT group_concat(role || text_id, ' ') FROM (SELECT role, text_id FROM message WHERE exchange_id = x.id ORDER BY position)),
    (SELECT group_concat(name || '=' || value, char(10)) FROM (SELECT name, value FROM exchange_setting WHERE exchange_id = x.id AND name <> 'bank'
     ORDER BY name))
    FROM candidate c JOIN evaluation e ON e.candidate_id = c.id JOIN exchange x ON x.key =
    (SELECT v.key FROM evidence v JOIN exchange y ON y.key = v.key WHERE v.candidate_id = c.id ORDER BY v.position LIMIT 1)
    WHERE c.operator <> 'migration' ORDER BY c.id"""


def scatter_of_answers(runs):
    """Variances of the gains of one step, ln(objective over the best parent's) and at least 0: between prompts, and between a model's
    answers to one prompt, which llm.repeats asks for."""
    gains = collections.defaultdict(list)
    for row in runs.runs.itertuples():
        groups = collections.defaultdict(list)
        for _, step, ok, objective, parent, *prompt in query(row.file, PROMPTS):
            if parent is not None:
                groups[step, *prompt].append(max(0.0, math.log(objective / parent)) if ok else 0.0)
        gains[row.arm] += [own for own in groups.values() if len(own) > 1]
    found = [(arm, statistics.variance_components(gains[arm])) for arm in runs.arms if len(gains[arm]) > 1]
    if not found:
        raise RunError("compare: --repeats needs two prompts of an arm that were answered several times; 'llm.repeats' asks for that")
    return [{"arm": arm, "prompts": parts["groups"], "answers": parts["values"],
             **{name: figure(*map(float, parts[name])) for name in ("between", "within", "share")}} for arm, parts in found]


def compare(runs, *overrides, carry_forward=False, power=False, repeats=False, **options):
    """Compares the arms of runs (or of what `open` takes) as their sweep declared it; `endpoint="auc"` and the like, or texts
    `key=value`, change the analysis, which makes it exploratory."""
    runs = runs if isinstance(runs, Runs) else open(runs)
    overrides = [*overrides, *(f"{key}={value}" for key, value in options.items())]
    done = runs.only(runs.runs.state == "done")
    done.missing.update((row.file, f"is {row.state}") for row in runs.runs.itertuples() if row.state != "done")
    analysis, exploratory = choose(done, overrides)
    check_comparable(done, analysis, carry_forward)
    objectives = set(done.runs.objective)
    analysis.log_scale = analysis.scale == "log" or analysis.scale == "auto" and (
        analysis.endpoint in ("best_verified_speedup", "evaluations_to_target") or analysis.endpoint in ("best_seen", "auc") and objectives == {"anchor"})
    table, without = observe(done, analysis)
    done.missing.update(without)
    if without and not (table.arm == analysis.reference).any():
        file, why = next(iter(without.items()))
        raise RunError(f"no run of the reference arm '{analysis.reference}' has a figure; {file}: {why}")
    doubles = table[table.duplicated(["arm", *PLACE], keep="last")]
    found = compare_arms(analysis, done.arms, table, objectives)
    effects = main_effects(done, analysis, table, objectives)
    notes = [*found["notes"], *inert_arms(done, table)] + ([f"{len(doubles)} runs have the arm, task and seed of another file: the last file counts"]
                                                           if len(doubles) else [])
    document = {
        "analysis": {"hash": analysis.hash, "declared": not exploratory, "endpoint": analysis.endpoint, "reference": analysis.reference,
                     "unit": analysis.unit, "test": analysis.test, "scale": "log" if analysis.log_scale else "linear", "alpha": analysis.alpha,
                     "min_effect": analysis.min_effect, "text": analysis.text},
        "exploratory": exploratory, "caption": "", "currency": done.index["currency"] if done.index else "evaluations",
        "carried_forward": carry_forward, "provenance": provenance_of(done), "arms": found["arms"], "contrasts": found["contrasts"],
        "ranks": found["ranks"],
        "main_effects": [{"factor": path, "reference": reference, "levels": own["arms"], "contrasts": own["contrasts"]}
                         for path, reference, own in effects] or None,
        "leave_one_out": {"effect": effect_of(analysis, float(np.mean([gain for *_, gain in found["held_out"]]))), "tasks": [
            {"task": task, "arm": arm, "effect": effect_of(analysis, gain)} for task, arm, gain in found["held_out"]]} if found["held_out"] else None,
        **shares_of(analysis, table), "power": plan_power(analysis, found["contrasts"]) if power else None,
        "repeats": scatter_of_answers(done) if repeats else [], "notes": notes, "missing": [f"{file}: {why}" for file, why in done.missing.items()]}
    comparison = Comparison(done, analysis, document, found["gains"])
    document["caption"] = captions.caption_of(comparison)
    return comparison


def curves(runs, against="evaluations", points=100):
    """Quartiles over the runs of each arm on each task of the best objective and the QD score of the common archive, at equal steps
    of what was spent. A group ends where its longest run ends; a shorter one keeps its last value; before its first valid kernel a
    run counts in no quartile of `best`."""
    if against not in CURRENCIES:
        raise RunError(f"compare: --against = {against} is not one of {' | '.join(CURRENCIES)}")
    steps = runs.steps
    most = steps[against].max() if len(steps) else 0
    if not most > 0:
        raise RunError(f"compare: no run spent any {against}")
    found = []
    for (task, arm), own in sorted(steps.groupby(["task", "arm"], observed=True)):
        end, members = own[against].max(), [run for _, run in own.groupby("run")]
        grid = most * np.arange(1, points + 1) / points
        grid = np.append(grid[grid < end], end)
        best, score = (np.array([statistics.value_at(run[against], run[name], grid, before) for run in members])
                       for name, before in (("best", np.nan), ("qd_score", 0.0)))
        for i, at in enumerate(grid):
            known = best[~np.isnan(best[:, i]), i]
            found.append((task, arm, at, len(members), *(np.quantile(known, [.25, .5, .75]) if len(known) else [None] * 3),
                          *np.quantile(score[:, i], [.25, .5, .75])))
    return pd.DataFrame(found, columns=["task", "arm", against, "runs", "best_q25", "best_median", "best_q75", "qd_q25", "qd_median", "qd_q75"])
