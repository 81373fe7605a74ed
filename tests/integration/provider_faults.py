#!/usr/bin/env python3
# Times nothing: may run beside others.
"""A permanent fault of a provider ends a run with 5, its message and its address; nothing is
charged for it, and `resume` continues after the fix. Budgets are used up with any batch size; a
space without points left ends the run."""
import json
import os
import sys

sys.path.insert(0, sys.path[0] + "/../support")
from llm_server import LlmServer, mock_llm  # noqa: E402
from program import PROVIDER, call, carry_out, fresh_folder, free_port, json_of, must, rows, verify, write  # noqa: E402

os.environ["MK"] = "sk-canary-9fX2"
ANSWER = """```cpp
// @knob x000 int {0, 1, 2, 3, 4, 5, 6, 7, 8} = 3
extern "C" void kernel(const float* in, float* out, unsigned long n) { out[0] = in[n - 1]; }
```
"""
CONFIG = """name: f
kernels: none
budget: {proposals: 6}
device: {kind: function, function: sphere, dimensions: 2, levels: 9}
archive: {axes: [{measure: m0, low: -1, high: 1, bins: 3}, {measure: m1, low: -1, high: 1, bins: 3}]}
operators: {llm_draft: 1, knob_step: 1}
llm: {kind: http, model: m, price: free, pause: 10ms, base_url: "http://127.0.0.1:1/v1", key_variable: MK}
verify: {cells: 0}
"""
PLAIN = """name: p
device: {kind: function, function: sphere, dimensions: 2, levels: 33}
archive: {axes: [{measure: m0, low: -1, high: 1, bins: 3}, {measure: m1, low: -1, high: 1, bins: 3}]}
"""


def run(folder, url, *overrides, **how):
    return call("run", "f.yaml", "-q", "--json", "-o", folder, f"llm.base_url={url}", *overrides, timeout=60, **how)


def run_with(reply, folder, *overrides):
    """A run that a server answers with reply(request): exit code and what it says on standard error."""
    with LlmServer(reply) as server:
        code, _, err = run(folder, f"{server.address}/v1", *overrides)
    return code, err


def said(text):
    return 200, {"model": "m", "choices": [{"message": {"content": text}, "finish_reason": "stop"}],
                 "usage": {"prompt_tokens": 7, "completion_tokens": 5}}


def a_key_that_is_part_of_its_mark():
    for key in ("k", "e", "[key]", "key]"):
        with mock_llm("replies", key) as addresses:
            code, out, err = run(f"key{len(key)}{key[0] == 'k'}", addresses["openai_chat"], MK=key)
        assert code == 0, (key, code, err)
        assert json.loads(out)["runs"][0]["evaluations"] > 0, (key, out)


def a_dead_endpoint():
    port = free_port()
    code, _, err = run("dead", f"http://127.0.0.1:{port}/v1")
    assert code == PROVIDER and f"cannot be reached: http://127.0.0.1:{port}/v1" in err and "6 tries" in err, (code, err)
    assert rows("dead", "SELECT count(*) FROM step") == [(0,)]
    with LlmServer(lambda _: said(ANSWER), port):
        must("resume", "dead", "-q")
    assert rows("dead", "SELECT count(*) FROM exchange WHERE status <> 'ok'") == [(0,)]


def a_wrong_key():
    with mock_llm("replies", "another") as addresses:
        url = addresses["openai_chat"]
        code, _, err = run("key_wrong", url)
    assert code == PROVIDER and "status 401" in err and url in err and "environment variable MK" in err, err
    assert "canary" not in err and rows("key_wrong", "SELECT count(*) FROM step") == [(0,)]


def the_other_name_of_a_parameter():
    seen = []

    def reply(request):
        seen.append("max_completion_tokens" in request)
        if seen[-1]:
            return 400, {"error": {"param": "max_completion_tokens", "code": "unsupported_parameter"}}
        return said(ANSWER)

    code, err = run_with(reply, "renamed")
    assert code == 0, err
    assert not seen[-1] and seen.count(True) < len(seen)
    tokens = rows("renamed", "SELECT DISTINCT status, input_tokens, output_tokens FROM exchange")
    assert tokens == [("ok", 7, 5)], tokens


def a_parameter_without_another_name():
    def reply(request):
        name = "max_completion_tokens" if "max_completion_tokens" in request else "max_tokens"
        return 400, {"error": {"param": name, "code": "unsupported_parameter", "message": f"No {name} for sk-canary-9fX2 here"}}

    code, err = run_with(reply, "unnamed")
    assert code == PROVIDER and "status 400, unsupported_parameter" in err and "No max_tokens for [key] here" in err, err
    assert rows("unnamed", "SELECT count(*) FROM step") == [(0,)]


def words_of_a_lasting_error():
    error = {"code": "model_not_found", "message": "The model `m` does not exist"}
    code, err = run_with(lambda _: (404, {"error": error}), "lasting")
    assert code == PROVIDER and "status 404, model_not_found" in err and "The model `m` does not exist" in err, err


def an_error_in_a_reply_with_status_200():
    code, err = run_with(lambda _: (200, {"error": {"code": 401}}), "hidden")
    assert code == PROVIDER and "status 401" in err and "environment variable MK" in err, err


def what_failed_costs_nothing():
    turns = iter(range(100))

    def reply(_):
        if next(turns) % 2 == 0:
            return 200, {"error": {"code": 503, "message": "busy"}}
        return said(ANSWER)

    code, err = run_with(reply, "busy", "llm.concurrency=1")
    assert code == 0, err
    tokens = rows("busy", "SELECT DISTINCT status, input_tokens, output_tokens FROM exchange")
    assert tokens == [("ok", 7, 5)], tokens


def budgets_are_used_up():
    for number, (evaluations, batch) in enumerate([(5, 20), (25, 20), (19, 6)]):
        told = json_of("run", "p.yaml", "-q", "-o", f"budget{number}", f"budget.evaluations={evaluations}", f"batch={batch}")["runs"][0]
        assert told["evaluations"] == evaluations and told["stop"] == "budget", (evaluations, batch, told)
    told = json_of("run", "p.yaml", "-q", "-o", "proposals", "budget={evaluations: 0, proposals: 25}", "batch=20")["runs"][0]
    assert told["proposals"] == 25, told


def a_space_is_exhausted():
    code, out, err = call("run", "p.yaml", "-q", "--json", "-o", "small", "budget.evaluations=100", "device.levels=2")
    told = json.loads(out)["runs"][0]
    assert code == 0 and told["stop"] == "exhausted" and told["evaluations"] == 4 and told["proposals"] < 100, told
    assert "all 4 points of the space were judged" in err, err
    verify("small", "--replay")


if __name__ == "__main__":
    fresh_folder("provider_faults")
    write({"f.yaml": CONFIG, "p.yaml": PLAIN, "replies/one": ANSWER})
    carry_out(a_key_that_is_part_of_its_mark, a_dead_endpoint, a_wrong_key, the_other_name_of_a_parameter,
              a_parameter_without_another_name, words_of_a_lasting_error, an_error_in_a_reply_with_status_200,
              what_failed_costs_nothing, budgets_are_used_up, a_space_is_exhausted)
