#!/usr/bin/env python3
"""Writes the study's tables and figures into OUT, from the recorded runs.

effects     each arm against the default: the declared analysis, and the same at the validation shape
arms        each arm: answers, what came of them, kinds of kernels, time of the processor
operators   each kind of letter: answers, and what came of them
curves      best kernel by answers, a geometric mean over tasks and seeds
quality     best kernel and kinds of kernels, by arm
right       share of answers that were right, by arm and of the first answers alone
"""
import sys
import pathlib

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parents[1] / "experiments/python")]
import study  # noqa: E402
import unpack  # noqa: E402

import kernelevolve  # noqa: E402
import numpy as np  # noqa: E402

STUDY, SWEEP, TIER = "llm_attribution", "arms", "full"


def effects():
    rows = []
    for role in ("bench", "validation"):
        comparison = study.comparison_of(STUDY, SWEEP, TIER, [] if role == "bench" else [f"role={role}"])
        for contrast in comparison["contrasts"]:
            low, high = contrast["effect"]["ci"] if contrast["effect"]["ci"][1] else (None, None)
            rows.append({"factor": role, "arm": contrast["arm"], "reference": comparison["analysis"]["reference"],
                         "units": contrast["units"], "ratio": contrast["effect"]["value"], "low": low, "high": high,
                         "p_adjusted": contrast["p_adjusted"], "conclusion": contrast["conclusion"]})
    return rows


def geometric(values):
    return float(np.exp(np.mean(np.log(values)))) if len(values) else float("nan")


def share(answers):
    return float((answers.verdict == "ok").mean()) if len(answers) else float("nan")


def text_lengths(runs):
    """Characters of letters and answers by arm."""
    return runs.exchanges.groupby("arm", observed=True)[["input_tokens", "output_tokens"]].sum()


def summary(runs, by):
    rows = []
    for name, answers in runs.candidates.groupby(by, observed=True):
        first = answers[answers.operator == "llm_draft"]
        rows.append({by: name, "answers": len(answers), "no_kernel": float((answers.verdict == "").mean()),
                     "right": share(answers), "right_drafts": share(first),
                     "gains": int(gains_of(answers))})
    return rows


def gains_of(answers):
    """Answers that were the best of their run when they were judged."""
    count = 0
    for _, run in answers.sort_values("step").groupby("run", observed=True):
        best = 0.0
        for objective in run.objective[run.verdict == "ok"]:
            count += objective > best
            best = max(best, objective)
    return count


def curves(runs):
    """Best so far by answers: 1, PyTorch itself, until there is a kernel that is right and faster."""
    rows = []
    for arm, answers in runs.candidates.groupby("arm", observed=True):
        paths = []
        for _, run in answers.sort_values("step").groupby("run", observed=True):
            objectives = np.where(run.verdict == "ok", run.objective.fillna(1), 1)
            paths.append(np.maximum.accumulate(np.maximum(objectives, 1)))
        length = min(map(len, paths))
        for i in range(length):
            rows.append({"arm": arm, "evaluations": i + 1, "best": geometric([path[i] for path in paths])})
    return rows


def last_steps(runs):
    return runs.steps.sort_values("step").groupby("run", observed=True).tail(1)


def arms(runs):
    rows = summary(runs, "arm")
    last = last_steps(runs)
    for row in rows:
        own = last[last.arm == row["arm"]]
        row["kinds"] = float(own.filled.mean())
        row["device_minutes"] = float(own.device_seconds.sum() / 60)
        row["best_seen"] = geometric(own.best.clip(lower=1))
    return rows


def main():
    unpack.unpack()
    runs = kernelevolve.open(str(study.out() / f"{SWEEP}.{TIER}"))
    rows = effects()
    study.write_table("effects", rows)
    study.write_figure("effects", "effects", rows)
    table = arms(runs)
    study.write_table("arms", table)
    study.write_table("operators", summary(runs, "operator"))
    study.write_figure("curves", "curves", curves(runs))
    study.write_figure("points", "quality", [{"name": row["arm"], "x": row["kinds"], "y": row["best_seen"],
                                              "x_label": "kinds of kernels in the archive at the end, mean of runs",
                                              "y_label": "best speedup over PyTorch eager, geometric mean"} for row in table])
    study.write_figure("points", "right", [{"name": row["arm"], "x": row["right"], "y": row["best_seen"],
                                            "x_label": "share of answers that were right",
                                            "y_label": "best speedup over PyTorch eager, geometric mean"} for row in table])


if __name__ == "__main__":
    main()
