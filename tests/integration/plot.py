#!/usr/bin/env python3
# Times nothing: may run beside others.
"""Draws all figures of a small sweep. Recomputes every number of a table from the run files by SQL.
Drawings are reproducible, hostile names stay text, an installed copy draws too, and the tables
exist without matplotlib."""
import csv
import itertools
import json
import math
import shutil
import sqlite3
import statistics
import sys
import xml.etree.ElementTree

sys.path.insert(0, sys.path[0] + "/../support")
from landscape import bowl  # noqa: E402
from needs import need_drawing, python_with_matplotlib  # noqa: E402
from program import BUILD, SOURCE, call, carry_out, edit, fresh_folder, must, outcome, refused, run_file, write  # noqa: E402

FOLDER = fresh_folder("plot")
FIGURES = ["archive", "diversity", "curves", "profiles", "cd", "ccdf", "fast_p", "ablation", "lineage", "roofline", "failures"]
# `effects` and `cost` are those of a factorial sweep: latex.py recomputes them.
NOT_OF_LANDSCAPES = {"fast_p", "roofline"}  # nothing is timed
GOLDEN = SOURCE / "tests/golden/figures"
TASKS, ARMS, SEEDS, EVALUATIONS = 5, ["default", "random", "no_crossover"], [1, 2, 3, 4], 25
BASE = f"""budget: {{evaluations: {EVALUATIONS}}}
device: {{kind: landscape, files: [{", ".join(f"landscapes/l{i}.json" for i in range(TASKS))}]}}
islands: {{count: 2, lag: 0, migration: {{every: 4}}}}
archive: {{axes: [{{measure: first_half, bins: 3}}, {{measure: second_half, bins: 4}}]}}
operators: {{knob_step: 4, knob_crossover: 2, random_restart: 1}}
"""
SWEEP = """schema: kernelevolve-sweep/1
base: base.yaml
seeds: [1, 2, 3, 4]
arms:
  default: {}
  random: {strategy: random, operators!: {random_restart: 1}}
  no_crossover: {operators.knob_crossover: 0}
labels: {no_crossover: Without crossover}
analysis: {endpoint: best_seen, reference: default, unit: task}
"""
HOSTILE = 'a,"b $x_{^\\ <&\u202e\u2066\n=1+1'


def table(folder, name):
    with open(FOLDER / folder / f"{name}.csv", newline="") as file:
        return list(csv.DictReader(file))


def make_runs():
    write({f"landscapes/l{i}.json": json.dumps(bowl(i)) for i in range(TASKS)})
    write({"base.yaml": BASE, "s.yaml": SWEEP})
    must("sweep", "s.yaml", "-o", "sweep", "-q")


class Run:
    """One run file, read only by SQL."""

    def __init__(self, path):
        self.database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        self.task, self.seed = self.rows("SELECT task, seed FROM run")[0]
        self.measured = self.rows(
            "SELECT c.step_idx, e.measured, CASE WHEN e.verdict = 'ok' THEN e.objective END FROM candidate c "
            "JOIN evaluation e ON e.candidate_id = c.id ORDER BY c.id")

    def rows(self, query, *values):
        return self.database.execute(query, values).fetchall()

    def best(self):
        return self.rows("SELECT max(objective) FROM v_best")[0][0]

    def step_at(self, evaluations):
        """Last committed step with at most so many evaluations; -1 before the first."""
        spent, last = {}, -1
        for step, measured, _ in self.measured:
            spent[step] = spent.get(step, 0) + measured
        total = 0
        for step in sorted(spent):
            total += spent[step]
            if total <= evaluations:
                last = step
        return last

    def best_at(self, evaluations):
        last = self.step_at(evaluations)
        return max([o for step, _, o in self.measured if step <= last and o is not None], default=0)

    def diversity_at(self, step, cells):
        """(coverage, QD score, entropy of visits, distance of sources) of the islands' archive after a step."""
        of_islands = {(island, cell): objective for island, cell, objective in self.rows(
            "SELECT s.island, a.cell, e.objective FROM archive_event a JOIN evaluation e ON e.candidate_id = a.challenger_id "
            "JOIN step s ON s.idx = a.step_idx WHERE a.archive = 'island' AND a.status IN ('new_cell', 'improved') AND a.step_idx <= ? "
            "ORDER BY a.step_idx, a.position", step)}
        elites = {}
        for (_, cell), objective in of_islands.items():
            elites[cell] = max(objective, elites.get(cell, objective))
        visits = {}
        for cell, _ in self.rows("SELECT DISTINCT a.cell, a.challenger_id FROM archive_event a WHERE a.archive = 'island' AND a.step_idx <= ?", step):
            visits[cell] = visits.get(cell, 0) + 1
        shares = [count / sum(visits.values()) for count in visits.values()]
        entropy = -sum(p * math.log(p) for p in shares) / math.log(cells)
        assert self.rows("SELECT count(*) FROM source") == [(1,)]  # a landscape has one source
        return len(elites) / cells, sum(elites.values()), entropy, 0.0


def read_sweep(folder="sweep"):
    """{(task, arm, seed): Run}"""
    runs = {}
    for path in sorted((FOLDER / folder).glob("*.kev")):
        run = Run(path)
        runs[run.task, path.name.split(".")[0], run.seed] = run
    return runs


def group(runs, task, arm):
    return [runs[task, arm, seed] for seed in SEEDS]


def near(a, b):
    assert abs(float(a) - b) <= 1e-9 * max(1, abs(b)), (a, b)


def plain_mean(values):
    """Adds up in order, so that ties in ranks are those of floating point."""
    total = 0.0
    for value in values:
        total += value
    return total / len(values)


def quartiles(values):
    return statistics.quantiles(values, n=4, method="inclusive")


def all_figures_are_there(runs):
    out = must("plot", "sweep", "-o", "all")
    for name in FIGURES:
        skipped = name in NOT_OF_LANDSCAPES
        for form in ("csv", "svg", "pdf", "png"):
            assert (FOLDER / f"all/{name}.{form}").exists() != skipped, (name, form, out)
    assert "no fast_p: needs endpoint=best_verified_speedup" in out, out
    assert "no effects: the arms are not all combinations" in out and "no cost: no run spent" in out, out
    assert "no roofline: no run timed kernels of a task with a cost" in out, out
    config = runs["l0", "default", 1].rows("SELECT lower(hex(config_id)) FROM run")[0][0][:12]
    for path in (FOLDER / "all").glob("*.svg"):
        text = path.read_text()
        assert config not in text and "<dc:date>" not in text, path
        assert "_2" in path.stem or config in path.with_suffix(".txt").read_text(), path
        assert "no_crossover<" not in text, path
    for name in ("curves", "cd", "profiles", "ablation", "failures"):
        assert "Without crossover" in (FOLDER / f"all/{name}.svg").read_text(), name
    assert all(words in (FOLDER / "all/curves.svg").read_text() for words in ("best so far", "= optimum)"))
    assert (FOLDER / "all/archive_2.svg").exists() and not (FOLDER / "all/archive_3.svg").exists()  # 15 panels
    width = xml.etree.ElementTree.parse(FOLDER / "all/ablation.svg").getroot().get("width")
    assert width == "239.76pt", width  # 3.33 in


def archive_is_that_of_the_median_run(runs):
    rows = table("all", "archive")
    assert len(rows) == TASKS * len(ARMS) * 12
    for task, arm in itertools.product(sorted({run[0] for run in runs}), ARMS):
        own = [row for row in rows if (row["task"], row["arm"]) == (task, arm)]
        ranked = sorted(group(runs, task, arm), key=lambda run: (run.best(), run.seed))
        median = ranked[(len(ranked) - 1) // 2]
        assert {row["seed"] for row in own} == {str(median.seed)}
        filled = [(int(row["cell"]), row["candidate"], float(row["objective"])) for row in own if row["objective"]]
        assert [(cell, objective) for cell, _, objective in filled] == median.rows(
            "SELECT cell, max(objective) FROM v_archive WHERE archive = 'island' GROUP BY cell ORDER BY cell")
        assert {(cell, name) for cell, name, _ in filled} <= set(median.rows("SELECT cell, id FROM v_archive WHERE archive = 'island'"))
        for row in own:
            labels = [median.rows("SELECT label FROM axis_bin WHERE archive = 'island' AND position = ? AND bin = ?",
                                  position, int(row[at]))[0][0] for position, at in enumerate(("row", "column"))]
            assert [row["row_bin"], row["column_bin"]] == labels and int(row["cell"]) == 4 * int(row["row"]) + int(row["column"])


def curves_and_diversity_are_sums_over_rows(runs):
    for row in table("all", "curves")[::7]:
        values = [run.best_at(float(row["evaluations"])) for run in group(runs, row["task"], row["arm"])]
        near(row["best_mean"], statistics.mean(values))
        for name, value in zip(("best_q25", "best_median", "best_q75"), quartiles(values)):
            near(row[name], value)
        # Enumerates all 4^4 resamples of four runs: the bounds of 2,000 random ones lie near their
        # 2.5 and 97.5 % points.
        means = sorted(statistics.mean(drawn) for drawn in itertools.product(values, repeat=len(values)))
        for bound, share in (("best_ci_low", 0.025), ("best_ci_high", 0.975)):
            low, high = (means[round((share + side) * (len(means) - 1))] for side in (-0.015, 0.015))
            assert low - 1e-9 <= float(row[bound]) <= high + 1e-9, (row, low, high)
    for row in table("all", "diversity")[::5]:
        values = [run.diversity_at(run.step_at(float(row["evaluations"])), 12)
                  for run in group(runs, row["task"], row["arm"])]
        for name, column in zip(("coverage", "qd", "entropy", "code"), zip(*values)):
            for quartile, value in zip(("q25", "median", "q75"), quartiles(column)):
                near(row[f"{name}_{quartile}"], value)


def shares_are_counts(runs):
    best = {key: run.best() for key, run in runs.items()}
    for row in table("all", "ccdf"):
        own = [value for (_, arm, _), value in best.items() if arm == row["arm"]]
        near(row["share"], sum(value > float(row["best_seen"]) for value in own) / len(own))
    tasks = sorted({task for task, _, _ in runs})
    mean = {(task, arm): statistics.mean(best[task, arm, seed] for seed in SEEDS) for task in tasks for arm in ARMS}
    ratios = {max(mean[task, arm] for arm in ARMS) / mean[task, other] for task in tasks for other in ARMS}
    factors = sorted({float(row["factor"]) for row in table("all", "profiles")})
    assert len(factors) <= len(ratios) and all(any(abs(f - r) < 1e-12 for f in factors) for r in ratios), (factors, ratios)
    for row in table("all", "profiles"):
        within = [max(mean[task, arm] for arm in ARMS) <= float(row["factor"]) * mean[task, row["arm"]] * (1 + 1e-12)
                  for task in tasks]
        near(row["share"], sum(within) / len(tasks))


def ranks_and_effects_follow_from_the_best(runs):
    tasks = sorted({task for task, _, _ in runs})
    mean = {(task, arm): plain_mean([run.best() for run in group(runs, task, arm)]) for task in tasks for arm in ARMS}
    ranks = {arm: [] for arm in ARMS}
    for task in tasks:
        for arm in ARMS:
            others = [mean[task, other] for other in ARMS if other != arm]
            ranks[arm].append(1 + sum(o > mean[task, arm] for o in others) + 0.5 * sum(o == mean[task, arm] for o in others))
    rows = table("all", "cd")
    assert len(rows) == 3
    for row in rows:
        near(row["average_rank"], statistics.mean(ranks[row["arm"]]))
        # q(0.05, 3 arms) = 2.343 in table 5a of Demsar 2006; N = 5 tasks.
        assert abs(float(row["critical_difference"]) - 2.343 * math.sqrt(3 * 4 / (6 * TASKS))) < 1e-3
    for row in table("all", "ablation"):
        near(row["effect"], statistics.mean(mean[task, row["arm"]] - mean[task, "default"] for task in tasks))
        assert float(row["ci_low"]) <= float(row["effect"]) <= float(row["ci_high"])


def lineage_and_losses_are_rows(runs):
    lines = table("all", "lineage")
    for task in sorted({row["task"] for row in lines}):
        own = [row for row in lines if row["task"] == task]
        run = runs[task, own[0]["arm"], int(own[0]["seed"])]
        assert run.best() == max(other.best() for key, other in runs.items() if key[0] == task)
        expected = run.rows(
            "WITH RECURSIVE line (id) AS (SELECT champion_id FROM stop UNION "
            "SELECT p.parent_id FROM parent p JOIN line ON p.candidate_id = line.id) "
            "SELECT c.step || '.' || c.island || '.' || c.slot, c.operator, coalesce(q.step || '.' || q.island || '.' || "
            "q.slot, ''), e.objective FROM line JOIN candidate c ON c.id = line.id JOIN evaluation e ON e.candidate_id = c.id "
            "LEFT JOIN parent p ON p.candidate_id = c.id LEFT JOIN candidate q ON q.id = p.parent_id "
            "ORDER BY c.id, p.position")
        assert [(r["candidate"], r["operator"], r["parent"], float(r["objective"])) for r in own] == expected
    rows = table("all", "failures")
    for task, arm in {(row["task"], row["arm"]) for row in rows}:
        own = [row for row in rows if (row["task"], row["arm"]) == (task, arm)]
        counts = [run.rows("SELECT count(*), sum(c.outcome = 'kernel' AND e.verdict = 'ok'), sum(c.outcome = 'duplicate'), "
                           "sum(c.outcome = 'kernel' AND e.verdict = 'runtime_error') FROM candidate c "
                           "JOIN evaluation e ON e.candidate_id = c.id")[0] for run in group(runs, task, arm)]
        proposals, ok, duplicates, crashed = map(sum, zip(*counts))
        assert int(own[0]["candidates_left"]) == proposals and int(own[-1]["candidates_left"]) == ok
        lost = {row["stage"]: int(row["candidates_lost"]) for row in own}
        assert lost["is new"] == duplicates and lost["runs"] == crashed, (lost, duplicates, crashed)


def drawings_repeat(runs):
    must("plot", "sweep", "-o", "again", "--figure", "archive,curves,cd")
    again = sorted(set((FOLDER / "again").iterdir()) - {FOLDER / "again" / "figures.json"})  # it lists what was drawn
    assert len(again) >= 12, again
    for path in again:
        assert path.read_bytes() == (FOLDER / "all" / path.name).read_bytes(), path


def fast_p_counts_verified_speedups(runs):
    """Writes figures of a verification into copies of the runs."""
    (FOLDER / "verified").mkdir()
    speedups = {}
    for arm, seed in itertools.product(ARMS[:2], SEEDS):
        speedups[arm, seed] = 0.7 + 0.25 * seed + (0.6 if arm == "random" else 0)
        path = FOLDER / f"verified/{arm}.l0.s{seed}.kev"
        shutil.copy(FOLDER / f"sweep/{arm}.l0.s{seed}.kev", path)
        edit(path, "DELETE FROM verified",
             ("INSERT INTO verified SELECT champion_id, 'naive', 'bench', ?, ?, ?, NULL, '', zeroblob(32) FROM stop",
              (speedups[arm, seed],) * 3))
    must("plot", "verified", "-o", "fast", "--figure", "fast_p", "--format", "svg", "endpoint=best_verified_speedup")
    rows = table("fast", "fast_p")
    assert {float(row["p"]) for row in rows} >= set(speedups.values()) | {0, 1, 2}, rows
    for row in rows:
        own = [value for (arm, _), value in speedups.items() if arm == row["arm"]]
        near(row["share"], sum(value > float(row["p"]) for value in own) / len(own))


def roofline_holds_times_against_ceilings(runs):
    """Writes times of a device into a copy; then removes the ceilings."""
    (FOLDER / "timed").mkdir()
    path = FOLDER / "timed/default.l0.s1.kev"
    shutil.copy(FOLDER / "sweep/default.l0.s1.kev", path)
    edit(path, "INSERT INTO workload_cost VALUES (0, 'n=8', 'bench', 4096, 1024), (1, 'n=9', 'holdout', 8192, 0)",
         "INSERT INTO ceiling VALUES (1, 'multiply-adds', 5e9)",
         "INSERT OR REPLACE INTO measurement SELECT id, 'none', 1.0, 1.0, 1.0, NULL FROM attempt",
         "INSERT INTO workload_timing SELECT a.id, a.id, 0, 'n=8', 'bench', 1.0, 1.0, 1.0, 1000.0 / min(v.candidate_id), 2000.0, 10.0 "
         "FROM attempt a JOIN evidence v ON v.key = a.key GROUP BY a.id",
         "INSERT INTO verified SELECT champion_id, 'naive', 'bench', 4.0, 3.9, 4.1, v.key, '', zeroblob(32) FROM stop "
         "JOIN evidence v ON v.candidate_id = champion_id JOIN attempt a ON a.key = v.key WHERE a.purpose = 'screen'")
    must("plot", "timed", "-o", "roofs", "--figure", "roofline", "--format", "svg")
    rows = table("roofs", "roofline")
    screened = [(row["candidate"], float(row["ns"])) for row in rows if row["kernel"] == "screened"]
    assert screened and screened == Run(path).rows(
        "SELECT c.step || '.' || c.island || '.' || c.slot, 1000.0 / c.id FROM candidate c JOIN evaluation e ON e.candidate_id = c.id "
        "WHERE c.outcome = 'kernel' AND e.verdict = 'ok' ORDER BY c.id")
    champion, = Run(path).rows("SELECT champion_id FROM stop")[0]
    assert [(row["kernel"], float(row["ns"])) for row in rows if row["kernel"] != "screened"] == [("champion", 1000 / champion), ("naive", 2000)]
    for row in rows:
        near(row["bytes_per_s"], 4096e9 / float(row["ns"]))
        near(row["flops_per_s"], 1024e9 / float(row["ns"]))
        near(row["memory_bytes_per_s"], 409.6e9)
        near(row["compute_flops_per_s"], 5e9)
    edit(path, "DELETE FROM ceiling", "UPDATE workload_timing SET floor_ns = 0.0")
    must("plot", "timed", "-o", "no_roofs", "--figure", "roofline", "--format", "svg")
    assert {(row["memory_bytes_per_s"], row["compute_flops_per_s"]) for row in table("no_roofs", "roofline")} == {("", "")}


def tables_are_golden(runs):
    """Compares one table of each figure with its last reviewed version."""
    must("plot", *sorted((FOLDER / "sweep").glob("*.l0.s[12].kev")), "-o", "few_runs", "unit=seed", "--format", "svg")
    folders = {"cd": "all", "fast_p": "fast", "roofline": "roofs"}
    for name in FIGURES:
        made = FOLDER / folders.get(name, "few_runs") / f"{name}.csv"
        assert made.read_text() == (GOLDEN / f"{name}.csv").read_text(), f"{made} is not {GOLDEN / made.name}"
    assert sorted(path.stem for path in GOLDEN.iterdir()) == sorted(FIGURES)


def centroids_are_drawn(runs):
    write({"cvt.yaml": BASE.replace("archive: {axes", "archive: {kind: cvt, cells: 9, axes")})
    must("run", "cvt.yaml", "task=landscapes/l0.json", "-o", "cvt", "-q")
    must("plot", "cvt", "-o", "cells", "--figure", "archive", "--format", "svg")
    rows = table("cells", "archive")
    run = Run(run_file("cvt"))
    points = [f"({float(row['y']):g}, {float(row['x']):g})" for row in rows]
    labels = [label for label, in run.rows("SELECT label FROM axis_bin WHERE archive = 'island' ORDER BY bin")]
    assert points == [f"({float(a):g}, {float(b):g})" for a, b in (label.strip("()").split(",") for label in labels)]
    assert len(rows) == 9 and (rows[0]["row_axis"], rows[0]["column_axis"]) == ("first_half", "second_half")
    write({"three.yaml": "budget: {evaluations: 20}\n"
                         "device: {kind: landscape, files: [landscapes/l0.json], descriptors: [{name: c, low: 0, high: 3}]}\n"
                         "archive: {kind: cvt, cells: 9, axes: [{measure: first_half}, {measure: second_half}, {measure: c}]}\n"})
    must("run", "three.yaml", "-o", "three", "-q")
    must("plot", "three", "-o", "space", "--figure", "archive", "--format", "svg")  # as parallel axes
    assert len(table("space", "archive")) == 9 and (FOLDER / "space/archive.svg").exists()


def numeric_searches_are_drawn(runs):
    write({"numeric.yaml": "device: {kind: function, function: sphere, dimensions: 10}\n"
                           "strategy: {kind: cma_mae, iterations: 20}\n"
                           "archive: {axes: [{measure: m0, bins: 10}, {measure: m1, bins: 12}]}\n"})
    must("run", "numeric.yaml", "-o", "numeric", "-q")
    must("plot", "numeric", "-o", "vectors", "--figure", "archive,curves,ccdf", "--format", "svg")
    run = Run(run_file("numeric"))
    filled = [(int(row["cell"]), float(row["objective"])) for row in table("vectors", "archive") if row["objective"]]
    assert filled == run.rows("SELECT cell, objective FROM numeric_elite ORDER BY cell") and filled
    best, solutions = run.rows("SELECT max(best), sum(solutions) FROM numeric_batch")[0]
    last = table("vectors", "curves")[-1]
    near(last["best_median"], best)
    near(last["evaluations"], solutions)
    near(table("vectors", "ccdf")[0]["best_seen"], best)


def too_few_kernels_have_no_ranks(runs):
    out = must("plot", *sorted((FOLDER / "sweep").glob("*.l0.*.kev")), "-o", "few", "--figure", "cd", "unit=seed", codes=(1,))
    assert "no cd: no ranks: they need 5 tasks that all arms have, there are 1" in out, out
    assert not (FOLDER / "few/cd.csv").exists()


def wrong_words_are_refused(runs):
    for words, message in ((("--figure", "curve"), "did you mean 'curves'"), (("--format", "gif"), "not one of svg | pdf | png"),
                           (("--against", "money"), "--against = money is not one of evaluations")):
        refused(("plot", "sweep", "-o", "wrong", *words), message)


def losses_that_never_occur_are_not_explained(runs):
    lost = {row["stage"] for row in table("all", "failures") if int(row["candidates_lost"])}
    assert "builds" not in lost and "is new" in lost, lost
    text = (FOLDER / "all/failures.svg").read_text()
    assert "does not build" not in text and "not new" in text and "stopped by" not in text


def distributions_span_their_values(runs):
    """The ticks below the ccdf figure lie around the values that the runs found."""
    values = [run.best() for run in runs.values()]
    ticks = [float(node.text) for node in xml.etree.ElementTree.parse(FOLDER / "all/ccdf.svg").iter()
             if node.tag.endswith("text") and node.text and node.text.replace(".", "", 1).isdigit()]
    assert sum(min(values) - 0.1 <= tick <= max(values) + 0.1 for tick in ticks) >= 3, (ticks, min(values), max(values))
    assert "zero" not in must("plot", "sweep", "-o", "again", "--figure", "ccdf", "--format", "svg")


def twenty_arms_with_long_names_fit(runs):
    """Nothing of the cd figure lies outside of it, and no two arms have the same line."""
    names = [f"an_arm_whose_name_is_long_{number}" for number in range(20)]
    rows = [dict(arm=name, average_rank=str(place + 1), first_group="0", last_group="0", critical_difference="30") for place, name in enumerate(names)]
    program = (f"import sys; sys.path.insert(0, {str(SOURCE / 'experiments/python')!r})\n"
               "import matplotlib; matplotlib.use('agg')\nfrom kernelevolve import draw_arms, style\n"
               "matplotlib.rcParams.update(style.SETTINGS)\n"
               f"rows = {rows!r}\nnames = style.Arms([row['arm'] for row in rows], {{}})\n"
               "figure = draw_arms.cd(rows, {'x_label': 'average rank'}, names); figure.draw_without_rendering()\n"
               "whole = figure.bbox\n"
               "for text in figure.texts:\n"
               "    box = text.get_window_extent()\n"
               "    assert whole.x0 <= box.x0 and box.x1 <= whole.x1 and whole.y0 <= box.y0 and box.y1 <= whole.y1, text\n"
               "lines = [(names.line(n)['color'], str(names.line(n)['linestyle'])) for n in names.names]\n"
               "assert len(set(lines)) == 20, lines\n"
               "assert figure.axes[0].get_position().width * figure.get_figwidth() >= 1.3\n")
    code, _, err = outcome(python_with_matplotlib(), "-c", program)
    assert code == 0, err


def hostile_names_stay_text(runs):
    (FOLDER / "hostile").mkdir()
    for seed in SEEDS:
        for arm in (HOSTILE.replace("/", ""), "plain"):
            path = FOLDER / f"hostile/{arm}.l0.s{seed}.kev"
            shutil.copy(FOLDER / f"sweep/{'random' if arm == 'plain' else 'default'}.l0.s{seed}.kev", path)
            edit(path, ("UPDATE run SET task = ?", ("<svg onload='x'>$\\frac{\x1b[31m" + "y" * 80,)),
                 "UPDATE candidate SET operator = '</text><script>' WHERE id % 2")
    must("plot", "hostile", "-o", "drawn", "--format", "svg")
    assert HOSTILE in {row["arm"] for row in table("drawn", "curves")}
    for path in sorted((FOLDER / "drawn").glob("*.svg")):
        tree = xml.etree.ElementTree.parse(path)  # well-formed
        names = {node.tag.rpartition("}")[2] for node in tree.iter()}
        assert "script" not in names, path
        assert "\u202e" not in path.read_text(), path
    assert "\\u{202E}" in (FOLDER / "drawn/curves.svg").read_text()


def tables_need_no_matplotlib(runs):
    write({"without/matplotlib.py": "raise ImportError('not here')\n"})
    code, out, err = call("plot", "sweep", "-o", "tables", PYTHONPATH=str(FOLDER / "without"))
    assert code == 2 and "install the package python3-matplotlib" in err and err.count("\n") == 1, err
    assert sorted(path.name for path in (FOLDER / "tables").iterdir()) == sorted(
        ["figures.json"] + [f"{name}.{form}" for name in FIGURES if name not in NOT_OF_LANDSCAPES for form in ("csv", "txt")])
    assert "tables/curves.{csv}" in out, out


def installed_copy_draws(runs):
    prefix = FOLDER / "prefix"
    code, _, err = outcome("cmake", "--install", BUILD, "--prefix", prefix)
    assert code == 0, err
    program = prefix / "share/kernelevolve/python/kernelevolve/__main__.py"
    program.write_text(program.read_text().replace("def main(arguments):", "def main(arguments):\n    open('drawn-by-the-copy', 'w')", 1))
    code, _, err = outcome(prefix / "bin/kernelevolve", "plot", "sweep", "-o", "installed", "--figure", "curves", "--format", "svg")
    assert code == 0, err
    assert (FOLDER / "drawn-by-the-copy").exists()
    assert (FOLDER / "installed/curves.svg").read_bytes() == (FOLDER / "all/curves.svg").read_bytes()


if __name__ == "__main__":
    need_drawing()
    make_runs()
    carry_out(all_figures_are_there, archive_is_that_of_the_median_run, curves_and_diversity_are_sums_over_rows,
              shares_are_counts, ranks_and_effects_follow_from_the_best, lineage_and_losses_are_rows, drawings_repeat,
              fast_p_counts_verified_speedups, roofline_holds_times_against_ceilings, tables_are_golden, centroids_are_drawn,
              numeric_searches_are_drawn, too_few_kernels_have_no_ranks, wrong_words_are_refused,
              losses_that_never_occur_are_not_explained, distributions_span_their_values, twenty_arms_with_long_names_fit,
              hostile_names_stay_text, tables_need_no_matplotlib, installed_copy_draws, given=(read_sweep(),))
