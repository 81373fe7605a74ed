#!/usr/bin/env python3
# Times nothing: may run beside others.
"""An ensemble of models under a bandit that counts costs: the choice replays, is the same on 1 and
4 lanes, and favours the model that is worth its price."""
import collections
import json
import os
import pathlib
import shutil
import sqlite3
import subprocess

BINARY = os.environ["KERNELEVOLVE"]
MODEL = pathlib.Path(os.environ["KE_SOURCE"]) / "tests" / "support" / "set_knobs.py"
FOLDER = pathlib.Path("ensemble")
CONFIG = f"""schema: kernelevolve/1
budget: {{proposals: 36}}
device: {{kind: function, dimensions: 32}}
islands: {{count: 2, lag: 0, topology: none}}
archive: {{kind: grid, axes: [{{measure: m0, low: -1, high: 1, bins: 1}}, {{measure: m1, low: -1, high: 1, bins: 1}}]}}
operators: {{llm_mutation: 1}}
llm:
  kind: command
  program: [{MODEL}]
  reply: json
  ensemble:
    models: [{{model: sharp}}, {{model: cheap}}, {{model: dull}}]
    selection: {{kind: ucb, exploration: 0.1, per_kilotoken: 1}}
verify: {{cells: 0}}
"""


def call(*arguments):
    done = subprocess.run([BINARY, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, (arguments, done.stdout, done.stderr)
    return done.stdout


def run(out, *overrides):
    call("run", FOLDER / "e.yaml", "-q", "-o", FOLDER / out, *overrides)
    file = next((FOLDER / out).glob("*.kev"))
    return file, json.loads(call("verify", "--replay", "--json", file))["history_hash"]


def asked(file):
    """Recorded requests by model; requires that the requested model answered each."""
    rows = sqlite3.connect(file).execute("SELECT model, model_returned FROM exchange").fetchall()
    assert all(model == returned for model, returned in rows), rows
    return collections.Counter(model for model, _ in rows)


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    (FOLDER / "e.yaml").write_text(CONFIG)
    one, history = run("one", "device.lanes=1", "llm.concurrency=1")
    _, other = run("four", "device.lanes=4", "llm.concurrency=4", "device.delay_us=2000")
    assert history == other, (history, other)
    counts = asked(one)
    assert set(counts) == {"sharp", "cheap", "dull"}, counts
    assert counts["cheap"] > counts["sharp"] and counts["cheap"] > counts["dull"], counts
    print(f"{dict(counts)}; 1 and 4 lanes: {history[:12]}")


if __name__ == "__main__":
    main()
