#!/usr/bin/env python3
# Times nothing: may run beside others.
"""Chained memory: each run of an arm and seed is told exactly the lessons of its predecessors,
pinned by hash; killed sweeps resume to the same histories; `compare` counts chains."""
import hashlib
import json
import statistics
import sys

sys.path.insert(0, sys.path[0] + "/../support")
from program import SOURCE, count_rows, fresh_folder, json_of, kill_when, must, refused, rows, start, verify, write  # noqa: E402

MODEL = SOURCE / "tests/support/set_knobs.py"
FOLDER = fresh_folder("chain")
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


def run_of(arm, task, seed, folder="sweep"):
    return FOLDER / folder / f"{arm}.{task}.s{seed}.kev"


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
            learned += must("export", file, "--format", "lessons")
            assert not rows(run_of("alone", task, seed), "SELECT 1 FROM lesson")
    assert told > 0
    return told


def best(file):
    return rows(file, "SELECT max(objective) FROM evaluation WHERE verdict = 'ok'")[0][0]


def chains_are_the_units():
    report = json_of("compare", "sweep")
    (contrast,) = report["contrasts"]
    gains = [statistics.mean(best(run_of("told", task, seed)) - best(run_of("alone", task, seed)) for task in TASKS)
             for seed in SEEDS]
    assert contrast["units"] == len(SEEDS) and report["analysis"]["unit"] == "chain", report
    assert all(abs(a - b) < 1e-12 for a, b in zip(contrast["unit_values"], gains)), (contrast, gains)
    assert report["ranks"] is None and report["leave_one_out"] is None, report
    refused(("compare", "sweep", "unit=task"), "the unit is the chain")
    plain = [run_of("alone", TASKS[0], seed) for seed in SEEDS]
    refused(("compare", *plain, "unit=chain"), "these runs are no chains")


def a_killed_sweep_goes_on_to_the_same_histories():
    middle = run_of("told", TASKS[1], 1, "killed")
    kill_when(start("sweep", "s.yaml", "-q", "-j", "1", "-o", "killed"), lambda: count_rows(middle, "candidate"))
    assert not run_of("told", TASKS[1], 2, "killed").exists(), "the sweep was over too soon"
    must("sweep", "s.yaml", "-q", "-j", "2", "-o", "killed")
    for file in sorted((FOLDER / "sweep").glob("*.kev")):
        assert verify(file)["history_hash"] == verify(FOLDER / "killed" / file.name)["history_hash"], file


def main():
    write({"base.yaml": BASE, "s.yaml": SWEEP})
    must("sweep", "s.yaml", "-q", "-o", "sweep")
    told = runs_are_told_what_their_predecessors_learned()
    chains_are_the_units()
    must("verify", "--replay", "sweep")
    a_killed_sweep_goes_on_to_the_same_histories()
    print(f"{len(SEEDS)} chains of {len(TASKS)} runs an arm; {told} prompts were told what their chain had learned")


if __name__ == "__main__":
    main()
