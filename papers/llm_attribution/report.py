#!/usr/bin/python3
"""Writes the study's tables and figures into OUT, from the recorded runs.

effects     each arm against the default, by champions.tsv
arms        each arm: answers, what came of them, kinds of kernels, speedup
operators   each kind of letter: answers, and what came of them
curves      best kernel by answers, a geometric mean over tasks and seeds
quality     best kernel against kinds of kernels, by arm
structure   how axes of the archive part kernels, by structure.tsv
right       best kernel against the share of answers that were right, by arm
"""
import csv
import json
import math
import pathlib
import statistics
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parents[1] / "experiments/python")]
import check_claims  # noqa: E402
import structure  # noqa: E402
import study  # noqa: E402
import unpack  # noqa: E402

import kernelevolve  # noqa: E402
import numpy as np  # noqa: E402
import scipy.stats  # noqa: E402
from kernelevolve import statistics as tests  # noqa: E402

DEFAULT = "map_elites"


def champions():
    """{(arm, task, seed): {(form, role): speedup}} of the champions' second measurement."""
    figures = {}
    with open(HERE / "champions.tsv", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            arm, task, seed = row["run"].split(".")
            if row["speedup"]:
                figures.setdefault((arm, task, seed), {})[row["form"], row["role"]] = float(row["speedup"])
    return figures


def log_ratios(figures, arm, place):
    """Of the arm's speedups to the default's, by task and seed where both have one."""
    pairs = [(own, figures.get((DEFAULT, *rest), {})) for (name, *rest), own in figures.items() if name == arm]
    return [math.log(own[place] / other[place]) for own, other in pairs if place in own and place in other]


def effects():
    """Over eager PyTorch: Student's t of the logarithms, and exact p-values of all changes of sign, by Holm over the arms."""
    figures = champions()
    predicted = {claim["id"]: claim for claim in check_claims.read_claims(HERE / "predictions_main.yaml")[1]}
    rows = []
    for role in ("bench", "validation"):
        own = []
        for arm in sorted({name for name, *_ in figures} - {DEFAULT}):
            logs = log_ratios(figures, arm, ("anchor", role))
            mean = statistics.mean(logs)
            reach = scipy.stats.t.ppf(0.975, len(logs) - 1) * statistics.stdev(logs) / math.sqrt(len(logs))
            own.append({"factor": role, "arm": arm, "reference": DEFAULT, "pairs": len(logs), "ratio": math.exp(mean),
                        "low": math.exp(mean - reach), "high": math.exp(mean + reach),
                        "p": tests.sign_flip(np.array(logs), tests.Stream(0))})
        for row, adjusted in zip(own, tests.holm([row["p"] for row in own])):
            row["p_adjusted"] = float(adjusted)
            row["conclusion"] = "undecided" if adjusted > 0.05 else "better" if row["ratio"] > 1 else "worse"
            claim = predicted[row["arm"]]
            row["predicted"] = "as" if float(claim["low"]) <= row["ratio"] <= float(claim["high"]) else "not as"
        rows += own
    return rows


def geometric(values):
    return float(np.exp(np.mean(np.log(values))))


def summary(runs, by):
    return [{by: name, "answers": len(answers), "no_kernel": int((answers.verdict == "no_child").sum()),
             "right": float((answers.verdict == "ok").mean())}
            for name, answers in runs.candidates.groupby(by, observed=True)]


def curves(runs):
    """Best so far by answers: 1, PyTorch itself, until there is a kernel that is right and faster."""
    rows = []
    for arm, answers in runs.candidates.groupby("arm", observed=True):
        paths = []
        for _, run in answers.sort_values("step").groupby("run", observed=True):
            objectives = np.where(run.verdict == "ok", run.objective.fillna(1), 1)
            paths.append(np.maximum.accumulate(np.maximum(objectives, 1)))
        rows += [{"arm": arm, "evaluations": i + 1, "best": geometric(best)} for i, best in enumerate(zip(*paths, strict=True))]
    return rows


def arms(runs):
    figures = champions()
    coverage = json.loads(study.call("compare", study.out() / "arms.full", "endpoint=common_coverage", "--json"))["arms"]
    kinds = {arm["name"]: arm["mean"]["value"] for arm in coverage}
    rows = summary(runs, "arm")
    for row in rows:
        champion = [own["anchor", "bench"] for (arm, *_), own in figures.items() if arm == row["arm"] and ("anchor", "bench") in own]
        row["kinds"] = kinds[row["arm"]]
        row["over_eager"] = geometric(champion)
    return rows


def main():
    unpack.unpack()
    runs = kernelevolve.open(str(study.out() / "arms.full"))
    rows = effects()
    study.write_table("effects", rows)
    study.write_figure("effects", "effects", rows)
    table = arms(runs)
    study.write_table("arms", table)
    study.write_table("structure", structure.rows([structure.BEFORE, structure.AFTER]))
    study.write_table("operators", summary(runs, "operator"))
    study.write_figure("curves", "curves", curves(runs))
    for name, column, label in (("quality", "kinds", "share of the kinds of kernels that were found"),
                                ("right", "right", "share of answers that were right")):
        study.write_figure("points", name, [{"name": row["arm"], "x": row[column], "y": row["over_eager"], "x_label": label,
                                             "y_label": "champion over eager PyTorch, geometric mean"} for row in table])


if __name__ == "__main__":
    main()
