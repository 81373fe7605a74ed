"""Scores of strategies on landscapes, from what each run reached: means, exact random search beside them, intervals."""
import numpy as np

from . import statistics
from .text import table

MARGINS = ["10%", "5%", "1%"]


def normalised(score, random):
    """0 at exact random search, 1 at the optimum."""
    return (score - random) / (1 - random) if random < 1 else 0.0


def arrival(evaluations):
    """Median of evaluations, those that never arrived last; None if the median run never arrived."""
    ordered = np.sort([np.inf if not at else at for at in evaluations])
    middle = (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2
    return float(middle) if np.isfinite(middle) else None


def line_of(landscape, runs, budgets):
    best = np.mean([run["best_at"] for run in runs], axis=0)
    reached = np.array([run["reached"] for run in runs])
    score, random = float(best.mean()), float(np.mean(landscape["random"]))
    return {"landscape": landscape["name"], "score": score, "random": random, "normalised": normalised(score, random),
            "best_at": {str(budget): float(value) for budget, value in zip(budgets, best)},
            "evaluations_to": dict(zip(MARGINS, map(arrival, reached.T))), "reached": dict(zip(MARGINS, (reached > 0).mean(axis=0).tolist()))}


def total_of(lines):
    """Equal weights of landscapes; `evaluations_to` are medians of medians."""
    def mean(name):
        return {key: float(np.mean([line[name][key] for line in lines])) for key in lines[0][name]}
    score, random = (float(np.mean([line[name] for line in lines])) for name in ("score", "random"))
    return {"landscape": "all", "score": score, "random": random, "normalised": normalised(score, random), "best_at": mean("best_at"),
            "evaluations_to": {margin: arrival([line["evaluations_to"][margin] for line in lines]) for margin in MARGINS}, "reached": mean("reached")}


def interval_of(hierarchy):
    """(low, high, units); scores are shares of the optimum, so no bound lies beyond [0, 1]."""
    found = statistics.hierarchical_bootstrap(hierarchy, statistics.Stream(1))
    return max(0.0, found.low), min(1.0, found.high), len(found.unit_values)


def summary_of(experiment, landscapes, budgets):
    """Landscapes of one folder (`convolution_milo/A100`) belong to one kernel."""
    lines = [line_of(landscape, runs, budgets) for landscape, runs in zip(landscapes, experiment["runs"])]
    scores = [[float(np.mean(run["best_at"])) for run in runs] for runs in experiment["runs"]]
    kernels = {}
    for landscape, own in zip(landscapes, scores):
        kernels.setdefault(landscape["name"].rpartition("/")[0] or landscape["name"], []).append(own)
    over_kernels = interval_of([kernels[name] for name in sorted(kernels)]) if len(kernels) > 1 else (0.0, 1.0, 1)
    over_seeds = interval_of([[[value]] for value in np.mean(scores, axis=0)])  # these landscapes are held fixed
    runs = [run for own in experiment["runs"] for run in own]
    spent = {name: sum(run[name] for run in runs) for name in ("evaluations", "proposals", "cpu_s")}
    total = total_of(lines)
    return {"name": experiment["name"], "score": total["score"], "ci": list(over_kernels[:2]), "units": over_kernels[2],
            "ci_seeds": list(over_seeds[:2]), "evaluations": spent["evaluations"], "proposals": spent["proposals"],
            "evaluations_per_core_s": spent["evaluations"] / spent["cpu_s"], "total": total, "landscapes": lines, "seeds": over_seeds[2]}


def score(raw):
    """The document of `landscape score --json`."""
    experiments = [summary_of(experiment, raw["landscapes"], raw["budgets"]) for experiment in raw["experiments"]]
    return {**{name: raw[name] for name in ("budgets", "seeds", "threads", "wall_s")}, "experiments": experiments}


def interval_text(low, high, units, unit):
    if units < 2:
        return f"no interval over {units} {unit}"
    return f"[{low:.3f}, {high:.3f}] over {units} {unit}s{' (few: wide)' if units < statistics.LEAST_UNITS else ''}"


def text(document):
    parts = []
    for one in document["experiments"]:
        head = ["landscape", "score", "random", "normalised", *(f"@{budget}" for budget in document["budgets"]), *(f"to {margin[:-1]} %" for margin in MARGINS)]
        lines = [[line["landscape"], f"{line['score']:.4f}", f"{line['random']:.3f}", f"{line['normalised']:.3f}", *(f"{best:.3f}" for best in line["best_at"].values()),
                  *(f"{'-' if at is None else f'{at:.0f}'} ({100 * line['reached'][margin]:.0f} %)" for margin, at in line["evaluations_to"].items())]
                 for line in [*one["landscapes"], one["total"]]]
        parts.append(f"{one['name']}: score {one['score']:.4f} {interval_text(*one['ci_seeds'], one['seeds'], 'seed')}, "
                     f"{interval_text(*one['ci'], one['units'], 'kernel')}; {one['evaluations_per_core_s']:.0f} evaluations/s of one core "
                     f"({one['evaluations']} evaluations of {one['proposals']} proposals)\n{table(head, lines)}\n")
    evaluations = sum(one["evaluations"] for one in document["experiments"])
    return "".join(parts) + (f"{evaluations} evaluations in {document['wall_s']:.1f} s on {document['threads']} threads; random: exact expectation, "
                             "without replacement\n")
