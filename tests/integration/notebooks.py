#!/usr/bin/env python3
# Times nothing: may run beside others.
"""Runs the code of the notebook, without Jupyter, and every block of the page on the Python package, on new runs. Their
figures are those of the program. Needs the packages that the Python package needs."""
import json
import os
import re
import sys

sys.path.insert(0, sys.path[0] + "/../support")
from needs import need  # noqa: E402
from program import SOURCE, carry_out, fresh_folder, json_of, must, write  # noqa: E402

need("matplotlib", "pandas", "scipy", "statsmodels")
import matplotlib  # noqa: E402

matplotlib.use("agg")
sys.path.insert(0, str(SOURCE / "experiments/python"))
NOTEBOOK, PAGE = SOURCE / "experiments/view/notebooks/results.ipynb", SOURCE / "experiments/docs/results_in_python.md"
FOLDER = fresh_folder("notebooks")
SWEEP = """schema: kernelevolve-sweep/1
base: base.yaml
seeds: 1..5
tasks: [sphere, rastrigin]
arms:
  map_elites: {}
  random: {strategy: random, operators!: {random_restart: 1}}
  greedy: {strategy: greedy}
analysis: {endpoint: best_seen, reference: map_elites, unit: seed}
"""
BASE = """schema: kernelevolve/1
budget: {evaluations: 60}
device: {kind: function, dimensions: 4}
archive: {axes: [{measure: m0, bins: 4}, {measure: m1, bins: 5}]}
"""


def near(a, b):
    assert abs(a - b) <= 1e-9 * max(1, abs(b)), (a, b)


def notebook_is_short_and_agrees_with_the_program():
    os.environ["KERNELEVOLVE_SWEEP"] = str(FOLDER / "runs/strategies")
    scope, lines = {}, 0
    for cell in json.loads(NOTEBOOK.read_text())["cells"]:
        assert not cell.get("outputs"), "the notebook is kept with its output"
        if cell["cell_type"] == "code":
            lines += sum(bool(line.strip()) for line in cell["source"])
            exec(compile("".join(cell["source"]), NOTEBOOK.name, "exec"), scope)
    assert lines <= 15, lines
    answer = json_of("compare", "runs/strategies")
    for contrast in answer["contrasts"]:
        near(scope["comparison"].contrasts.effect[contrast["arm"]], contrast["effect"]["value"])
    assert len(answer["contrasts"]) == 2 and scope["pages"]
    coverage = [run["coverage"] for run in json_of("status", "runs/strategies")["runs"]]
    table = scope["diversity"]
    near(table[table.measure == "coverage"]["mean"].mean(), sum(coverage) / len(coverage))


def blocks_of_the_page_run():
    scope, count = {}, 0
    for block in re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.DOTALL | re.MULTILINE):
        exec(compile(block, PAGE.name, "exec"), scope)
        count += 1
    assert count >= 5, count
    from kernelevolve import runs
    text = PAGE.read_text()
    for frame, columns in runs.COLUMNS.items():
        section = text.split(f"### {frame}\n")[1].split("\n### ")[0]
        assert all(f"| `{name}` | {doc.replace('|', chr(92) + '|')} |" in section for name, doc in columns.items()), frame


if __name__ == "__main__":
    write({"base.yaml": BASE, "s.yaml": SWEEP})
    must("sweep", "s.yaml", "-o", "runs/strategies", "-q")
    carry_out(notebook_is_short_and_agrees_with_the_program, blocks_of_the_page_run)
