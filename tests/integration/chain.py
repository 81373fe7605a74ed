#!/usr/bin/env python3
# Times nothing: may run beside others.
"""Chained memory: each run of an arm and seed is told exactly the lessons of its predecessors,
pinned by hash; killed sweeps resume to the same histories; `compare` counts chains."""
import hashlib
import json
import os
import pathlib
import shutil
import signal
import sqlite3
import statistics
import subprocess
import time

BINARY = os.environ["KERNELEVOLVE"]
MODEL = pathlib.Path(os.environ["KE_SOURCE"]) / "tests" / "support" / "set_knobs.py"
FOLDER = pathlib.Path("chain").resolve()
TASKS, SEEDS = ("sphere", "rastrigin"), (1, 2)
BASE = f"""budget: {{proposals: 8}}
device: {{kind: function, dimensions: 4}}
islands: {{count: 1, lag: 1}}
archive: {{kind: grid, axes: [{{measure: m0, low: -1, high: 1, bins: 4}}, {{measure: m1, low: -1, high: 1, bins: 4}}]}}
operators: {{llm_mutation: 1, knob_step: 1}}
llm: {{kind: command, program: [{MODEL}], reply: json}}
verify: {{cells: 0}}
"""
SWEEP = f"""schema: kernelevolve-sweep/1
base: base.yaml
currency: proposals
tasks: [{", ".join(TASKS)}]
seeds: [1, 2]
arms: {{alone: {{}}, told: {{memory: {{lessons: 2}}}}}}
chain: tasks
analysis: {{endpoint: best_seen, reference: alone, unit: chain}}
"""


def call(*arguments, code=0):
    done = subprocess.run([BINARY, *map(str, arguments)], cwd=FOLDER, capture_output=True, text=True)
    assert done.returncode == code, (arguments, done.stdout, done.stderr)
    return done.stdout if code == 0 else done.stderr


def run_of(arm, task, seed, folder="sweep"):
    return FOLDER / folder / f"{arm}.{task}.s{seed}.kev"


def rows(file, query):
    return sqlite3.connect(file).execute(query).fetchall()


def runs_are_told_what_their_predecessors_learned():
    told = 0
    for seed in SEEDS:
        learned = ""
        for task in TASKS:
            file = run_of("told", task, seed)
            digest = hashlib.sha256(learned.encode()).hexdigest()
            ((config,),) = rows(file, "SELECT config_text FROM run")
            assert f"memory.sha256 = {digest}\n" in config, (file, digest)
            assert file.with_suffix(".lessons.jsonl").read_text() == learned, file
            names = {name for (name,) in rows(file, "SELECT name FROM lesson")}
            assert names == {json.loads(line)["id"] for line in learned.splitlines()}, names
            prompts = [text for (text,) in rows(file, "SELECT n.text FROM message m JOIN note n ON n.id = m.text_id "
                                                      "WHERE m.position = 1")]
            shown = sum("in earlier searches" in prompt for prompt in prompts)
            assert bool(shown) == bool(learned), (file, shown)
            told += shown
            learned += call("export", file, "--format", "lessons")
            assert not rows(run_of("alone", task, seed), "SELECT 1 FROM lesson")
    assert told > 0
    return told


def best(file):
    return rows(file, "SELECT max(objective) FROM evaluation WHERE verdict = 'ok'")[0][0]


def chains_are_the_units():
    report = json.loads(call("compare", "sweep", "--json"))
    (contrast,) = report["contrasts"]
    gains = [statistics.mean(best(run_of("told", task, seed)) - best(run_of("alone", task, seed)) for task in TASKS)
             for seed in SEEDS]
    assert contrast["units"] == len(SEEDS) and report["analysis"]["unit"] == "chain", report
    assert all(abs(a - b) < 1e-12 for a, b in zip(contrast["unit_values"], gains)), (contrast, gains)
    assert report["ranks"] is None and report["leave_one_out"] is None, report
    assert "the unit is the chain" in call("compare", "sweep", "unit=task", code=2)
    plain = [run_of("alone", TASKS[0], seed) for seed in SEEDS]
    assert "these runs are no chains" in call("compare", *plain, "unit=chain", code=2)


def history(file):
    return json.loads(call("verify", "--json", file))["history_hash"]


def has_candidates(file):
    try:
        return file.exists() and bool(rows(file, "SELECT 1 FROM candidate LIMIT 1"))
    except sqlite3.OperationalError:  # still being created
        return False


def a_killed_sweep_goes_on_to_the_same_histories():
    sweep = subprocess.Popen([BINARY, "sweep", "s.yaml", "-q", "-j", "1", "-o", "killed"], cwd=FOLDER,
                             start_new_session=True)
    middle = run_of("told", TASKS[1], 1, "killed")
    end = time.monotonic() + 60
    while not has_candidates(middle) and time.monotonic() < end:
        time.sleep(0.01)
    os.killpg(sweep.pid, signal.SIGKILL)
    sweep.wait()
    assert not run_of("told", TASKS[1], 2, "killed").exists(), "the sweep was over too soon"
    call("sweep", "s.yaml", "-q", "-j", "2", "-o", "killed")
    for file in sorted((FOLDER / "sweep").glob("*.kev")):
        assert history(file) == history(FOLDER / "killed" / file.name), file


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    (FOLDER / "base.yaml").write_text(BASE)
    (FOLDER / "s.yaml").write_text(SWEEP)
    call("sweep", "s.yaml", "-q", "-o", "sweep")
    told = runs_are_told_what_their_predecessors_learned()
    chains_are_the_units()
    call("verify", "--replay", "sweep")
    a_killed_sweep_goes_on_to_the_same_histories()
    print(f"{len(SEEDS)} chains of {len(TASKS)} runs an arm; {told} prompts were told what their chain had learned")


if __name__ == "__main__":
    main()
