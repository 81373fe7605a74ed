#!/usr/bin/env python3
# Times nothing: may run beside others.
"""A numeric search through the command line: figures, equal histories, kill and resume, verification of its rows."""
import sys

sys.path.insert(0, sys.path[0] + "/../support")
from program import NEGATIVE, count_rows, edit, fresh_folder, kill_when, must, refused, show, start, write  # noqa: E402

FOLDER = fresh_folder("numeric")
CONFIG = """schema: kernelevolve/1
name: numeric
seed: 1
device: {kind: function, function: sphere, dimensions: 20}
strategy: {kind: cma_mae, iterations: 60}
"""


def run(name, *overrides):
    must("run", "config.yaml", "-o", name, "-q", *overrides)
    return show(name)


def kill_and_resume():
    longer = "strategy.iterations=1000"  # else it is over before it is killed
    whole = run("whole", longer)
    kill_when(start("run", "config.yaml", "-o", "killed", "-q", longer), lambda: count_rows("killed", "numeric_batch") > 5)
    must("resume", "killed", "-q")
    assert show("killed")["history_hash"] == whole["history_hash"]


def tampered_rows_are_noticed(name):
    must("verify", name)
    file = FOLDER / name / "numeric.sphere.s1.kev"
    for change in ("UPDATE numeric_elite SET objective = objective + 1 WHERE cell = (SELECT min(cell) FROM numeric_elite)",
                   "UPDATE numeric_batch SET best = best + 1 WHERE step_idx = 3"):
        edit(file, change)
        must("verify", name, codes=(NEGATIVE,))


def main():
    write({"config.yaml": CONFIG})
    first = run("first")
    assert first["evaluations"] == 60 * 540, first
    assert 0 < first["norm_qd_score"] <= 100 * first["coverage"], first
    assert first["norm_qd_score"] == first["qd_score"] / 10000
    assert 90 < first["max"] <= 100, first
    assert first["clipped"] == 0, first  # clip(x) keeps every measure within its axis
    assert run("again")["history_hash"] == first["history_hash"]
    assert run("other", "seed=2")["history_hash"] != first["history_hash"]
    refused(("run", "config.yaml", "-o", "wrong", "operators.knob_step=1"), "unknown key 'operators")
    kill_and_resume()
    tampered_rows_are_noticed("again")
    print(f"history {first['history_hash'][:12]}, coverage {first['coverage']:.3f}")


if __name__ == "__main__":
    main()
