#!/usr/bin/env python3
# Times nothing: may run beside others.
"""An ensemble of models under a bandit that counts costs: the choice replays, is the same on 1 and
4 lanes, and favours the model that is worth its price."""
import collections
import sys

sys.path.insert(0, sys.path[0] + "/../support")
from program import SOURCE, fresh_folder, must, rows, verify, write  # noqa: E402

MODEL = SOURCE / "tests/support/set_knobs.py"
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


def run(out, *overrides):
    """The hash of its history."""
    must("run", "e.yaml", "-q", "-o", out, *overrides)
    return verify(out, "--replay")["history_hash"]


def asked(run):
    """Recorded requests by model; requires that the requested model answered each."""
    found = rows(run, "SELECT model, model_returned FROM exchange")
    assert all(model == returned for model, returned in found), found
    return collections.Counter(model for model, _ in found)


def main():
    fresh_folder("ensemble")
    write({"e.yaml": CONFIG})
    history = run("one", "device.lanes=1", "llm.concurrency=1")
    other = run("four", "device.lanes=4", "llm.concurrency=4", "device.delay_us=2000")
    assert history == other, (history, other)
    counts = asked("one")
    assert set(counts) == {"sharp", "cheap", "dull"}, counts
    assert counts["cheap"] > counts["sharp"] and counts["cheap"] > counts["dull"], counts
    print(f"{dict(counts)}; 1 and 4 lanes: {history[:12]}")


if __name__ == "__main__":
    main()
