#!/usr/bin/env python3
# Times nothing: may run beside others.
"""A search that starts only from a model's drafts ends with 8 whenever nothing but letters in a
mailbox is left, resumes when some are answered, and has the history of an uninterrupted run. Its
conversations are exported completely."""
import json
import re
import subprocess
import sys
import time
import urllib.request

sys.path.insert(0, sys.path[0] + "/../support")
from needs import missing_page  # noqa: E402
from program import WAITING, call, fresh_folder, must, refused, start, verify, write  # noqa: E402

FOLDER = fresh_folder("waiting")
CONFIG = """name: w
kernels: none
budget: {proposals: 30}
device: {kind: function, function: rastrigin, dimensions: 2, levels: 9}
islands: {count: 2, lag: 2, topology: none}
archive: {axes: [{measure: m0, low: -1, high: 1, bins: 4}, {measure: m1, low: -1, high: 1, bins: 4}]}
operators: {llm_draft: {weight: 2, retries: 1}, knob_step: 3}
llm: {kind: mailbox, folder: letters, settle: 200ms}
verify: {cells: 0}
"""
KERNEL = """Two knobs.
```cpp
// @task rastrigin
// @knob x000 int {{0, 1, 2, 3, 4, 5, 6, 7, 8}} = {}
// @knob x001 int {{0, 1, 2, 3, 4, 5, 6, 7, 8}} = {}
extern "C" void kernel(const float* in, float* out, unsigned long n) {{
  for (unsigned long i = 0; i < n; ++i) out[i] = in[i];
}}
```
"""


def letters(folder):
    """Open requests, by path."""
    return sorted(path for path in (FOLDER / folder / "letters").glob("*.request.json")
                  if not path.with_name(path.name.replace(".request.json", ".reply.txt")).exists())


def answer(path):
    request = json.loads(path.read_text())
    number = int(request["key"][:8], 16)
    first_try = len(request["messages"]) == 2
    text = "I do not know." if first_try and number % 3 == 0 else KERNEL.format(number % 9, number // 9 % 9)
    draft = path.with_name("." + path.name)
    draft.write_text(text)
    draft.rename(path.with_name(path.name.replace(".request.json", ".reply.txt")))


def never_stopped():
    process = start("run", "w.yaml", "-q", "-o", "whole")
    while process.poll() is None:
        time.sleep(0.02)
        for path in letters("whole"):
            try:
                answer(path)
            except FileNotFoundError:  # answered and filed away
                pass
    assert process.wait() == 0


def stopped_often():
    """Number of times that it waited."""
    rounds = 0
    code, out, err = call("run", "w.yaml", "-q", "--json", "--until-waiting", "-o", "often")
    while code == WAITING:
        rounds += 1
        waiting = letters("often")
        told = json.loads(out)["runs"][0]
        assert told["state"] == "interrupted" and told["waits"]["letters"] == len(waiting) > 0, (told, waiting)
        assert (FOLDER / told["waits"]["folder"]).resolve() == FOLDER / "often/letters", told["waits"]
        wait = "letter waits" if len(waiting) == 1 else "letters wait"
        assert f"{len(waiting)} {wait} for answers in often/letters" in err, err
        for path in waiting[:1] if rounds % 2 else waiting:  # a single answer also resumes the run
            answer(path)
        code, out, err = call("resume", "often", "-q", "--json", "--until-waiting")
    assert code == 0, (code, out, err)
    assert "waits" not in json.loads(out)["runs"][0]
    return rounds


def an_answer_that_lies_there_is_read_first():
    must("run", "w.yaml", "-q", "--until-waiting", "-o", "torn", codes=(WAITING,))
    assert "waiting for answers of a model" in must("show", "torn")
    before = letters("torn")
    torn = before[0].with_name(before[0].name.replace(".request.json", ".reply.json"))
    torn.write_text('{"reply": "half')
    must("resume", "torn", "-q", "--until-waiting", codes=(WAITING,))
    assert torn.with_name(torn.name + ".bad").exists() and before[0] not in letters("torn"), "it was left unread"


def watch_tells_what_waits():
    if lacking := missing_page("torn"):
        print(f"left out: {lacking}")
        return
    watch = start("watch", "torn", stdout=subprocess.PIPE, text=True)
    try:
        address = watch.stdout.readline().strip()
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # no proxy for this machine
        data = json.load(opener.open(address.replace("/?", "/data?"), timeout=30))
    finally:
        watch.kill()
        watch.wait()
    told, = data["live"]["letters"]
    assert told["letters"] == len(letters("torn")) > 0 and told["folder"].endswith("torn/letters"), told


def conversations():
    lines = [json.loads(line) for line in must("export", "often", "--format", "conversations", "--as", "jsonl").splitlines()]
    ended = [line for line in lines if line["outcome"] != "goes_on"]
    assert 0 < len(ended) < len(lines), "some answers were asked for twice"
    for line in lines:
        assert line["operator"] == "llm_draft" and line["messages"][0]["role"] == "system" and line["answer"] and line["status"] == "ok"
    assert any(line["verdict"] == "ok" and line["interval"][0] <= line["objective"] <= line["interval"][1] for line in ended)
    retried = next(line for line in lines if line["number"] == 1)
    assert len(retried["messages"]) == 4 and retried["messages"][2]["text"] == "I do not know."
    markdown = must("export", "often", "--format", "conversations")
    titles = re.findall(r"^## \d+\.\d+\.\d+ llm_draft, no parent$", markdown, re.MULTILINE)
    assert len(titles) == len(ended) and markdown.count("\n### answer: ok") == len(lines), markdown
    place = f"{retried['step']}.{retried['island']}.{retried['slot']}"
    out = must("show", "prompt", "often", place)
    assert out.count("=== reply (ok") == 2 and f"=== candidate {place} by llm_draft" in out, out
    return len(lines)


def main():
    write({"w.yaml": CONFIG})
    refused(("check", "w.yaml", "operators.llm_draft=0"), "kernels",
            "island 0 has no operator that asks a language model for a first kernel")
    never_stopped()
    rounds = stopped_often()
    assert rounds > 3, rounds
    assert verify("often")["history_hash"] == verify("whole")["history_hash"], "waiting changed the history"
    an_answer_that_lies_there_is_read_first()
    watch_tells_what_waits()
    print(f"stopped {rounds} times: the same history; {conversations()} exchanges exported")


if __name__ == "__main__":
    main()
