#!/usr/bin/env python3
# Long: tests/run.sh --all runs it.
# Times nothing: may run beside others.
"""Every figure and LaTeX table of hard cases fits a paper of two columns: 20 arms with hostile labels on 6 tasks, one arm,
one seed, runs that all failed, a factorial sweep with costs. matplotlib's own extents say that no text is cut off or
small; pdflatex, where it is there, that nothing is too wide, too tall or missing."""
import csv
import itertools
import json
import re
import shutil
import subprocess
import sys

sys.path.insert(0, sys.path[0] + "/../support")
from landscape import bowl  # noqa: E402
from needs import need_drawing, python_with_matplotlib  # noqa: E402
from program import SOURCE, edit, fresh_folder, must, outcome, rows, write  # noqa: E402

FOLDER = fresh_folder("latex")
TASKS, SEEDS = 6, 2
LABELS = [
    "Without crossover, 50 % & no_restart", "#1 {braces} $x_i^2$ ~tilde", "back\\slash ^hat <angle> | bar", "[bracketed] first",
    "*starred", "Größe naïve Ünïcode", "λ = 0.5 ≥ α → ∞, Ω − ±1", "A label so long that it has to be broken or cut somewhere",
    "very_long_snake_case_name_without_any_space_at_all_in_it", "two -- dashes \"quoted\" 'single'", "日本語 label đ",
    "Verylongwordwithoutanyplacetobreakitatallinthewholelabel", "WWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWW", "two\nlines"]
BASE = """budget: {{evaluations: 16}}
device: {{kind: landscape, files: [{files}]}}
islands: {{count: 2, lag: 0, migration: {{every: 4}}}}
archive: {{axes: [{{measure: first_half, bins: 3}}, {{measure: second_half, bins: 4}}]}}
operators: {{knob_step: 4, knob_crossover: 2, random_restart: 1}}
"""
PAPER = r"""\documentclass[10pt,twocolumn]{article}
\usepackage{booktabs,graphicx}
\setlength{\textwidth}{506.295pt}\setlength{\columnsep}{24pt}\setlength{\textheight}{9in}\setlength{\topmargin}{-0.5in}
\setcounter{totalnumber}{50}\setcounter{topnumber}{50}\setcounter{dbltopnumber}{50}
\begin{document}
%s
\end{document}
"""


def sweep(name, text):
    write({f"{name}.yaml": f"schema: kernelevolve-sweep/1\nbase: base.yaml\n{text}"})
    must("sweep", f"{name}.yaml", "-o", name, "-q")


def make_runs():
    names = [f"landscapes/depthwise_conv1d_{i}.json" for i in range(TASKS)]
    write({name: json.dumps(bowl(i)) for i, name in enumerate(names)})
    write({"base.yaml": BASE.format(files=", ".join(names))})
    arms = "".join(f"  arm_{i:02}: {{operators.knob_step: {i + 1}}}\n" for i in range(20) if i != 3)
    labels = "".join(f"  arm_{i + 4:02}: {json.dumps(label)}\n" for i, label in enumerate(LABELS))
    sweep("many", f"seeds: 1..{SEEDS}\narms:\n  default: {{}}\n{arms}labels:\n{labels}"
                  "analysis: {endpoint: best_seen, reference: default, unit: task}\n")
    sweep("factors", f"tasks: [{names[0]}, {names[1]}]\nseeds: 1..6\ngrid: {{operators.knob_step: [1, 4, 16], islands.count: [2, 4]}}\n"
                     "analysis: {endpoint: best_seen, reference: knob_step_1-count_2, unit: seed}\n")
    make_failed()
    add_costs()


def make_failed():
    """Copies of runs in which no kernel works."""
    (FOLDER / "failed").mkdir()
    for arm, seed in itertools.product(("default", "arm_01"), range(1, SEEDS + 1)):
        path = FOLDER / f"failed/{arm}.x.s{seed}.kev"
        shutil.copy(FOLDER / f"many/{arm}.depthwise_conv1d_1.s{seed}.kev", path)
        edit(path, "UPDATE evaluation SET verdict = 'runtime_error', objective = 0", "DELETE FROM archive_event",
             "UPDATE stop SET champion_id = NULL")


def add_costs():
    """Gives the runs of the factorial sweep an answer that costs tokens and dollars, and time of a device."""
    for path in sorted((FOLDER / "factors").glob("*.kev")):
        step = int(re.search(r"knob_step_(\d+)", path.name)[1])
        edit(path, "INSERT INTO note (hash, text) VALUES (zeroblob(31), 'answer')",
             ("INSERT INTO exchange SELECT 1, zeroblob(32), NULL, 'm', 9, 'ok', max(id), 'm', ?, 20, 0, 0, ?, zeroblob(32) FROM note",
              (100 * step, 0.01 * step)), ("UPDATE attempt SET lane_ns = ?", (3_600_000_000 * step,)))


def read(folder, name):
    with open(FOLDER / folder / f"{name}.csv", newline="") as file:
        return list(csv.DictReader(file))


def best_of(folder):
    """{(arm, task, seed): best objective}, by SQL."""
    best = {}
    for path in sorted((FOLDER / folder).glob("*.kev")):
        ((task, seed, found),) = rows(path, "SELECT task, seed, (SELECT max(objective) FROM v_best) FROM run")
        best[path.name.split(".")[0], task, seed] = found or 0
    return best


def mean(values):
    values = list(values)
    return sum(values) / len(values)


def main_effects_are_differences_of_means():
    best = best_of("factors")
    found = {(row["factor"], row["level"]): float(row["effect"]) for row in read("figures_factors", "effects")}
    assert set(found) == {("operators.knob_step.weight", "4"), ("operators.knob_step.weight", "16"), ("islands.count", "4")}, found
    for (factor, level), effect in found.items():
        name, reference = ("knob_step", "1") if "knob_step" in factor else ("count", "2")
        has = lambda value: mean(v for (arm, _, _), v in best.items() if f"{name}_{value}" in arm.split("-"))
        assert abs(effect - (has(level) - has(reference))) < 1e-9, (factor, level, effect)
    listed, none = (json.loads((FOLDER / f"{folder}.json").read_text())["main_effects"] for folder in ("factors", "many"))
    assert {(one["factor"], c["arm"]) for one in listed for c in one["contrasts"]} == set(found)
    assert none is None
    assert "no effects: the arms are not all combinations" in must("plot", "many", "-o", "none", "--figure", "effects,cd", "--format", "")


def costs_have_a_front():
    best, costs = best_of("factors"), read("figures_factors", "cost")
    assert {row["currency"] for row in costs} == {"dollars", "tokens", "device_hours"} and len(costs) == 18
    arms = {}
    for row in costs:
        step = int(re.search(r"knob_step_(\d+)", row["arm"])[1])
        amount = {"dollars": 0.01 * step, "tokens": 100 * step + 20}.get(row["currency"])
        assert amount is None or abs(float(row["amount"]) - amount) < 1e-9, row
        reached = mean(v for (arm, _, _), v in best.items() if arm == row["arm"])
        assert abs(float(row["value"]) - reached) < 1e-9, row
        arms.setdefault(row["currency"], []).append((float(row["amount"]), -reached, row["front"]))
    for own in arms.values():
        for at, lost, front in own:
            beaten = any(a <= at and b <= lost and (a, b) != (at, lost) for a, b, _ in own)
            assert (front == "1") == (not beaten), own


def best_arms_are_bold():
    best = best_of("many")
    text = (FOLDER / "many_tasks.tex").read_text()
    lines = re.findall(r"conv1d\\_\\allowbreak (\d+)((?: & [^&\n]*)+?) \\\\\n", text)
    assert len(lines) == 2 * TASKS  # two tables of ten arms
    assert [int(number) for number, _ in lines[:TASKS]] == list(range(TASKS))
    arms = ["default"] + [f"arm_{i:02}" for i in range(20) if i != 3]
    for task in range(TASKS):
        cells = [cell for number, line in lines if int(number) == task for cell in line.split(" & ")[1:]]
        means = [mean(v for (arm, name, _), v in best.items() if arm == one and name.endswith(f"_{task}")) for one in arms]
        assert len(cells) == len(means)
        for cell, value in zip(cells, means):
            shown = float(re.sub(r"\\textbf|[{}]", "", cell))
            assert abs(shown - value) <= 0.0051, (task, cell, value)
            assert not cell.startswith("\\textbf") or abs(value - max(means)) <= 0.01, (task, cell, means)
            assert cell.startswith("\\textbf") or value < max(means), (task, cell, means)


def figures_are_readable():
    cases = {"many": ["many"], "factors": ["factors"], "failed": ["failed"],
             "one_arm": sorted((FOLDER / "many").glob("default.*_1.s*.kev")),
             "one_seed": [path for arm in ("default", "arm_01") for path in sorted((FOLDER / "many").glob(f"{arm}.*_0.s1.kev"))]}
    some = "diversity curves profiles cd ccdf ablation lineage failures".split()
    (FOLDER / "cases.json").write_text(json.dumps({f"figures_{name}": {"runs": list(map(str, runs)), "figures": some if name == "many" else []}
                                                   for name, runs in cases.items()}))
    code, out, err = outcome(python_with_matplotlib(), SOURCE / "tests/support/check_figures.py", SOURCE / "experiments/python",
                             "cases.json")
    assert code == 0, err[-3000:]
    print(f"{out.strip()} pages of figures drawn")


def captions_stand_beside():
    """A hash of a configuration is in the caption's file, the statistics only where the figure shows them."""
    for path in (FOLDER / "figures_many").glob("*.txt"):
        text = path.read_text()
        assert "Configurations: default " in text and "measured on: a simulated device" in text, text
        assert ("p-values" in text) == (path.stem == "ablation") and ("Friedman" in text) == (path.stem == "cd"), text


def tables():
    names = []
    for folder in ("many", "factors", "failed"):
        names += [f"{folder}_arms.tex", f"{folder}_tasks.tex"]
        (FOLDER / f"{folder}.json").write_text(must("compare", folder, "--latex", names[-2], "--latex-tasks", names[-1], "--json"))
    return names


def all_fits_two_columns(names):
    if shutil.which("pdflatex") is None:
        print("not compiled: pdflatex is missing (Debian's texlive-latex-base and texlive-latex-recommended)")
        return
    parts = [f"\\input{{{name}}}" for name in names]
    for path in sorted(FOLDER.glob("figures_*/*.pdf")):
        wide = abs(width_of(path) - 504) < 1
        parts.append("\\begin{figure%s}\\includegraphics{%s}\\caption{%s.}\\end{figure%s}\\clearpage" % (
            "*" * wide, path.relative_to(FOLDER), path.stem.replace("_", "\\_"), "*" * wide))
    (FOLDER / "paper.tex").write_text(PAPER % "\n".join(parts))
    done = subprocess.run(["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"], capture_output=True, text=True,
                          errors="replace")
    assert done.returncode == 0, done.stdout[-3000:]
    log = (FOLDER / "paper.log").read_text(errors="replace")
    for fault in ("Overfull", "ndefined", "Missing character", "Float too large"):
        assert fault not in log, [log[m.start():m.start() + 300] for m in re.finditer(fault, log)][:3]
    print(f"{len(parts)} tables and figures compiled: {re.search(r'paper.pdf [(](.*?),', log)[1]}")


def width_of(path):
    """Points."""
    return float(re.search(rb"/MediaBox \[ ?0 0 ([\d.]+)", path.read_bytes())[1])


def main():
    need_drawing()
    make_runs()
    names = tables()
    figures_are_readable()
    for test in (captions_stand_beside, main_effects_are_differences_of_means, costs_have_a_front, best_arms_are_bold):
        test()
        print(f"ok {test.__name__}", flush=True)
    all_fits_two_columns(names)


if __name__ == "__main__":
    main()
