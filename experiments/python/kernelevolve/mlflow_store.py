"""Runs in the layout of MLflow's file store, FOLDER/<experiment>/<run>/{meta.yaml, metrics, params, tags}; the experiment is the
task. Metrics, with the number of evaluations as step: best, qd_score and filled_cells of the common archive, and
verified/<role>/<baseline> at the end. MLflow itself is not needed."""
import json
import os
import pathlib
import re

from .analysis import plain
from .runs import RunError, query, sha256

RUNNING, FINISHED, KILLED, LOCAL, LONGEST_PARAM = 1, 3, 5, 4, 6000


def write_new(path, text):
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", errors="replace")
    except OSError as error:
        raise RunError(f"{path}: cannot be written: {error.strerror}", 7) from error


def key_of(name):
    """MLflow allows few signs in names; the file must not be hidden."""
    return re.sub(r"[^A-Za-z0-9_.-]", "_", re.sub(r"^\.", "_", name))


def yaml(values):
    """JSON strings are valid YAML."""
    return "".join(f"{name}: {value if isinstance(value, int) else json.dumps(value)}\n" for name, value in values.items())


def experiment_id(task):
    """17 digits, because MLflow's are numbers."""
    return str(int.from_bytes(bytes.fromhex(sha256("experiment " + task))[:8], "little") % 90_000_000_000_000_000 + 10_000_000_000_000_000)


def metrics_of(runs, run, times):
    """{name: lines}"""
    steps = runs.steps[runs.steps.run == run].drop_duplicates("evaluations", keep="last")  # one value a step
    first = query(runs.runs.file[run], "SELECT min(committed_ms) FROM step")[0][0]
    found = {}
    for name, column in (("best", "best"), ("qd_score", "qd_score"), ("filled_cells", "filled")):
        known = steps.dropna(subset=[column])
        found[name] = "".join(f"{first + round(1000 * seconds)} {plain(value)} {at}\n" for seconds, value, at in
                              zip(known.seconds, known[column], known.evaluations))
    row, champions = runs.runs.iloc[run], runs.champions
    for one in champions[(champions.run == run) & (champions.champion == 1)].dropna(subset=["speedup"]).itertuples():
        found[f"verified/{key_of(one.role)}/{key_of(one.baseline)}"] = f"{times[1] or times[0]} {plain(one.speedup)} {row.evaluations}\n"
    return {name: lines for name, lines in found.items() if lines}  # MLflow refuses a metric without values


def write(runs, folder):
    """Writes every run; RunError if one is there already, since nothing is overwritten."""
    for run, row in enumerate(runs.runs.itertuples()):
        name = pathlib.Path(row.file).stem
        history = (query(row.file, "SELECT history_hash FROM stop") or query(row.file, "SELECT history_hash FROM step ORDER BY idx DESC LIMIT 1")
                   or [(None,)])[0][0]
        history = (history or b"").hex()
        started, stopped = (query(row.file, f"SELECT {column} FROM session ORDER BY id {order} LIMIT 1") or [(0,)] for column, order in
                            (("started_ms", "ASC"), ("stopped_ms", "DESC")))
        times = started[0][0], stopped[0][0]
        experiment, one = experiment_id(row.task), sha256(f"{name} {history}")[:32]
        above = pathlib.Path(os.path.abspath(folder), experiment)
        place = above / one
        if place.exists():
            raise RunError(f"{place}: holds {row.file} already")
        if not (above / "meta.yaml").exists():
            write_new(above / "meta.yaml", yaml({"artifact_location": f"file://{above}", "creation_time": times[0], "experiment_id": experiment,
                                                 "last_update_time": times[0], "lifecycle_stage": "active", "name": row.task}))
        texts = {f"metrics/{key}": text for key, text in metrics_of(runs, run, times).items()}
        texts.update({f"params/{key_of(key)}": value[:LONGEST_PARAM] for line in row.config.splitlines() if " = " in line
                      for key, value in [line.split(" = ", 1)]})
        texts.update({"tags/mlflow.runName": name, "tags/kernelevolve.task": row.task, "tags/kernelevolve.seed": str(row.seed),
                      "tags/kernelevolve.config_id": row.config_id, "tags/kernelevolve.history_hash": history})
        for key, text in texts.items():
            write_new(place / key, text)
        state = {"running": RUNNING, "done": FINISHED}.get(row.state, KILLED)
        write_new(place / "meta.yaml", yaml({
            "artifact_uri": f"file://{place}/artifacts", "deleted_time": None, "end_time": times[1], "entry_point_name": "", "experiment_id": experiment,
            "lifecycle_stage": "active", "run_id": one, "run_name": name, "run_uuid": one, "source_name": "", "source_type": LOCAL,
            "source_version": "", "start_time": times[0], "status": state, "tags": [], "user_id": ""}))
