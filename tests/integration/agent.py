#!/usr/bin/env python3
"""The operator llm_agent against the mock server over http, with tool calls of each API, real compilers and the real judge: a
conversation that compiles, checks, times and submits, one with faults, and one after kill -9; each run replays to its hash."""
import os
import re
import sys

sys.path.insert(0, sys.path[0] + "/../support")
from llm_server import mock_llm  # noqa: E402
from program import SOURCE, count_rows, fresh_folder, json_of, kill_when, must, rows, start, verify, write  # noqa: E402

FOLDER = fresh_folder("agent")
KEY = os.environ["MOCK_LLM_KEY"] = "none-needed"
CONFIG = """schema: kernelevolve/1
task: softmax
budget: {proposals: 5, evaluations: 12}
device: {kind: cpu, verify_time: 100ms}
islands: {count: 1, lag: 0}
archive: {kind: grid, axes: [{measure: vector_width, bins: [scalar, 128, 256, 512]}]}
operators: {llm_agent: {evaluations: 2}}
llm: {kind: http, model: mock, key_variable: MOCK_LLM_KEY, price: free}
verify: {cells: 0}
"""


def source(name):
    return (SOURCE / "configs/replies/softmax" / name).read_text().split("```cpp\n")[1].split("```")[0]


def call_of(tool, arguments="{}", code=""):
    return f'```tool\n{{"tool": "{tool}", "arguments": {arguments}}}\n```\n' + (f"```cpp\n{code}```\n" if code else "")


def write_replies():
    """Writes one conversation after the other: the mock serves its files in the order of their
    names."""
    good = source("llm_draft/01.md")
    wrong = good.replace("y[j] /= sum", "y[j] /= sum + 1")
    broken = good.replace("const float top", "const flaot top")
    replies = [
        # Compiles, checks, times, submits.
        "Does it compile?\n" + call_of("compile", code=good) + call_of("look_up", '{"query": "softmax vectors"}'),
        call_of("check", '{"kernel": "k1"}'),
        call_of("time", '{"kernel": "k1"}') + call_of("profile", '{"kernel": "k1"}'),
        call_of("submit", '{"kernel": "k1"}'),
        # Faults: an unknown tool, malformed arguments, a kernel that does not compile, a wrong one; then prose; an answer.
        call_of("dance") + call_of("look_up", r'"{\"query\": "') + call_of("compile", code=broken) + call_of("check", code=wrong)
        + call_of("time", '{"kernel": "k2"}'),
        "I do not know any further.",
        f"```cpp\n{good.replace('of vectors.', 'of vectors, again.')}```\n",
    ]
    write({f"replies/llm_agent/{number:02}.md": reply for number, reply in enumerate(replies)})


def settings(dialect, stream, addresses):
    return [f"llm.dialect={dialect}", f"llm.base_url={addresses[dialect]}", f"llm.stream={stream}"]


def replays(run):
    return verify(run, "--replay")["history_hash"]


def converses(dialect, stream):
    run = FOLDER / f"{dialect}-{stream}"
    with mock_llm("replies", KEY) as addresses:
        must("run", "agent.yaml", "-q", "-o", run, *settings(dialect, stream, addresses))
    found = rows(run, "SELECT c.step || '.0.0', c.outcome, e.verdict, e.measured FROM candidate c JOIN evaluation e "
                      "ON e.candidate_id = c.id WHERE c.operator = 'llm_agent' ORDER BY c.step")
    assert len(found) >= 2, found
    assert found[0][1:] == ("kernel", "ok", 1), found
    first, second = (must("show", "prompt", run, row[0]) for row in found[:2])
    for part in ("k1 builds.", "k1 passes the check.", "k1 is right.", "\nk1: ", "\nparent: ", "## Times", "\n  k1: ", "\n  parent: ",
                 "k1: the sanitizers found nothing.", "[Left: 11 replies, 22 tool calls, 2 timed kernels.]",
                 "[Left: 9 replies, 19 tool calls, 1 timed kernels.]", "Does it compile?", '"tool":"submit"'):
        assert part in first, (part, first[-4000:])
    for part in ("There is no tool 'dance'", "the arguments are no JSON object", "k1 does not build.", "does not name a type",
                 "k2 fails the check.", "k2 is refused.", "wrong_result", "Your reply holds no tool call", "of vectors, again."):
        if dialect == "gemini":  # this API returns objects, so nothing is malformed
            part = part.replace("the arguments are no JSON object", "look_up needs the argument 'query'")
        assert part in second, (part, second[-4000:])
    replied = [text for (text,) in rows(run, "SELECT n.text FROM exchange x JOIN note n ON n.id = x.reply_id ORDER BY x.id")]
    assert re.search(r'"id":"(call_0_0|ke_call_1)","tool":"compile"', replied[0]), "the call came through the API's own field"
    signed = '"signature":"signed-call_0_0"' in replied[0]
    assert signed == (dialect == "gemini"), replied[0]
    timed, builds = rows(run, "SELECT count(DISTINCT a.id), count(DISTINCT a.build_id) FROM attempt a JOIN workload_timing t "
                              "ON t.attempt_id = a.id WHERE a.purpose = 'screen' AND a.verdict = 'ok' AND t.role = 'bench'")[0]
    assert timed == builds, "no binary was timed twice"
    spent, measured = rows(run, "SELECT (SELECT evaluations FROM stop), (SELECT sum(measured) FROM evaluation)")[0]
    # The second conversation timed the wrong kernel; on a busy machine there may also be one whose
    # own screen stayed undecided.
    assert spent >= measured + 1, (spent, measured)
    status = json_of("status", run)["runs"][0]
    assert status["evaluations"] == spent, status
    return f"{dialect}, stream {stream}: {len(replied)} exchanges; replays to {replays(run)[:16]}"


def survives_a_kill():
    run, keys = FOLDER / "killed", "SELECT key FROM exchange UNION SELECT key FROM attempt"
    with mock_llm("replies", KEY) as addresses:
        process = start("run", "agent.yaml", "-q", "-o", run, *settings("openai_chat", "true", addresses))
        kill_when(process, lambda: count_rows(run, "exchange") >= 2, 120)
        before = set(rows(run, keys))
        must("resume", run, "-q")
    after = set(rows(run, keys))
    assert before < after
    assert rows(run, "SELECT count(*) FROM exchange")[0][0] == rows(run, "SELECT count(DISTINCT key) FROM exchange")[0][0]
    return f"killed after {len(before)} facts, {len(after)} at the end; replays to {replays(run)[:16]}"


def main():
    write({"agent.yaml": CONFIG})
    write_replies()
    for dialect, stream in (("openai_chat", "true"), ("anthropic_messages", "true"), ("openai_responses", "false"), ("gemini", "true")):
        print(converses(dialect, stream), flush=True)
    print(survives_a_kill())


if __name__ == "__main__":
    main()
