#!/usr/bin/env python3
# Times nothing: may run beside others.
"""A permanent fault of a provider ends a run with 5, its message and its address; nothing is
charged for it, and `resume` continues after the fix. Budgets are used up with any batch size; a
space without points left ends the run."""
import http.server
import json
import os
import pathlib
import shutil
import socket
import sqlite3
import subprocess
import threading

BINARY, FOLDER = os.environ["KERNELEVOLVE"], pathlib.Path("provider_faults").resolve()
MOCK = os.environ["KE_BUILD"] + "/mock-llm"
PROVIDER = 5
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


def call(*words, key="sk-canary-9fX2"):
    done = subprocess.run([BINARY, *map(str, words)], cwd=FOLDER, capture_output=True, text=True, timeout=60,
                          env={**os.environ, "MK": key})
    return done.returncode, done.stdout, done.stderr


def run(folder, url, *overrides, **how):
    return call("run", "f.yaml", "-q", "--json", "-o", folder, f"llm.base_url={url}", *overrides, **how)


def rows(folder, query):
    with sqlite3.connect(next((FOLDER / folder).glob("*.kev"))) as base:
        return base.execute(query).fetchall()


def charged(folder):
    return rows(folder, "SELECT count(*) FROM step")[0][0]


def serve(reply, port=0):
    """Starts a server that answers with `reply(request)`, a status and a document; (server,
    address)."""
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            request = json.loads(self.rfile.read(int(self.headers["content-length"])))
            status, document = reply(request)
            body = json.dumps(document).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
    server.handle_error = lambda *_: None  # an ending program closes its connections
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server, f"http://127.0.0.1:{server.server_address[1]}/v1"


def said(text):
    return 200, {"model": "m", "choices": [{"message": {"content": text}, "finish_reason": "stop"}],
                 "usage": {"prompt_tokens": 7, "completion_tokens": 5}}


def mock(token):
    (FOLDER / "replies").mkdir(exist_ok=True)
    (FOLDER / "replies/one").write_text(ANSWER)
    process = subprocess.Popen([MOCK, "replies", "--token", token], cwd=FOLDER, stdout=subprocess.PIPE, text=True)
    return process, next(line for line in process.stdout if line.startswith("openai_chat")).split()[1]


def a_key_that_is_part_of_its_mark():
    for key in ("k", "e", "[key]", "key]"):
        server, url = mock(key)
        try:
            folder = f"key{len(key)}{key[0] == 'k'}"
            code, out, err = run(folder, url, key=key)
            assert code == 0, (key, code, err)
            assert json.loads(out)["runs"][0]["evaluations"] > 0, (key, out)
        finally:
            server.kill()


def a_dead_endpoint():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    code, _, err = run("dead", f"http://127.0.0.1:{port}/v1")
    assert code == PROVIDER and f"cannot be reached: http://127.0.0.1:{port}/v1" in err and "6 tries" in err, (code, err)
    assert charged("dead") == 0
    server, _ = serve(lambda _: said(ANSWER), port)
    code, _, err = call("resume", "dead", "-q")
    server.shutdown()
    assert code == 0, err
    assert rows("dead", "SELECT count(*) FROM exchange WHERE status <> 'ok'") == [(0,)]


def a_wrong_key():
    server, url = mock("another")
    try:
        code, _, err = run("key_wrong", url)
    finally:
        server.kill()
    assert code == PROVIDER and "status 401" in err and url in err and "environment variable MK" in err, err
    assert "canary" not in err and charged("key_wrong") == 0


def the_other_name_of_a_parameter():
    seen = []

    def reply(request):
        seen.append("max_completion_tokens" in request)
        if seen[-1]:
            return 400, {"error": {"param": "max_completion_tokens", "code": "unsupported_parameter"}}
        return said(ANSWER)

    server, url = serve(reply)
    code, _, err = run("renamed", url)
    server.shutdown()
    assert code == 0, err
    assert not seen[-1] and seen.count(True) < len(seen)
    tokens = rows("renamed", "SELECT DISTINCT status, input_tokens, output_tokens FROM exchange")
    assert tokens == [("ok", 7, 5)], tokens


def a_parameter_without_another_name():
    def reply(request):
        name = "max_completion_tokens" if "max_completion_tokens" in request else "max_tokens"
        return 400, {"error": {"param": name, "code": "unsupported_parameter", "message": f"No {name} for sk-canary-9fX2 here"}}

    server, url = serve(reply)
    code, _, err = run("unnamed", url)
    server.shutdown()
    assert code == PROVIDER and "status 400, unsupported_parameter" in err and "No max_tokens for [key] here" in err, err
    assert charged("unnamed") == 0


def words_of_a_lasting_error():
    server, url = serve(lambda _: (404, {"error": {"code": "model_not_found", "message": "The model `m` does not exist"}}))
    code, _, err = run("lasting", url)
    server.shutdown()
    assert code == PROVIDER and "status 404, model_not_found" in err and "The model `m` does not exist" in err, err


def an_error_in_a_reply_with_status_200():
    server, url = serve(lambda _: (200, {"error": {"code": 401}}))
    code, _, err = run("hidden", url)
    server.shutdown()
    assert code == PROVIDER and "status 401" in err and "environment variable MK" in err, err


def what_failed_costs_nothing():
    turns = iter(range(100))

    def reply(_):
        if next(turns) % 2 == 0:
            return 200, {"error": {"code": 503, "message": "busy"}}
        return said(ANSWER)

    server, url = serve(reply)
    code, _, err = run("busy", url, "llm.concurrency=1")
    server.shutdown()
    assert code == 0, err
    tokens = rows("busy", "SELECT DISTINCT status, input_tokens, output_tokens FROM exchange")
    assert tokens == [("ok", 7, 5)], tokens


def budgets_are_used_up():
    for number, (evaluations, batch) in enumerate([(5, 20), (25, 20), (19, 6)]):
        code, out, err = call("run", "p.yaml", "-q", "--json", "-o", f"budget{number}", f"budget.evaluations={evaluations}",
                              f"batch={batch}")
        told = json.loads(out)["runs"][0]
        assert code == 0 and told["evaluations"] == evaluations and told["stop"] == "budget", (evaluations, batch, told)
    code, out, _ = call("run", "p.yaml", "-q", "--json", "-o", "proposals", "budget={evaluations: 0, proposals: 25}", "batch=20")
    assert code == 0 and json.loads(out)["runs"][0]["proposals"] == 25, out


def a_space_is_exhausted():
    code, out, err = call("run", "p.yaml", "-q", "--json", "-o", "small", "budget.evaluations=100", "device.levels=2")
    told = json.loads(out)["runs"][0]
    assert code == 0 and told["stop"] == "exhausted" and told["evaluations"] == 4 and told["proposals"] < 100, told
    assert "all 4 points of the space were judged" in err, err
    code, out, _ = call("verify", "small", "--replay", "--json")
    assert code == 0 and json.loads(out)["ok"], out


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    (FOLDER / "f.yaml").write_text(CONFIG)
    (FOLDER / "p.yaml").write_text(PLAIN)
    for test in (a_key_that_is_part_of_its_mark, a_dead_endpoint, a_wrong_key, the_other_name_of_a_parameter,
                 a_parameter_without_another_name, words_of_a_lasting_error, an_error_in_a_reply_with_status_200,
                 what_failed_costs_nothing, budgets_are_used_up, a_space_is_exhausted):
        test()
        print(test.__name__.replace("_", " "))


if __name__ == "__main__":
    main()
