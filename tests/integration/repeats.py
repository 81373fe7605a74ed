#!/usr/bin/env python3
# Times nothing: may run beside others.
"""Prompts answered several times: each prompt's answers come from one state of the search and are
different children of the bank, also over a stop and a resume; the variance components of `compare
--repeats` match the run's rows."""
import math
import statistics
import sys

sys.path.insert(0, sys.path[0] + "/../support")
from program import PROVIDER, SOURCE, fresh_folder, json_of, must, refused, rows, run_file, write  # noqa: E402

MODEL = SOURCE / "tests/support/set_knobs.py"
FOLDER = fresh_folder("repeats")
REPEATS = 3
BASE = """budget: {proposals: 20}
device: {kind: function, dimensions: 3}
islands: {count: 1, lag: 0}
archive: {kind: grid, axes: [{measure: m0, low: -1, high: 1, bins: 4}, {measure: m1, low: -1, high: 1, bins: 4}]}
operators: {llm_mutation: {weight: 3, retries: 0}, knob_step: 1}
llm: {kind: bank, file: bank.jsonl, children: 4, repeats: 3, otherwise: {kind: command, program: [sh, model.sh], reply: json}}
verify: {cells: 0}
"""
SWEEP = """schema: kernelevolve-sweep/1
base: base.yaml
currency: proposals
seeds: 1..2
arms: {map_elites: {}, greedy: {strategy: greedy}}
analysis: {endpoint: best_seen, reference: map_elites, unit: seed}
"""
NO_CREDIT = """echo '{"status": "provider_refused", "reply": "no credit"}'\n"""
CHILDREN = """
SELECT c.step, n.text, r.text, coalesce(e.verdict = 'ok', 0), e.objective, max(pe.objective)
FROM candidate c
JOIN evidence v ON v.candidate_id = c.id AND v.position = 0
JOIN exchange x ON x.key = v.key JOIN note r ON r.id = x.reply_id
JOIN message m ON m.exchange_id = x.id AND m.position = 1 JOIN note n ON n.id = m.text_id
JOIN parent p ON p.candidate_id = c.id AND p.role = 'parent' JOIN evaluation pe ON pe.candidate_id = p.parent_id
LEFT JOIN evaluation e ON e.candidate_id = c.id
WHERE pe.verdict = 'ok' GROUP BY c.id ORDER BY c.id"""


def answers(file):
    """{(step, prompt): [(reply, gain)]}"""
    groups = {}
    for step, prompt, reply, ok, objective, parent in rows(file, CHILDREN):
        gain = math.log(objective / parent) if ok and objective > parent else 0.0
        groups.setdefault((step, prompt), []).append((reply, gain))
    return groups


def no_child_twice(file):
    had = {}
    for (_, prompt), replies in answers(file).items():
        assert len(replies) == REPEATS, (prompt, replies)
        had.setdefault(prompt, []).extend(reply for reply, _ in replies)
    assert all(len(set(replies)) == len(replies) for replies in had.values()), had
    return sum(map(len, had.values()))


def components(groups):
    """Textbook analysis of variance for groups of equal size."""
    within = statistics.mean(statistics.variance(group) for group in groups)
    between = max(0.0, statistics.variance([statistics.mean(group) for group in groups]) - within / REPEATS)
    return between, within, between / (between + within)


def variances_are_those_of_the_rows():
    must("sweep", "s.yaml", "-o", "sweep", "-q", "-j", "1")
    must("verify", "--replay", "sweep")
    report = json_of("compare", "sweep", "--repeats")["repeats"]
    assert [arm["arm"] for arm in report] == ["map_elites", "greedy"], report
    for arm in report:
        groups = [[gain for _, gain in replies] for file in sorted((FOLDER / "sweep").glob(arm["arm"] + ".*.kev"))
                  for replies in answers(file).values()]
        assert (arm["prompts"], arm["answers"]) == (len(groups), REPEATS * len(groups)), arm
        for name, expected in zip(("between", "within", "share"), components(groups)):
            found = arm[name]
            assert abs(found["value"] - expected) < 1e-12, (name, found, expected)
            assert found["ci"][0] <= found["value"] <= found["ci"][1], found
    for file in (FOLDER / "sweep").glob("*.kev"):
        no_child_twice(file)
    assert "variance between prompts" in must("compare", "sweep", "--repeats")
    return report


def a_resumed_run_draws_on():
    (FOLDER / "bank.jsonl").unlink()
    log = FOLDER / "calls"
    log.write_text("")
    limited = f"""n=$(wc -l <calls); [ $n -lt 7 ] && echo >>calls && exec {MODEL} --moody\n{NO_CREDIT}"""
    (FOLDER / "model.sh").write_text(limited)
    run = ("base.yaml", "-q", "-o", "resumed", "llm.children=8")
    must("run", *run, codes=(PROVIDER,))
    (FOLDER / "model.sh").write_text(f"exec {MODEL} --moody\n")
    must("resume", "resumed", "-q")
    must("verify", "--replay", "resumed")
    return no_child_twice(run_file("resumed"))


def main():
    write({"base.yaml": BASE, "s.yaml": SWEEP, "model.sh": f"exec {MODEL} --moody\n"})
    report = variances_are_those_of_the_rows()
    count = a_resumed_run_draws_on()
    must("run", "base.yaml", "-q", "-o", "once", "llm.repeats=1", "budget.proposals=4")
    refused(("compare", "once", "--repeats"), "'llm.repeats' asks for that")
    refused(("check", "base.yaml", "llm.repeats=0"))
    for arm in report:
        print(f"{arm['arm']}: {arm['answers']} answers to {arm['prompts']} prompts, share of the prompts "
              f"{arm['share']['value']:.2f} {arm['share']['ci']}")
    print(f"resumed: {count} answers, none twice")


if __name__ == "__main__":
    main()
