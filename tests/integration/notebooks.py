#!/usr/bin/env python3
# Times nothing: may run beside others.
"""Runs the code of every notebook, cell by cell, on new runs and without Jupyter. The results equal
the program's own. Needs the pandas and matplotlib of Debian's Python."""
import json
import os
import pathlib
import shutil
import subprocess
import sys

try:
    import matplotlib
    import pandas  # noqa: F401
except ImportError:
    if sys.executable == "/usr/bin/python3":
        print("SKIP: python3-pandas or python3-matplotlib is not installed")
        sys.exit(77)
    os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])
matplotlib.use("agg")

BINARY, SOURCE = os.environ["KERNELEVOLVE"], pathlib.Path(os.environ["KE_SOURCE"])
NOTEBOOKS = SOURCE / "experiments/view/notebooks"
FOLDER = pathlib.Path("notebooks").resolve()
SWEEP = """schema: kernelevolve-sweep/1
base: base.yaml
seeds: [1, 2, 3]
tasks: [sphere, rastrigin]
arms:
  default: {}
  random: {strategy: random, operators!: {random_restart: 1}}
analysis: {endpoint: best_seen, reference: default, unit: seed}
"""
BASE = """schema: kernelevolve/1
budget: {evaluations: 60}
device: {kind: function, dimensions: 4}
archive: {axes: [{measure: m0, bins: 4}, {measure: m1, bins: 5}]}
"""


def call(*words):
    return subprocess.run([BINARY, *words], cwd=FOLDER, check=True, capture_output=True, text=True).stdout


def make_runs():
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    (FOLDER / "base.yaml").write_text(BASE)
    (FOLDER / "s.yaml").write_text(SWEEP)
    call("sweep", "s.yaml", "-o", "sweep", "-q")


def run_notebook(name, **variables):
    """Runs a notebook; returns its variables."""
    os.environ.update(variables)
    scope = {}
    for number, cell in enumerate(json.loads((NOTEBOOKS / f"{name}.ipynb").read_text())["cells"]):
        assert not cell.get("outputs"), f"{name}: cell {number} is kept with its output"
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), f"{name}.ipynb, cell {number}", "exec"), scope)
    return scope


def near(a, b):
    assert abs(a - b) <= 1e-9 * max(1, abs(b)), (a, b)


def diversity_is_that_of_status_and_plot():
    run = FOLDER / "sweep/default.rastrigin.s1.kev"
    scope = run_notebook("archive_diversity", KERNELEVOLVE_RUN=str(run))
    status = json.loads(call("status", str(run), "--json"))["runs"][0]
    near(scope["coverage"], status["coverage"])
    near(scope["qd_score"], status["qd_score"])
    assert len(scope["empty"]) == 20 - round(20 * status["coverage"])
    call("plot", str(run), "-o", "figures", "--figure", "diversity", "--format", "")
    *_, last = (FOLDER / "figures/diversity.csv").read_text().splitlines()
    head = (FOLDER / "figures/diversity.csv").read_text().splitlines()[0].split(",")
    near(scope["entropy"], float(last.split(",")[head.index("entropy_median")]))
    assert 0 < scope["distance"].mean() <= 1


def effects_are_those_of_compare():
    scope = run_notebook("comparing_strategies", KERNELEVOLVE_SWEEP=str(FOLDER / "sweep"))
    answer = json.loads(call("compare", "sweep", "--json"))
    for contrast in answer["contrasts"]:
        near(scope["effects"].difference[contrast["arm"]], contrast["effect"]["value"])
    assert len(answer["contrasts"]) == len(scope["effects"]) == 1
    bests = json.loads(call("show", "sweep", "--json"))["runs"]
    for run in bests:
        arm = pathlib.Path(run["file"]).name.split(".")[0]
        near(scope["best"].loc[(run["task"], run["seed"]), arm], run["champion"]["seen"]["speedup"])


def main():
    make_runs()
    names = {path.stem for path in NOTEBOOKS.glob("*.ipynb")}
    assert names == {"archive_diversity", "comparing_strategies"}, names
    diversity_is_that_of_status_and_plot()
    effects_are_those_of_compare()
    print(f"{len(names)} notebooks run")


main()
