#!/usr/bin/env python3
# Times nothing: may run beside others.
"""Experience memory: recomputes a run's lessons from its rows. A later run is told them, only from
other families and the pinned snapshot; it replays and resumes without the snapshot, on 1 and 4
lanes."""
import hashlib
import json
import sys

sys.path.insert(0, sys.path[0] + "/../support")
from program import PROVIDER, SOURCE, call, fresh_folder, must, refused, rows, run_file, verify, write  # noqa: E402

MODEL = SOURCE / "tests/support/set_knobs.py"
FOLDER = fresh_folder("lessons")
SCRIPT = FOLDER / "model.sh"
NO_CREDIT = """echo '{"status": "provider_refused", "reply": "no credit"}'"""
SWEEP = """schema: kernelevolve-sweep/1
base: later.yaml
currency: proposals
seeds: 1
arms: {{none: {{}}, told: {{memory: {{snapshot: lessons.jsonl, sha256: {sha256}}}}}}}
analysis: {{endpoint: best_seen, reference: none, unit: seed}}
"""
CONFIG = """schema: kernelevolve/1
budget: {{proposals: 40}}
device: {{kind: function, function: {function}, dimensions: 5}}
islands: {{count: 2, lag: 2}}
archive: {{kind: grid, axes: [{{measure: m0, low: -1, high: 1, bins: 4}}, {{measure: m1, low: -1, high: 1, bins: 4}}]}}
operators: {{llm_mutation: {{weight: 3, knowledge: {{probability: 0}}}}, knob_step: 1}}
llm: {{kind: command, program: [sh, {model}], reply: json}}
verify: {{cells: 0}}
"""
# Improving edits by the definition of experiments/study/summary/distil.hpp, for objectives without error.
IMPROVING = """
SELECT c.step || '.' || c.island || '.' || c.slot, c.operator, e.objective / max(pe.objective)
FROM candidate c JOIN evaluation e ON e.candidate_id = c.id
JOIN parent p ON p.candidate_id = c.id AND p.role = 'parent'
JOIN candidate pc ON pc.id = p.parent_id JOIN evaluation pe ON pe.candidate_id = pc.id
WHERE c.outcome = 'kernel' AND e.verdict = 'ok' AND pc.outcome != 'no_child' AND pe.verdict = 'ok'
GROUP BY c.id HAVING e.objective > max(pe.objective) ORDER BY c.id"""


def memory(snapshot, more=""):
    digest = hashlib.sha256(snapshot.read_bytes()).hexdigest()
    return f"memory={{snapshot: {snapshot.name}, sha256: {digest}{more}}}"


def run(name, *overrides, out):
    must("run", f"{name}.yaml", "-q", "-o", out, *overrides)
    return run_file(out)


def history(run):
    return verify(run, "--replay")["history_hash"]


def prompts(file):
    return [text for (text,) in rows(file, "SELECT n.text FROM message m JOIN note n ON n.id = m.text_id WHERE m.position = 1")]


def lessons_are_the_improving_edits(file, snapshot):
    lessons = [json.loads(line) for line in snapshot.read_text().splitlines()]
    improving = rows(file, IMPROVING)
    assert len(improving) >= 5, improving
    assert [lesson["id"].split("/")[1] for lesson in lessons] == [row[0] for row in improving]
    for lesson, (_, operator, gain) in zip(lessons, improving):
        assert lesson["task"] == "sphere" and lesson["operator"] == operator, lesson
        assert abs(lesson["gain"] / gain - 1) < 1e-12, (lesson, gain)
        assert all(abs(bound / gain - 1) < 1e-12 for bound in lesson["interval"]), lesson
        assert lesson["pattern"], lesson
    return len(lessons)


def told(file):
    shown = [prompt for prompt in prompts(file) if "### " in prompt]
    assert all(" of sphere: " in prompt for prompt in shown), shown[:1]
    return len(shown)


def wrong_snapshots_are_refused(snapshot):
    for text in ("memory={snapshot: lessons.jsonl, sha256: " + "f" * 64 + "}",
                 "memory={snapshot: none.jsonl, sha256: " + "f" * 64 + "}",
                 "memory={snapshot: lessons.jsonl, sha256: short}"):
        err = refused(("check", "later.yaml", text), "memory.")
        assert len(err.strip().splitlines()) == 1, err
    broken = FOLDER / "broken.jsonl"
    broken.write_text(snapshot.read_text() + '{"id": "x"}\n')
    refused(("check", "later.yaml", memory(broken)), "broken.jsonl:")


def arms_of_a_sweep_have_memories_of_their_own(snapshot, count):
    write({"s.yaml": SWEEP.format(sha256=hashlib.sha256(snapshot.read_bytes()).hexdigest())})
    must("sweep", "s.yaml", "budget.proposals=4", "-q", "-o", "sweep")
    for arm, expected in (("none", 0), ("told", count)):
        file = next((FOLDER / "sweep").glob(f"{arm}.*.kev"))
        assert rows(file, "SELECT count(*) FROM lesson") == [(expected,)], arm


def main():
    SCRIPT.write_text(f"exec {MODEL}")
    write({f"{name}.yaml": CONFIG.format(function=function, model=SCRIPT)
           for name, function in (("first", "sphere"), ("later", "rastrigin"))})
    first = run("first", out="first")
    snapshot = FOLDER / "lessons.jsonl"
    code, _, printed = call("export", "first", "--format", "lessons", "-o", snapshot)
    assert code == 0 and hashlib.sha256(snapshot.read_bytes()).hexdigest() in printed, printed
    count = lessons_are_the_improving_edits(first, snapshot)
    wrong_snapshots_are_refused(snapshot)
    arms_of_a_sweep_have_memories_of_their_own(snapshot, count)

    half = memory(snapshot, ", probability: 0.5")
    one = run("later", half, "device.lanes=1", "llm.concurrency=1", out="one")
    four = run("later", half, "device.lanes=4", "llm.concurrency=4", "device.delay_us=2000", out="four")
    same = run("first", memory(snapshot), out="same")
    asked = run("first", memory(snapshot, ", same_family: true"), out="asked")
    SCRIPT.write_text(NO_CREDIT)
    must("run", "later.yaml", "-q", "-o", "resumed", half, codes=(PROVIDER,))
    SCRIPT.write_text(f"exec {MODEL}")
    snapshot.unlink()  # the run files hold the lessons themselves
    must("resume", "resumed", "-q")
    assert history("resumed") == history(one)
    assert history(one) == history(four)
    assert told(same) == 0 and told(asked) == len(prompts(asked)) > 0
    assert history(asked) != history(same)
    shares = told(one), len(prompts(one))
    assert 0.2 < shares[0] / shares[1] < 0.8, shares
    print(f"{count} lessons; {shares[0]} of {shares[1]} prompts told at p = 0.5; 1 and 4 lanes: {history(one)[:12]}")


if __name__ == "__main__":
    main()
