#!/usr/bin/env python3
# Times nothing: may run beside others.
"""Exports of a run: a landscape that is searched like the original, MLflow files as its file store
reads them, and the queries that archive/queries documents."""
import csv
import json
import math
import re
import sqlite3
import sys

import yaml

sys.path.insert(0, sys.path[0] + "/../support")
from landscape import landscape  # noqa: E402
from program import SOURCE, carry_out, fresh_folder, json_of, must, refused, rows, run_file, show, write  # noqa: E402

FOLDER = fresh_folder("exports")
RUN = """budget: {evaluations: 300}
device: {kind: function, function: rastrigin, dimensions: 3, levels: 9, failures: 0.1, noisy: true}
islands: {count: 2, lag: 0, topology: ring, migration: {every: 5}}
archive: {axes: [{measure: m0, bins: 4}, {measure: m1, bins: 5}]}
operators: {knob_step: 4, knob_crossover: 2, random_restart: 1}
"""
ALL = """budget: {proposals: 2000}
device: {kind: landscape, files: [landscapes/whole.json]}
strategy: random
operators: {random_restart: 1}
"""


def make_runs():
    whole = landscape({"a": (1, 2, 4, 8), "b": (False, True), "order": ("rows", "columns")},
                      lambda a, b, order: None if a == 8 and b else 0.5 + a + 3 * b + len(order) / 7, "compile")
    write({"landscapes/whole.json": json.dumps(whole), "f.yaml": RUN, "all.yaml": ALL})
    must("run", "f.yaml", "-o", "function", "-q")
    must("run", "all.yaml", "-o", "all", "-q")


def point(result):
    return tuple(sorted(result["configuration"].items()))


def a_whole_landscape_comes_back():
    """Searches at random until all 16 points are known: times are the landscape's, relative to its
    best."""
    must("export", "all", "--format", "t4", "-o", "landscapes/again.json")
    first = json.loads((FOLDER / "landscapes/whole.json").read_text())
    again = json.loads((FOLDER / "landscapes/again.json").read_text())
    assert again["schema_version"] == "1.0.0" and again["metadata"]["timeunit"] == "milliseconds"
    assert {point(r) for r in again["results"]} == {point(r) for r in first["results"]}
    assert len(again["results"]) == len(first["results"])
    times = {point(r): r["measurements"][0]["value"] for r in first["results"]}
    best = min(time for time in times.values() if time != "failed")
    for result in again["results"]:
        if times[point(result)] == "failed":
            assert (result["invalidity"], result["correctness"]) == ("compile", 0), result
        else:
            assert result["invalidity"] == "correct"
            assert math.isclose(result["measurements"][0]["value"], times[point(result)] / best, rel_tol=1e-12), result
    shown = [json_of("landscape", "stats", f"landscapes/{name}.json")["landscapes"][0] for name in ("whole", "again")]
    for key in ("configurations", "failures"):
        assert shown[0][key] == shown[1][key], (key, shown)


def a_run_is_searched_again():
    must("export", "function", "--format", "t4", "-o", "landscapes/f.json.gz")
    must("export", "function", "--format", "t4", "-o", "landscapes/f.json")
    exported = json.loads((FOLDER / "landscapes/f.json").read_text())
    results, reference = exported["results"], exported["metadata"]["reference_ms"]
    judged = rows("function", "SELECT group_concat(k.name || '=' || k.value, ' '), e.verdict, e.objective FROM candidate c "
                              "JOIN evaluation e ON e.candidate_id = c.id JOIN knob k ON k.genome_id = c.genome_id "
                              "WHERE c.outcome = 'kernel' GROUP BY c.id")
    assert len(results) == len(judged) > 100
    by_knobs = {knobs: (verdict, objective) for knobs, verdict, objective in judged}
    for result in results:
        verdict, objective = by_knobs[" ".join(f"{k}={v}" for k, v in result["configuration"].items())]
        assert result["verdict"] == verdict, (result, verdict)
        assert verdict != "ok" or math.isclose(result["measurements"][0]["value"], reference / objective), result
    write({"again.yaml": "budget: {evaluations: 60}\ndevice: {kind: landscape, files: [landscapes/f.json.gz]}\n"})
    must("run", "again.yaml", "-o", "again", "-q")
    assert rows("again", "SELECT count(*) FROM v_best")[0][0] > 20


def a_landscape_is_of_one_run():
    refused(("export", "function", "all", "--format", "t4"), "a landscape is made of one run")
    refused(("export", "function", "--format", "t5"), "--format = t5 is not one of conversations | csv | jsonl | lessons | mlflow | t4")


def read_store(root):
    """Reads MLflow's file store like mlflow/store/tracking/file_store.py: {run name: (meta,
    metrics, params, tags)}."""
    found = {}
    for experiment in sorted(path for path in root.iterdir() if path.is_dir()):
        about = yaml.safe_load((experiment / "meta.yaml").read_text())
        assert about["experiment_id"] == experiment.name and re.fullmatch(r"[a-zA-Z0-9][\w\-]{0,63}", experiment.name)
        assert about["lifecycle_stage"] == "active" and about["name"]
        for run in sorted(path for path in experiment.iterdir() if path.is_dir()):
            meta = yaml.safe_load((run / "meta.yaml").read_text())
            assert meta["run_id"] == meta["run_uuid"] == run.name and re.fullmatch(r"[a-zA-Z0-9][\w\-]{0,255}", run.name)
            assert meta["experiment_id"] == experiment.name
            kinds = []
            for kind in ("metrics", "params", "tags"):
                files = {path.relative_to(run / kind).as_posix(): path.read_text()
                         for path in (run / kind).rglob("*") if path.is_file()}
                assert all(re.fullmatch(r"[/\w.\- ]*", name) for name in files), files.keys()
                kinds.append(files)
            metrics = {name: [(int(t), float(v), int(s)) for t, v, s in map(str.split, text.splitlines())]
                       for name, text in kinds[0].items()}
            assert all(metrics.values())
            found[kinds[2]["mlflow.runName"]] = (about, meta, metrics, kinds[1], kinds[2])
    return found


def mlflow_reads_a_run():
    must("export", "function", "all", "--format", "mlflow", "-o", "mlruns")
    store = read_store(FOLDER / "mlruns")
    assert len(store) == 2, store.keys()
    path = run_file("function")
    about, meta, metrics, params, tags = store[path.stem]
    assert (about["name"], meta["status"], meta["run_name"]) == ("rastrigin", 3, path.stem)
    started, stopped = rows(path, "SELECT min(started_ms), max(stopped_ms) FROM session")[0]
    assert (meta["start_time"], meta["end_time"]) == (started, stopped)
    assert params["device.function"] == "rastrigin" and params["budget.evaluations"] == "300"
    lines = rows(path, "SELECT config_text FROM run")[0][0].strip().splitlines()
    assert len(params) == len(lines)
    best = metrics["best"]
    assert [step for _, _, step in best] == sorted({step for _, _, step in best}) and best[-1][2] == 300
    assert best[-1][1] == rows(path, "SELECT max(objective) FROM v_best")[0][0]
    assert math.isclose(metrics["qd_score"][-1][1], rows(path, "SELECT sum(objective) FROM v_archive WHERE island = -1")[0][0])
    assert metrics["filled_cells"][-1][1] == rows(path, "SELECT count(*) FROM v_archive WHERE island = -1")[0][0]
    assert tags["kernelevolve.history_hash"] == json_of("status", "function")["runs"][0]["history_hash"]
    refused(("export", "function", "--format", "mlflow", "-o", "mlruns"), "already")
    refused(("export", "function", "--format", "mlflow"), "needs --out FOLDER")


def query(path, name):
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as database:
        database.row_factory = sqlite3.Row
        return [dict(row) for row in database.execute((SOURCE / f"archive/queries/{name}.sql").read_text())]


def queries_answer():
    path = run_file("function")
    names = sorted(file.stem for file in (SOURCE / "archive/queries").glob("*.sql"))
    assert len(names) == 10, names
    documented = re.findall(r"^\| `(\w+)` \|", (SOURCE / "archive/README.md").read_text().split("## Queries")[1], re.MULTILINE)
    assert documented == names, documented
    answers = {name: query(path, name) for name in names}
    assert all(answers.values()), {name: len(answer) for name, answer in answers.items()}
    shown = show("function")
    assert answers["best_so_far"][-1]["evaluations"] == 300
    assert answers["best_so_far"][-1]["best"] == answers["best_kernels"][0]["objective"]
    assert answers["coverage"][-1]["filled"] == round(shown["common_coverage"] * 20) == len(answers["elites"])
    assert math.isclose(sum(row["objective"] for row in answers["elites"]), shown["common_qd_score"])
    line = [row["id"] for row in json_of("lineage", "function")["lineage"]]
    assert [row["candidate"] for row in answers["champion_lineage"]] == line
    assert sum(row["proposals"] for row in answers["operators"]) == shown["proposals"]
    assert {row["verdict"]: 0 for row in answers["failures"]}.keys() == shown["failures"].keys()
    credit = {row["name"]: row for row in json_of("report", "function")["runs"][0]["credit"]}
    for row in answers["operators"]:
        assert row["improved"] == credit[row["operator"]]["improved"], row
    exported = list(csv.DictReader(must("export", "function").splitlines()))
    values = [float(row["objective"]) for row in exported
              if row["outcome"] == "kernel" and row["verdict"] == "ok" and "x000=4" in row["kernel"].split()]
    own = [row for row in answers["knob_values"] if (row["name"], row["value"]) == ("x000", "4")]
    assert own[0]["kernels"] == len(values) and math.isclose(own[0]["best"], max(values)), (own, values)


if __name__ == "__main__":
    make_runs()
    carry_out(a_whole_landscape_comes_back, a_run_is_searched_again, a_landscape_is_of_one_run, mlflow_reads_a_run, queries_answer)
