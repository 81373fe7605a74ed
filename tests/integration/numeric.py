#!/usr/bin/env python3
# Times nothing: may run beside others.
"""A numeric search through the command line: figures, equal histories, kill and resume, verification of its rows."""
import json
import os
import pathlib
import shutil
import signal
import sqlite3
import subprocess
import time

BINARY = os.environ["KERNELEVOLVE"]
FOLDER = pathlib.Path("numeric")
CONFIG = """schema: kernelevolve/1
name: numeric
seed: 1
device: {kind: function, function: sphere, dimensions: 20}
strategy: {kind: cma_mae, iterations: 60}
"""


def call(*arguments):
    return subprocess.run([BINARY, *map(str, arguments)], capture_output=True, text=True)


def run(name, *overrides):
    done = call("run", FOLDER / "config.yaml", "-o", FOLDER / name, "-q", *overrides)
    assert done.returncode == 0, done.stderr
    return show(name)


def show(name):
    return json.loads(call("show", FOLDER / name, "--json").stdout)["runs"][0]


def kill_and_resume(expected):
    process = subprocess.Popen([BINARY, "run", str(FOLDER / "config.yaml"), "-o", str(FOLDER / "killed"), "-q"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    file = FOLDER / "killed" / "numeric.sphere.s1.kev"
    for _ in range(600):
        if file.exists() and process.poll() is None and committed(file) > 5:
            break
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    resumed = call("resume", FOLDER / "killed", "-q")
    assert resumed.returncode == 0, resumed.stderr
    assert show("killed")["history_hash"] == expected


def committed(file):
    try:
        with sqlite3.connect(f"file:{file}?mode=ro", uri=True) as database:
            return database.execute("SELECT count(*) FROM numeric_batch").fetchone()[0]
    except sqlite3.OperationalError:
        return 0


def tampered_rows_are_noticed(name):
    assert call("verify", FOLDER / name).returncode == 0
    file = FOLDER / name / "numeric.sphere.s1.kev"
    for change in ("UPDATE numeric_elite SET objective = objective + 1 WHERE cell = (SELECT min(cell) FROM numeric_elite)",
                   "UPDATE numeric_batch SET best = best + 1 WHERE step_idx = 3"):
        with sqlite3.connect(file) as database:
            database.execute(change)
        assert call("verify", FOLDER / name).returncode == 1, change


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    (FOLDER / "config.yaml").write_text(CONFIG)
    first = run("first")
    assert first["evaluations"] == 60 * 540, first
    assert 0 < first["norm_qd_score"] <= 100 * first["coverage"], first
    assert first["norm_qd_score"] == first["qd_score"] / 10000
    assert 90 < first["max"] <= 100, first
    assert first["clipped"] == 0, first  # clip(x) keeps every measure within its axis
    assert run("again")["history_hash"] == first["history_hash"]
    assert run("other", "seed=2")["history_hash"] != first["history_hash"]
    wrong = call("run", FOLDER / "config.yaml", "-o", FOLDER / "wrong", "operators.knob_step=1")
    assert wrong.returncode == 2 and "unknown key 'operators" in wrong.stderr, wrong.stderr
    kill_and_resume(first["history_hash"])
    tampered_rows_are_noticed("again")
    print(f"history {first['history_hash'][:12]}, coverage {first['coverage']:.3f}")


if __name__ == "__main__":
    main()
