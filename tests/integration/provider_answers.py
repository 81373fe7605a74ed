#!/usr/bin/env python3
# Times nothing: may run beside others.
"""Answers of language models as servers really send them: cut, empty, in parts, with odd counts, with a prompt that the
server cut, over connections that stay open; what they cost by the server's own count; budgets in dollars; sampling
settings. The oracle of tokens and dollars is the server."""
import json
import sys
import threading
import time

sys.path.insert(0, sys.path[0] + "/../support")
from llm_server import LlmServer  # noqa: E402
from program import (NOTHING_JUDGED, call, carry_out, fresh_folder, json_of, must, refused, rows, show, start,  # noqa: E402
                     verify, wait_until, write)

FOLDER = fresh_folder("provider_answers")
CODE = """```cpp
// @knob x000 int {0, 1, 2, 3, 4, 5, 6, 7, 8} = 3
extern "C" void kernel(const float* in, float* out, unsigned long n) { out[0] = in[n - 1]; }
```
"""
PRICES = {"input": 1, "cached": 0.1, "output": 10}  # dollars for a million tokens
CONFIG = """name: a
kernels: none
budget: {proposals: 3}
device: {kind: function, function: sphere, dimensions: 2, levels: 9}
islands: {count: 1, lag: 0}
archive: {axes: [{measure: m0, low: -1, high: 1, bins: 3}, {measure: m1, low: -1, high: 1, bins: 3}]}
strategy: greedy
operators: {llm_draft: {weight: 1, retries: 0}}
llm: {kind: http, base_url: "http://127.0.0.1:1/v1", model: m, price: given, price_input: 1, price_cached: 0.1,
      price_output: 10, stream: false, pause: 1ms}
verify: {cells: 0}
"""


class Server(LlmServer):
    """Gives the n-th request the n-th of `answers`, the last one again and again: a document, or {"sse": [events],
    "hold": seconds} as a stream. Keeps the requests."""

    def __init__(self, *answers):
        self.requests, self.lock, self.answers = [], threading.Lock(), answers
        super().__init__(self.next_answer)
        self.url = f"{self.address}/v1"

    def next_answer(self, request):
        with self.lock:
            self.requests.append(request)
            answer = self.answers[min(len(self.requests), len(self.answers)) - 1]
        return 200, self.events(answer) if "sse" in answer else answer

    def events(self, answer):
        for event in answer["sse"]:
            yield f"data: {event if isinstance(event, str) else json.dumps(event)}\n\n"
        time.sleep(answer.get("hold", 0))


def answer(content, finish="stop", usage=None, **message):
    document = {"model": "m", "choices": [{"message": {"role": "assistant", "content": content, **message}, "finish_reason": finish}]}
    return document if usage is None else {**document, "usage": usage}


def counts(read, written, **more):
    return {"prompt_tokens": read, "completion_tokens": written, **more}


def piece(content=None, finish=None, usage=None):
    delta = {} if content is None else {"content": content}
    return {"model": "m", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}], **({} if usage is None else {"usage": usage})}


def run(folder, server, *words, code=0):
    """(text of the run, its JSON by `show`)"""
    got, out, err = call("run", "a.yaml", "-q", "-o", folder, f"llm.base_url={server.url}", *words, timeout=120)
    assert got == code, (folder, got, out, err)
    verify(folder, "--replay")
    return out + err, show(folder)


def tokens(folder):
    return rows(folder, "SELECT DISTINCT input_tokens, cached_tokens, output_tokens FROM exchange")


def near(value, expected, share):
    assert abs(value - expected) <= share * expected, (value, expected)


def a_prompt_that_the_server_cut():
    prompt = 8000
    for name, read, warns in (("cut1", 193, True), ("cut2", 700, True), ("whole", prompt // 4, False)):
        with Server(answer(CODE, usage=counts(read, 300))) as server:
            text, told = run(name, server)
        size = sum(len(message["content"]) for message in server.requests[0]["messages"])
        about = size / 3
        assert size > 2000, size
        if warns and read < about / 2:
            line = next(line for line in text.splitlines() if line.startswith("warning: the server read"))
            assert f"read {read} tokens" in line and text.count("warning: the server read") == 1, text
            said = int(line.split("about ")[1].split(":")[0].replace(",", ""))
            near(said, about, 0.06)
            assert any("the server read" in warning for warning in told["warnings"]), told
            ((sent,),) = rows(name, "SELECT sent_tokens FROM exchange_detail ORDER BY exchange_id LIMIT 1")
            near(sent, about, 0.01)
        else:
            assert "the server read" not in text, text


def answers_that_are_all_lost():
    cases = {"truncated": (answer("x", "length", counts(3796, 300)), "model_truncated", "raise max_output_tokens"),
             "empty": (answer("", usage=counts(3796, 0)), "model_empty", ""),
             "refused": (answer("no", "content_filter", counts(3796, 10)), "model_refused", ""),
             "prose": (answer("I cannot.", usage=counts(3796, 10)), None, "")}
    for name, (given, reason, advice) in cases.items():
        with Server(given) as server:
            text, told = run(f"lost_{name}", server, code=NOTHING_JUDGED)
        reason = reason or next(iter(told["bill"]["unusable"]))
        assert told["bill"]["unusable"] == {reason: 3} and told["bill"]["kernels"] == 0, told["bill"]
        assert f"unusable     {reason} 3" in text and advice in text, text
        assert "not new      none" in text, text
        status = must("status", f"lost_{name}").splitlines()
        assert status[0].split()[-3:] == ["unusable", "answers", "dollars"] and status[2].split()[-3:-1] == ["3", "3"], status


def reasoning_and_no_answer():
    for number, field in enumerate(({"reasoning": CODE}, {"reasoning_content": CODE}, {"reasoning": CODE, "reasoning_content": CODE})):
        with Server(answer("", usage=counts(900, 300), **field)) as server:
            text, _ = run(f"reasoning{number}", server, code=NOTHING_JUDGED)
        assert "model_empty 3" in text and "3 held reasoning only, no answer" in text, text
        assert rows(f"reasoning{number}", "SELECT DISTINCT reasoning FROM exchange_detail") == [(CODE,)]
        ((message,),) = rows(f"reasoning{number}", "SELECT DISTINCT message FROM evaluation")
        assert message == "reasoning only, no answer", message
        assert tokens(f"reasoning{number}") == [(900, 0, 300)]


def counts_under_other_names():
    cases = [({"prompt_tokens": 8000.0, "completion_tokens": 300.0}, (8000, 0, 300)),
             ({"prompt_tokens": "8000", "completion_tokens": "300"}, (8000, 0, 300)),
             (counts(2006, 300, prompt_cache_hit_tokens=1920, prompt_cache_miss_tokens=86), (2006, 1920, 300)),
             (counts(2006, 300, prompt_tokens_details={"cached_tokens": 1920}), (2006, 1920, 300)),
             (counts(2006, 300, cached_tokens=1920), (2006, 1920, 300))]
    for number, (usage, expected) in enumerate(cases):
        with Server(answer(CODE, usage=usage)) as server:
            _, told = run(f"names{number}", server)
        assert tokens(f"names{number}") == [expected], (usage, tokens(f"names{number}"))
        read, cached, written = expected
        each = (read - cached) * PRICES["input"] + cached * PRICES["cached"] + written * PRICES["output"]
        near(told["bill"]["dollars"], 3 * each * 1e-6, 1e-9)


def content_in_parts():
    half = len(CODE) // 2
    for number, content in enumerate(([{"type": "text", "text": CODE}], [{"type": "text", "text": CODE[:half]}, {"type": "text", "text": CODE[half:]}],
                                      [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, {"type": "text", "text": CODE}])):
        with Server(answer(content, usage=counts(900, 300))) as server:
            _, told = run(f"parts{number}", server)
        assert told["bill"]["kernels"] == 3 and not told["bill"]["unusable"], told["bill"]


def streams_that_stay_open():
    usage = counts(8000, 300)
    ends = {"done": [piece(CODE), piece(None, "stop", usage), "[DONE]"],
            "usage_last": [piece(CODE), piece(None, "stop"), {"model": "m", "choices": [], "usage": usage}, "[DONE]"],
            "no_done": [piece(CODE), piece(None, "stop", usage)]}
    for name, events in ends.items():
        with Server({"sse": events, "hold": 30}) as server:
            start = time.monotonic()
            run(f"open_{name}", server, "llm.stream=true", "llm.stall=20s", "budget.proposals=1")
            took = time.monotonic() - start
        assert took < 8, (name, took)
        assert tokens(f"open_{name}") == [(8000, 0, 300)]


def streams_that_are_cut_cost_what_the_server_bills():
    words = "word " * 8000
    with Server({"sse": [piece(words)]}) as server:
        text, told = run("severed", server, "llm.stream=true", "llm.budget.dollars=1", "budget.proposals=50", code=NOTHING_JUDGED)
    prompts = sum(len(message["content"]) for request in server.requests for message in request["messages"])
    billed = (prompts / 4 * PRICES["input"] + len(server.requests) * len(words) / 4 * PRICES["output"]) * 1e-6
    near(told["bill"]["dollars"], billed, 0.05)
    # This server writes on beyond the limit that the last try was given.
    assert 0.85 < told["bill"]["dollars"] < 1.1 and told["stop"] == "budget", told["bill"]
    assert told["bill"]["estimated"] == told["bill"]["answers"], told["bill"]
    assert set(told["bill"]["unusable"]) == {"model_cut"}, told["bill"]
    # The last chunk's usage counts where there is one.
    with Server({"sse": [piece(words), piece(None, None, counts(700, 11_000))]}) as server:
        _, told = run("severed_counted", server, "llm.stream=true", "llm.tries=1", code=NOTHING_JUDGED)
    assert (told["bill"]["output_tokens"], told["bill"]["estimated"]) == (33_000, 0), told["bill"]


def a_budget_in_dollars_is_used():
    usage = counts(2006, 300, prompt_tokens_details={"cached_tokens": 1920})
    each = (86 * PRICES["input"] + 1920 * PRICES["cached"] + 300 * PRICES["output"]) * 1e-6
    words = ["llm.budget.dollars=0.02", "budget.proposals=100", "operators.llm_draft.max_output_tokens=300"]
    with Server(answer(CODE, usage=usage)) as server:
        text, told = run("dollars", server, *words)
        spent = len(server.requests) * each
        near(told["bill"]["dollars"], spent, 1e-9)
        assert 0.02 - each < spent <= 0.02, (spent, len(server.requests))
        assert told["stop"] == "budget" and told["state"] == "done" and told["champion"], told
        assert "the money for the language model is used up" in text and "llm.budget" in text, text
        more = json_of("resume", "dollars", "-q", "llm.budget.dollars=0.03")["runs"][0]
        assert more["proposals"] > told["proposals"], more["proposals"]
        near(more["bill"]["dollars"], 0.03, each / 0.03)
    for file in (FOLDER / "dollars").glob("*.kev"):
        verify(file, "--replay")


def a_budget_holds_when_a_run_is_resumed():
    """A limit is no part of a run's identity, and must not get lost with it."""
    with Server(answer(CODE, usage=counts(1000, 1000))) as server:
        started = start("run", "a.yaml", "-q", "-o", "kept", f"llm.base_url={server.url}", "llm.budget.dollars=0.2",
                        "budget.proposals=10000")
        wait_until(lambda: len(server.requests) >= 5, "five requests")
        started.kill()
        started.wait()
        bill = json_of("resume", "kept", "-q")["runs"][0]["bill"]
    assert 0.18 < bill["dollars"] <= 0.2, bill


def a_limit_that_nobody_gave_is_named():
    with Server(answer("no code", usage=counts(900, 5))) as server:
        text, told = run("derived", server, "budget={evaluations: 2}", code=NOTHING_JUDGED)
    assert len(server.requests) == 140 and told["stop"] == "proposals", (len(server.requests), told["stop"])
    assert "140 proposals gave 0 evaluations" in text and "budget.evaluations = 2" in text, text
    notes = json_of("check", "a.yaml", "budget={evaluations: 2}")["notes"]
    assert any("at most 140 proposals" in note for note in notes), notes


def settings_reach_the_model():
    with Server(answer(CODE, usage=counts(900, 30))) as server:
        run("settings", server, "llm.temperature=0.70", "llm.top_p=0.5", "llm.seed=7", "llm.effort=low")
        run("plain", server)
    sent = [{name: request.get(name) for name in ("temperature", "top_p", "seed", "reasoning_effort")} for request in server.requests]
    assert sent == [{"temperature": 0.7, "top_p": 0.5, "seed": 7, "reasoning_effort": "low"}] * 3 + [
        {"temperature": None, "top_p": None, "seed": None, "reasoning_effort": None}] * 3, sent
    for out, name in (("settings", "s.jsonl"), ("plain", "p.jsonl")):
        must("cassette", "export", out, "-o", name)
    recorded = "llm={kind: cassette, file: " + str(FOLDER / "s.jsonl") + "%s}"
    told = json_of("run", "a.yaml", "-q", "-o", "again", recorded % ", temperature: 0.7, top_p: 0.5, seed: 7, effort: low")
    assert told["runs"][0]["champion"], told
    must("run", "a.yaml", "-q", "-o", "other", recorded % ", temperature: 0.8, top_p: 0.5, seed: 7, effort: low", codes=(6,))


def settings_of_an_ensemble():
    models = "{models: [{model: a, temperature: 1.5, price: free}, {model: b, price: free}, {model: gpt-4.1, seed: 3, price: free}]}"
    with Server(answer(CODE, usage=counts(900, 30))) as server:
        run("ensemble", server, "llm.temperature=0.5", f"llm.ensemble={models}", "budget.proposals=12")
    seen = {(request["model"], request.get("temperature"), request.get("seed")) for request in server.requests}
    assert seen == {("a", 1.5, None), ("b", 0.5, None), ("gpt-4.1", 0.5, 3)}, seen


def settings_that_a_model_does_not_take():
    for words, said in ((["llm.temperature=0.5", "llm.model=gpt-5-mini"], "gpt-5-mini does not take it"),
                        (["llm.seed=1", "llm.dialect=anthropic_messages"], "anthropic_messages has no such setting"),
                        (["llm.seed=1", "llm.dialect=openai_responses"], "openai_responses has no such setting"),
                        (["llm.temperature=hot"], "= hot is not a number in [0, 2]"),
                        (["llm.temperature=3"], "= 3 is not a number in [0, 2]"),
                        (["llm.top_p=1.5"], "= 1.5 is not a number in [0, 1]"),
                        (["llm.seed=1.5"], "= 1.5 is not a number"),
                        (["llm.effort=much"], "= much is none of none, minimal, low"),
                        (["llm.temprature=1"], "unknown key 'llm.temprature'")):
        refused(("check", "a.yaml", *words), said)


def the_bill_of_a_run():
    with Server(answer("no code", usage=counts(1000, 100, cached_tokens=400)), answer(CODE, usage=counts(1500, 200))) as server:
        text, told = run("bill", server, "operators.llm_draft.retries=1")
    bill = told["bill"]
    assert (bill["answers"], bill["input_tokens"], bill["cached_tokens"], bill["output_tokens"]) == (4, 5500, 400, 700), bill
    assert bill["unusable"] == {"asked_again": 1} and bill["kernels"] == 3 and list(bill["models"]) == ["m"], bill
    assert "bill         m: 4 answers, 5500 tokens in (400 cached), 700 out, $0.0121" in text, text
    status = must("status", "bill").splitlines()
    assert status[2].split()[-3:] == ["1", "4", "0.0121"], status
    assert json_of("status", "bill")["runs"][0]["bill"] == bill


if __name__ == "__main__":
    write({"a.yaml": CONFIG})
    carry_out(a_prompt_that_the_server_cut, answers_that_are_all_lost, reasoning_and_no_answer, counts_under_other_names,
              content_in_parts, streams_that_stay_open, streams_that_are_cut_cost_what_the_server_bills, a_budget_in_dollars_is_used,
              a_budget_holds_when_a_run_is_resumed, a_limit_that_nobody_gave_is_named, settings_reach_the_model,
              settings_of_an_ensemble, settings_that_a_model_does_not_take, the_bill_of_a_run)
