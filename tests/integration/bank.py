#!/usr/bin/env python3
# Times nothing: may run beside others.
"""Shares a proposal bank between the arms of a sweep: live calls are counted right, and a full bank
needs none. Where letters tell measured rates, runs share those too."""
import sys

sys.path.insert(0, sys.path[0] + "/../support")
from program import SOURCE, fresh_folder, json_of, must, write  # noqa: E402

MODEL = SOURCE / "tests/support/set_knobs.py"
FOLDER = fresh_folder("bank")
BASE = """budget: {proposals: 8}
device: {kind: function, dimensions: 3}
islands: {count: 1, lag: 0}
archive: {kind: grid, axes: [{measure: m0, low: -1, high: 1, bins: 4}, {measure: m1, low: -1, high: 1, bins: 4}]}
operators: {llm_mutation: 1}
llm: {kind: bank, file: bank.jsonl, children: 1, otherwise: {kind: command, program: [sh, model.sh], reply: json}}
verify: {cells: 0}
"""
SWEEP = """schema: kernelevolve-sweep/1
base: base.yaml
currency: proposals
seeds: 1..2
arms: {map_elites: {}, greedy: {strategy: greedy}}
analysis: {endpoint: best_seen, reference: map_elites, unit: seed}
"""

MEASURED = """task: softmax
kernels: none
budget: {proposals: 1}
operators: {llm_draft: 1}
llm: {kind: bank, file: drafts.jsonl, children: 1, sheets: sheets.jsonl, otherwise: {kind: command, program: [sh, draft.sh]}}
verify: {cells: 0}
"""


def misses(sweep):
    arms = json_of("cassette", "misses", sweep)["arms"]
    assert [arm["arm"] for arm in arms] == ["map_elites", "greedy"], arms
    return arms


def calls_logged():
    log = FOLDER / "calls.log"
    return len(log.read_text().split()) if log.exists() else 0


def main():
    write({"base.yaml": BASE, "s.yaml": SWEEP, "model.sh": f"echo call >> calls.log; exec {MODEL}\n"})
    must("sweep", "s.yaml", "-o", "first", "-q", "-j", "1")
    arms = misses("first")
    calls = calls_logged()
    assert sum(arm["live"] for arm in arms) == calls > 0, (arms, calls)
    assert all(arm["requests"] >= 2 * 7 for arm in arms), arms  # one proposal of each run is the seed kernel
    must("verify", "--replay", "first")

    (FOLDER / "calls.log").rename(FOLDER / "first.log")
    must("sweep", "s.yaml", "-o", "second", "-q", "-j", "1")
    again = sum(arm["live"] for arm in misses("second"))
    assert again == calls_logged() < calls, (again, calls)

    draft = (SOURCE / "configs/tasks/softmax/onednn.cpp").read_text()
    write({"cpu.yaml": MEASURED, "draft.md": f"```cpp\n{draft}```\n", "draft.sh": "echo call >> calls.log; exec cat draft.md\n"})
    (FOLDER / "calls.log").unlink(missing_ok=True)
    for seed in (1, 2):
        must("run", "cpu.yaml", f"seed={seed}", "-o", f"cpu{seed}")
    assert calls_logged() == 1, (FOLDER / "sheets.jsonl").read_text()
    print(f"{calls} live calls of {sum(arm['requests'] for arm in arms)}, then {again}")


if __name__ == "__main__":
    main()
