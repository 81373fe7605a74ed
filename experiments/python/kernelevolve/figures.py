"""The figures of a paper from runs, each with its table.

`tables` computes them, `write` makes a folder as `kernelevolve plot` does, `draw` answers with matplotlib figures. Only drawing
needs matplotlib.
"""
import builtins
import collections
import csv
import io
import json
import os

import numpy as np
import pandas as pd

from . import __version__, archives, captions, statistics
from .analysis import near, read_analysis
from .compare import CURRENCIES, Comparison, compare, programs_warning, provenance_of
from .runs import QUERIES, RunError, Runs, objective_label, open
from .text import csv_text, p_text

CURVE_POINTS, DIVERSITY_POINTS = 60, 50
FORMATS = ["svg", "pdf", "png"]
DOCS = {
    "archive": "elites by cell of the archive that the search used, empty cells shown; of each arm on each task, its median run",
    "diversity": "coverage, QD score, entropy of visits and distance of sources over evaluations: medians, of up to 6 arms with quartiles",
    "curves": "mean of the best so far over what was spent, of up to 6 arms with its confidence interval",
    "profiles": "share of tasks within a factor of the best arm [Dolan2002]",
    "cd": "average ranks over tasks with the critical difference [Demsar2006]",
    "ccdf": "share of runs beyond each value of the endpoint",
    "fast_p": "share of runs with a verified speedup above p [Ouyang2025]",
    "ablation": "effect of each arm against the reference, with its interval; filled dots are conclusions",
    "effects": "main effects of a factorial sweep, each averaged over the other factors [Montgomery2012]",
    "cost": "endpoint over dollars, tokens and hours of the device; the line joins arms that none beats in both",
    "lineage": "the champion and its ancestors; of each task, its best run",
    "roofline": "kernels of a task under the measured ceilings of their device; of each task, its best run",
    "failures": "where proposals are lost, by arm"}


class Missing(Exception):
    """Why the runs cannot fill a figure."""


class Input:
    """The done runs of a call, their comparison or why there is none, and what curves are drawn against."""

    def __init__(self, runs, overrides=(), against="evaluations"):
        self.runs = runs.only(runs.runs.state == "done")
        self.runs.missing.update((row.file, f"is {row.state}") for row in runs.runs.itertuples() if row.state != "done")
        if not len(self.runs):
            raise RunError("plot: no run is done; " + "; ".join(f"{file}: {why}" for file, why in self.runs.missing.items()))
        self.against, self.comparison, self.why_not = against, None, ""
        try:
            self.comparison = compare(runs, *overrides)
            self.runs = self.comparison.runs
        except RunError as error:
            if overrides:
                raise
            self.why_not = str(error)
        self.objective = objective_label(self.runs)
        self.provenance = provenance_of(self.runs)

    def compared(self) -> Comparison:
        if self.comparison is None:
            raise Missing(self.why_not)
        return self.comparison


def lost_text(runs):
    """'No valid kernel in 2 of 5 runs of x. ' where some run found none."""
    lost = runs.runs[~runs.runs.found]
    if not len(lost):
        return ""
    parts = ", ".join(f"{len(own)} of {(runs.runs.arm == arm).sum()} runs of {arm}" for arm, own in lost.groupby("arm", sort=False))
    return f"No valid kernel in {parts}. "


def best_label(words, given):
    """'best so far: speedup over the anchor', 'best so far (1 = optimum)'."""
    bare = given.objective.removeprefix("objective")
    return words + bare if bare != given.objective else f"{words}: {given.objective}"


# ---- tables: (frame, label of x, label of y, sentences of the caption) ----

def archive(given):
    chosen = archives.table(given.runs)
    which = "configured"
    if not len(chosen[0]):
        which, chosen = "common", archives.table(given.runs, "common")
    frame, why = chosen
    if not len(frame):
        raise Missing(why)
    events = given.runs.archive_events
    shown = events[(events.archive == which) & events.run.isin([run for run, _ in archives.median_runs(given.runs)])]
    visits, clipped = (len(own.drop_duplicates(["run", "candidate"])) for own in (shown, shown[shown.clipped == 1]))
    about = f"The {which} archive. " + ("" if given.runs.runs.groupby(["arm", "task"]).size().max() == 1 else
                                        "Shown is the median run by best objective. ")
    if clipped:
        about += f"{clipped} of {visits} kernels lie outside of an axis and sit in its border cells. "
    for (task, arm), own in frame.groupby(["task", "arm"], sort=False):
        if own.objective.isna().all():
            about += f"0 of {len(own)} cells of {task}, {arm} are filled. "
    frame = frame.assign(archive=which)
    return frame, "", given.objective, about + lost_text(given.runs)


def diversity(given):
    which = "configured" if archives.shape_of(given.runs, 0) else "common"
    table = archives.courses(given.runs, which)
    if not len(table):
        raise Missing(lost_text(given.runs).rstrip(". ") or "no run records the changes of an archive with axes (numeric searches do not)")
    found, most = [], int(table.evaluations.max())
    points = min(DIVERSITY_POINTS, most)
    for (task, arm), own in sorted(table.groupby(["task", "arm"])):
        members, end = [run for _, run in own.groupby("run")], own.evaluations.max()
        grid = np.array([i * most // points for i in range(1, points + 1)], dtype=float)
        grid = np.append(grid[grid < end], end)
        columns = {"task": task, "arm": arm, "evaluations": grid, "runs": len(members)}
        for name in ("coverage", "qd", "entropy", "code"):  # NaN where a run has no value
            values = np.array([statistics.value_at(run.evaluations, run[name], grid, 0.0) for run in members])
            columns.update(zip((f"{name}_q25", f"{name}_median", f"{name}_q75"), np.quantile(values, [.25, .5, .75], axis=0)))
        found.append(pd.DataFrame(columns))
    return pd.concat(found, ignore_index=True), "evaluations", "", f"Of the {which} archive. A line ends where its longest run ends. " + lost_text(given.runs)


def curves(given):
    steps, spent = given.runs.steps, given.against
    most = steps[spent].max() if len(steps) else 0
    if not most > 0:
        raise Missing(f"no run spent any {spent}")
    analysis, found = given.comparison.analysis if given.comparison else read_analysis(), []
    for (task, arm), own in sorted(steps.groupby(["task", "arm"], observed=True)):
        members = [run for _, run in own.groupby("run") if run.best.notna().any()]
        if not members:
            continue
        end = max(run[spent].max() for run in members)
        grid = most * np.arange(1, CURVE_POINTS + 1) / CURVE_POINTS
        grid = np.append(grid[grid < end], end)
        best = np.array([statistics.value_at(run[spent], run.best, grid, np.nan) for run in members])
        whole = ~np.isnan(best).any(axis=0)
        best, grid = best[:, whole], grid[whole]
        # All points share their resamples, so that the band does not flicker.
        low, high = statistics.bootstrap_of_columns(best, statistics.Stream(statistics.BOOTSTRAP_SEED), analysis.repetitions, 1 - analysis.alpha)
        quartiles = np.quantile(best, [.25, .5, .75], axis=0)
        found += [(task, arm, at, len(members), *numbers) for at, *numbers in zip(grid, best.mean(axis=0), low, high, *quartiles)]
    if not found:
        raise Missing(lost_text(given.runs).rstrip(". "))
    frame = pd.DataFrame(found, columns=["task", "arm", spent, "runs", "best_mean", "best_ci_low", "best_ci_high", "best_q25", "best_median", "best_q75"])
    label = {"seconds": "time (s)", "device_seconds": "time of the device (s)"}.get(spent, spent)
    about = "A line begins where all its runs have a valid kernel and ends where its longest run ends. " + lost_text(given.runs)
    few = sorted({int(count) for count in frame.runs if count < statistics.LEAST_UNITS})
    if few:
        about += f"Bands over {'/'.join(map(str, few))} runs are too narrow. "
    return frame, label, best_label("best so far", given), about


def share_frame(curve, threshold):
    return pd.DataFrame([(arm, at, share) for arm, shares in curve["shares"].items() for at, share in zip(curve["thresholds"], shares)],
                        columns=["arm", threshold, "share"])


def profiles(given):
    curve = given.compared().document["profile"]
    if len(given.comparison.document["arms"]) < 2:
        raise Missing("one arm: nothing to compare it with")
    if not curve:
        raise Missing("ratios of values that are not positive mean nothing")
    return share_frame(curve, "factor"), "factor of the best arm", "share of tasks", ""


def ccdf(given):
    comparison = given.compared()
    curve, endpoint = comparison.document["distribution"], comparison.analysis.endpoint
    if not curve:
        raise Missing(lost_text(given.runs).rstrip(". ") or "no run has a value")
    label = best_label("best seen", given) if endpoint == "best_seen" else comparison.analysis.words()
    y = "share of runs that arrived" if endpoint == "evaluations_to_target" else "share of runs above"
    return share_frame(curve, endpoint), label, y, lost_text(given.runs)


def fast_p(given):
    curve = given.compared().document["fast_p"]
    if not curve:
        raise Missing("needs endpoint=best_verified_speedup, whose baseline has speedup 1")
    return share_frame(curve, "p"), "p: verified speedup over " + given.comparison.analysis.opponent(), "fast_p", ""


def cd(given):
    comparison = given.compared()
    ranks, notes = comparison.document["ranks"], comparison.document["notes"]
    if not ranks:
        raise Missing(next((note for note in notes if note.startswith("no ranks")), f"ranks need 3 arms, there are {len(comparison.document['arms'])}"))
    order, found = np.argsort(ranks["average"], kind="stable"), []
    for place, i in enumerate(order):
        groups = [g for g, (first, last) in enumerate(ranks["groups"]) if first <= place <= last]
        found.append((ranks["arms"][i], ranks["average"][i], groups[0] if groups else "", groups[-1] if groups else "", ranks["critical_difference"],
                      ranks["p"], comparison.analysis.alpha))
    about = (f"Bars join arms that differ by less than the critical difference at alpha = {comparison.analysis.alpha:g}; Friedman's p = "
             f"{p_text(ranks['p'])}. ")
    return pd.DataFrame(found, columns=["arm", "average_rank", "first_group", "last_group", "critical_difference", "friedman_p", "alpha"]), "average rank", "", about


def effect_row(contrast, reference, scale):
    return {"reference": reference, "scale": scale, "effect": contrast["effect"]["value"], "ci_low": contrast["effect"]["ci"][0],
            "ci_high": contrast["effect"]["ci"][1], "units": contrast["units"], "p_adjusted": contrast["p_adjusted"], "conclusion": contrast["conclusion"]}


def ablation(given):
    comparison = given.compared()
    analysis, contrasts = comparison.analysis, comparison.document["contrasts"]
    if not contrasts:
        raise Missing("one arm: nothing to compare it with")
    scale = "ratio" if analysis.log_scale else "difference"
    frame = pd.DataFrame([{"arm": c["arm"], **effect_row(c, analysis.reference, scale)} for c in contrasts])
    about = (f"{100 * (1 - analysis.alpha):g} % intervals; p-values by the {captions.test_words(analysis)} over {analysis.unit}s"
             f"{', adjusted by Holm' + chr(39) + 's method' if analysis.holm else ''}. Out of reach: too few units for any p-value below alpha. ")
    notes = [note for note in comparison.document["notes"] if note.startswith("no pairs") or "left out of the difference" in note]
    about += "".join(note[:1].upper() + note[1:] + ". " for note in notes)
    return frame, f"{analysis.words()}: {scale} {'to' if analysis.log_scale else 'from'} the reference", "", about


def effects(given):
    comparison = given.compared()
    factors, analysis = comparison.document["main_effects"], comparison.analysis
    if not factors:
        raise Missing("the arms are not all combinations of some factors")
    scale = "ratio" if analysis.log_scale else "difference"
    frame = pd.DataFrame([{"factor": factor["factor"], "level": c["arm"], **effect_row(c, factor["reference"], scale)}
                          for factor in factors for c in factor["contrasts"]])
    about = f"{100 * (1 - analysis.alpha):g} % intervals{'; Holm' + chr(39) + 's method adjusts for the levels of a factor' if analysis.holm else ''}. "
    return frame, f"{analysis.words()}: {scale} by the level", "", about


def cost(given):
    comparison = given.compared()
    own = given.runs.costs
    amounts = pd.DataFrame({"dollars": own.groupby("run").dollars.sum(), "tokens": own.groupby("run")[["input_tokens", "output_tokens"]].sum().sum(axis=1),
                            "device_hours": own.groupby("run").lane_s.sum() / 3600}).reindex(range(len(given.runs))).fillna(0)
    means, larger, found = amounts.groupby(given.runs.runs.arm.to_numpy()).mean(), comparison.analysis.larger_is_better, []
    arms = {arm["name"]: arm["mean"] for arm in comparison.document["arms"] if arm["mean"]["value"] is not None}
    for currency in means.columns[(means > 0).any()]:
        points = {arm: (means.loc[arm, currency], mean["value"] * (1 if larger else -1)) for arm, mean in arms.items()}
        for arm, (amount, value) in points.items():
            beaten = any(a <= amount and v >= value and (a, v) != (amount, value) for a, v in points.values())
            found.append((currency, arm, amount, arms[arm]["value"], *arms[arm]["ci"], int(not beaten)))
    if not found:
        raise Missing("no run spent dollars, tokens or time of a device")
    frame = pd.DataFrame(found, columns=["currency", "arm", "amount", "value", "ci_low", "ci_high", "front"])
    return frame, "", comparison.analysis.words(), f"Means over the runs of an arm, with {100 * (1 - comparison.analysis.alpha):g} % intervals. "


def lines_of(runs):
    """{run: [its champion and its ancestors, in the order of the commits]}"""
    parents, above, lines = runs.parents, collections.defaultdict(list), {}
    for run, child, parent in zip(parents.run, parents.candidate, parents.parent):
        above[run, child].append(parent)
    for run, champion in enumerate(runs.runs.champion):
        seen, todo = set(), [champion] if champion else []
        while todo:
            one = todo.pop()
            if one not in seen:
                seen.add(one)
                todo += above[run, one]
        lines[run] = seen
    return lines


def best_runs(runs):
    """For each task the run with the highest objective; among equals the one whose champion has most ancestors, then the earlier."""
    lines = lines_of(runs)
    table = runs.runs.assign(best=runs.runs.best.fillna(0), place=[runs.arms.index(arm) for arm in runs.runs.arm],
                             ancestors=[-len(lines[run]) for run in range(len(runs))])
    ordered = table.sort_values(["task", "best", "ancestors", "place"], ascending=[True, False, True, True], kind="stable")
    return [int(run) for run in ordered.groupby("task").head(1).index]


def lineage(given):
    runs, found = given.runs, []
    lines, candidates, parents = lines_of(runs), runs.candidates, runs.parents
    for run in best_runs(runs):
        row, own = runs.runs.iloc[run], candidates[(candidates.run == run) & candidates.candidate.isin(lines[run])]
        links = parents[parents.run == run].groupby("candidate")[["parent", "role"]]
        groups = {name: list(group.itertuples(index=False, name=None)) for name, group in links}
        for one in own.itertuples():
            for parent, role in groups.get(one.candidate, [("", "")]):
                found.append((row.task, row.arm, row.seed, one.candidate, one.candidate.split(".")[0], one.island, one.operator,
                              "ok" if one.verdict == "duplicate" and not np.isnan(one.objective) else one.verdict,
                              one.objective, parent, role))
    if not found:
        raise Missing(lost_text(runs).rstrip(". ") or "no run has a champion with ancestors")
    frame = pd.DataFrame(found, columns=["task", "arm", "seed", "candidate", "step", "island", "operator", "verdict", "objective", "parent", "role"])
    return frame, "step", given.objective, "Among equal runs that with most ancestors. "


def roofline(given):
    runs, found, untimed = given.runs, [], []
    chosen = best_runs(runs)
    timings, verified, work = runs.timings, runs.workloads, runs.work
    for run in chosen:
        row = runs.runs.iloc[run]
        costs = {name: rest for name, *rest in work[work.run == run][["workload", "role", "bytes", "flops", "bandwidth"]].itertuples(index=False)}
        own = [(one.workload, "screened", one.candidate, one.ns) for one in timings[timings.run == run].itertuples()]
        table = verified[(verified.run == run) & (verified.candidate_ns > 0) & (verified.opponent_ns > 0)]
        own += [(workload, "champion", "", ns) for workload, ns in table.groupby("workload", sort=False).candidate_ns.mean().items()]
        own += [(one.workload, one.baseline, "", one.opponent_ns) for one in table.sort_values("baseline", kind="stable").itertuples()]
        own = [one for one in own if one[0] in costs]
        if not own:
            untimed.append(row.task)
        for workload, kernel, candidate, ns in own:
            role, size, flops, bandwidth = costs[workload]
            found.append((row.task, row.arm, row.seed, workload, role, kernel, candidate, ns, size, flops, size * 1e9 / ns, flops * 1e9 / ns,
                          bandwidth, row.peak_flops_per_s))
    if not found:
        raise Missing("no run timed kernels of a task with a cost")
    frame = pd.DataFrame(found, columns=["task", "arm", "seed", "workload", "role", "kernel", "candidate", "ns", "bytes", "flops", "bytes_per_s",
                                         "flops_per_s", "memory_bytes_per_s", "compute_flops_per_s"])
    about = f"No panel of {', '.join(untimed)}: its task states no bytes and operations. " if untimed else ""
    if frame.compute_flops_per_s.isna().any():
        about += "Without an arithmetic ceiling where none was measured. "
    return frame, "operations per byte", "operations per second", about


# A check that stops candidates: (its name, how they end there).
STAGES = [("gave a kernel", {"no_child"}), ("is new", {"duplicate"}), ("builds", {"rejected", "compile_error", "compile_limit", "load_error"}),
          ("runs", {"runtime_error", "timeout", "resource_limit", "lost"}), ("is right", {"wrong_result", "nondeterministic", "suspicious"}),
          ("is measured", {"unreliable"})]


def failures(given):
    """What each check stopped; candidates that gave no kernel are told apart by the reason."""
    table, found = given.runs.candidates, []
    if not len(table):
        raise Missing("no run has candidates")
    stage_of = {end: name for name, ends in STAGES for end in ends}
    reasons = sorted(set(table.reason[table.verdict == "no_child"].astype(str)))
    for (task, arm), own in sorted(table.groupby(["task", "arm"], observed=True)):
        left = len(own)
        found.append((task, arm, 0, "proposed", "", left, 0))
        stages = own.verdict.map(lambda verdict: stage_of.get(verdict, "")).astype(str)
        for position, (name, _) in enumerate(STAGES, start=1):
            for reason in reasons or [""] if name == "gave a kernel" else [""]:
                lost = int(((stages == name) & ((own.reason.astype(str) == reason) if reason else True)).sum())
                left -= lost
                found.append((task, arm, position, name, reason, left, lost))
    frame = pd.DataFrame(found, columns=["task", "arm", "position", "stage", "reason", "candidates_left", "candidates_lost"])
    return frame, "share of proposals", "", ""


MAKERS = {"archive": archive, "diversity": diversity, "curves": curves, "profiles": profiles, "cd": cd, "ccdf": ccdf, "fast_p": fast_p,
          "ablation": ablation, "effects": effects, "cost": cost, "lineage": lineage, "roofline": roofline, "failures": failures}


# ---- folders ----

def check_names(names):
    for name in names:
        if name not in MAKERS:
            raise RunError(f"plot: --figure = {name} is not one of {' | '.join(MAKERS)}{near(name, list(MAKERS))}")


def tables(runs, *overrides, figures=(), against="evaluations"):
    """{name: frame} of the figures that the runs can fill."""
    given, found = as_input(runs, overrides, against), {}
    check_names(figures)
    for name in figures or MAKERS:
        try:
            found[name] = MAKERS[name](given)[0]
        except Missing:
            pass
    return found


def as_input(runs, overrides, against):
    if against not in CURRENCIES:
        raise RunError(f"plot: --against = {against} is not one of {' | '.join(CURRENCIES)}")
    return Input(runs if isinstance(runs, Runs) else open(runs), overrides, against)


def text_of(frame):
    return csv_text(frame.columns, (tuple("" if isinstance(value, float) and np.isnan(value) else value for value in row)
                                    for row in frame.itertuples(index=False, name=None)))


def caption_of(name, about, given):
    exploratory = captions.exploratory_text(given.comparison.document) if given.comparison and about else ""
    return (f"{name}: {DOCS[name]}.\n{exploratory}{about}{captions.runs_text(given.provenance)}.\n"
            f"{captions.configurations_text(given.provenance)}\n")


def make(given, names):
    """(manifest, {figure: text of its table}, {figure: caption})."""
    entries, skipped, written, about = [], [], {}, {}
    if len(names or MAKERS) > 1:  # else each frame is read when it is asked for
        given.runs.load(*(name for name in QUERIES if name not in ("measures", "exchanges")))
    for name in names or MAKERS:
        try:
            frame, x_label, y_label, words = MAKERS[name](given)
        except Missing as why:
            skipped.append({"name": name, "why": str(why)})
            continue
        written[name], about[name] = text_of(frame), caption_of(name, words, given)
        entries.append({"name": name, "doc": DOCS[name], "csv": f"{name}.csv", "x_label": x_label, "y_label": y_label, "caption": f"{name}.txt"})
    table = given.runs.runs
    manifest = {"format": 1, "version": __version__, "figures": entries, "skipped": skipped, "labels": given.runs.labels,
                "runs": [{"file": row.file, "arm": row.arm, "task": row.task, "seed": int(row.seed), "config_id": row.config_id}
                         for row in table.itertuples()],
                "made_by": given.provenance["made_by"], "warning": programs_warning(given.provenance["made_by"]),
                "missing": [f"{file}: {why}" for file, why in given.runs.missing.items()]}
    return manifest, written, about


def drawings(manifest, written, given):
    """(name, page, figure) of each figure; needs matplotlib."""
    import matplotlib
    matplotlib.use("agg")
    from . import draw_archives, draw_arms, draw_roofline, draw_runs, style
    drawers = {"diversity": draw_runs.diversity, "lineage": draw_runs.lineage, "failures": draw_runs.failures, "curves": draw_arms.curves,
               "profiles": draw_arms.profiles, "ccdf": draw_arms.ccdf, "fast_p": draw_arms.fast_p, "cd": draw_arms.cd, "ablation": draw_arms.ablation,
               "effects": draw_arms.effects, "cost": draw_arms.cost, "roofline": draw_roofline.roofline}
    names = style.Arms(dict.fromkeys(run["arm"] for run in manifest["runs"]), manifest["labels"], dict.fromkeys(run["task"] for run in manifest["runs"]))
    with style.context():
        for entry in manifest["figures"]:
            name = entry["name"]
            if name == "archive":
                frame, *_ = archive(given)
                drawn = draw_archives.pages(given.runs, frame, frame.archive.iloc[0], "objective", None, "viridis", names)
            else:
                drawn = drawers[name](list(csv.DictReader(io.StringIO(written[name]))), entry, names)
            for number, figure in enumerate([drawn] if isinstance(drawn, matplotlib.figure.Figure) else drawn, start=1):
                yield name, number, figure


def draw(name, runs, *overrides, against="evaluations"):
    """(table, [matplotlib figures]) of one figure; RunError says why the runs cannot fill it."""
    check_names([name])
    given = as_input(runs, overrides, against)
    manifest, written, _ = make(given, [name])
    if not written:
        raise RunError(manifest["skipped"][0]["why"])
    return pd.read_csv(io.StringIO(written[name])), [figure for *_, figure in drawings(manifest, written, given)]


def write(runs, folder, *overrides, figures=(), formats=tuple(FORMATS), against="evaluations"):
    """Makes <figure>.csv, its caption <figure>.txt and its drawings, and figures.json; answers with the latter's content, and why
    nothing is drawn ('' = it is)."""
    check_names(figures)
    for form in formats:
        if form not in FORMATS:
            raise RunError(f"plot: --format = {form} is not one of {' | '.join(FORMATS)}")
    given = as_input(runs, overrides, against)
    manifest, written, about = make(given, figures)
    try:
        os.makedirs(folder, exist_ok=True)
        for name, text in [(f"{name}.csv", text) for name, text in written.items()] + [(f"{name}.txt", text) for name, text in about.items()] + [
                ("figures.json", json.dumps(manifest, indent=2, ensure_ascii=False) + "\n")]:
            with builtins.open(os.path.join(folder, name), "w", encoding="utf-8", errors="surrogateescape", newline="") as file:
                file.write(text)
    except OSError as error:
        raise RunError(f"{folder}: cannot be created: {error.strerror}", 7) from error
    if not formats or not written:
        return manifest, ""
    try:
        import matplotlib

        from . import style
        matplotlib.rcdefaults()  # files are the same on every machine
        for name, number, figure in drawings(manifest, written, given):
            style.save(figure, os.path.join(folder, name + ("" if number == 1 else f"_{number}")), formats)
            style.plt.close(figure)
    except ImportError:
        return manifest, (f"{os.path.join(folder, 'figures.json')}: the tables are written, but to draw them matplotlib is missing: install the "
                          "package python3-matplotlib and repeat the command")
    return manifest, ""
