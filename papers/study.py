"""What the scripts of studies share: the runs of a sweep, their comparison, and tables.

A study's sweeps are papers/<study>/configs/<sweep>.yaml. Their runs lie in OUT/<sweep>.<tier>; a sweep that is there is
not run again. Each tier asks its own question of the same arms:

    smoke   does it run: two seeds of one kernel
    replay  does it hold for other seeds: ten new ones, and seeds as the unit of the analysis
    full    the study: all seeds, and the analysis that the sweep declares, with kernels as its unit
"""
import csv
import json
import math
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[1]
TIERS = {"smoke": ["seeds=1..2", "tasks=[softmax]"], "replay": ["seeds=101..110", "analysis.unit=seed"], "full": []}


def sweeps_of(study):
    """Their names; base.yaml is what they start from."""
    files = (ROOT / "papers" / study / "configs").glob("*.yaml")
    return sorted(file.stem for file in files if file.stem != "base")


def out():
    return pathlib.Path(os.environ["OUT"])


def call(*arguments):
    """Standard output of kernelevolve."""
    binary = os.environ.get("KERNELEVOLVE", str(ROOT / "build/release/kernelevolve"))
    done = subprocess.run([binary, *map(str, arguments)], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout


def runs_of(study, sweep, tier):
    """The folder of the sweep's runs."""
    folder = out() / f"{sweep}.{tier}"
    if not (folder / "whole").exists():
        call("sweep", ROOT / "papers" / study / "configs" / f"{sweep}.yaml", *TIERS[tier], "-o", folder, "-q")
        (folder / "whole").touch()
    return folder


def comparison_of(study, sweep, tier, overrides=()):
    """`compare --json`, kept beside the runs. Overrides explore another analysis than the declared one."""
    folder = runs_of(study, sweep, tier)
    kept = folder / ("compare" + "".join("." + text for text in overrides))
    if not kept.exists():
        kept.write_text(call("compare", folder, *overrides, "--json"))
    return json.loads(kept.read_text())


def contrast_of(comparison, arm):
    for contrast in comparison["contrasts"]:
        if contrast["arm"] == arm:
            return contrast
    raise SystemExit(f"no arm '{arm}' is compared with {comparison['analysis']['reference']}")


def curves_of(study, sweep, tier):
    """Rows of `compare --curves`: quartiles of the best objective over seeds, by task, arm and evaluations."""
    folder = runs_of(study, sweep, tier)
    if not (folder / "curves.csv").exists():
        call("compare", folder, "--curves", folder / "curves.csv")
    with open(folder / "curves.csv") as file:
        return [{key: value if key in ("task", "arm") else float(value) for key, value in row.items()}
                for row in csv.DictReader(file)]


def mean_curves(study, sweep, tier):
    """One row for each arm and amount: the geometric mean over kernels of the median over seeds."""
    logs = {}
    for row in curves_of(study, sweep, tier):
        if row["best_median"] > 0:
            logs.setdefault((row["arm"], row["evaluations"]), []).append(math.log(row["best_median"]))
    return [{"arm": arm, "evaluations": at, "kernels": len(some), "best": math.exp(sum(some) / len(some))}
            for (arm, at), some in sorted(logs.items())]


def effects_of(study, sweeps, tier):
    """One row for each arm of each sweep, as its comparison has it."""
    rows = []
    for sweep in sweeps:
        comparison = comparison_of(study, sweep, tier)
        for contrast in comparison["contrasts"]:
            low, high = contrast["effect"]["ci"] if contrast["effect"]["ci"][1] else (None, None)  # unbounded
            rows.append({"factor": sweep, "arm": contrast["arm"], "reference": comparison["analysis"]["reference"],
                         "unit": comparison["analysis"]["unit"], "units": contrast["units"],
                         "ratio": contrast["effect"]["value"], "low": low, "high": high,
                         "p_adjusted": contrast["p_adjusted"], "p_equivalence": contrast["p_equivalence"],
                         "a12": contrast["a12"], "conclusion": contrast["conclusion"]})
    return rows


def choices_of(study, sweep, tier):
    """One row a kernel: the arm that the other kernels choose, and its effect on this one."""
    comparison = comparison_of(study, sweep, tier)
    held_out = comparison["leave_one_out"] or {"tasks": []}
    return [{"factor": sweep, "kernel": row["task"], "best_on_others": row["arm"],
             "reference": comparison["analysis"]["reference"], "ratio": row["effect"]} for row in held_out["tasks"]]


def ranks_of(study, sweep, tier):
    """One row an arm, best first: its average rank over kernels; nothing with fewer than three arms or five kernels."""
    ranks = comparison_of(study, sweep, tier)["ranks"]
    if not ranks:
        return []
    return [{"factor": sweep, "arm": arm, "average_rank": rank, "critical_difference": ranks["critical_difference"],
             "friedman_p": ranks["p"]} for rank, arm in sorted(zip(ranks["average"], ranks["arms"]))]


def text_of(value):
    return "" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)


def write_csv(name, rows):
    with open(out() / f"{name}.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def write_figure(kind, name, rows):
    """OUT/<name>.csv and, where matplotlib is, OUT/<name>.svg."""
    write_csv(name, rows)
    subprocess.run([ROOT / "papers" / "draw.py", kind, name], check=False)


def write_table(name, rows):
    """OUT/<name>.csv with all digits, OUT/<name>.md for reading; prints the latter."""
    if not rows:
        return
    write_csv(name, rows)
    lines = ["| " + " | ".join(rows[0]) + " |", "|" + "---|" * len(rows[0])]
    lines += ["| " + " | ".join(map(text_of, row.values())) + " |" for row in rows]
    (out() / f"{name}.md").write_text("\n".join(lines) + "\n")
    print(f"{name}:\n" + "\n".join(lines) + "\n")
