#!/usr/bin/env python3
# Times nothing: may run beside others.
"""tests/golden/llm-mock.yaml against the mock server, with 1 and 4 compilers at a time: softmax evolves on this machine, and the run replays to
its history hash with no socket opened and no compiler started."""
import json
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess

BINARY = os.environ["KERNELEVOLVE"]
MOCK = os.environ["KE_BUILD"] + "/mock-llm"
CONFIGS = pathlib.Path(os.environ["KE_SOURCE"]) / "configs"
FOLDER = pathlib.Path("mock_llm").resolve()
KEY = "none-needed"


def serve():
    """(process, port)"""
    process = subprocess.Popen([MOCK, str(CONFIGS / "replies/softmax"), "--token", KEY], stdout=subprocess.PIPE,
                               text=True)
    line = next(line for line in process.stdout if line.startswith("openai_chat"))
    return process, int(line.split(":")[2].split("/")[0])


def call(*arguments, before=()):
    done = subprocess.run([*before, BINARY, *map(str, arguments)], capture_output=True, text=True,
                          env={**os.environ, "MOCK_LLM_KEY": KEY})
    assert done.returncode == 0, (arguments, done.stdout, done.stderr)
    return done.stdout


def evolve(port, compilers):
    out = FOLDER / f"compilers{compilers}"
    call("run", CONFIGS.parent / "tests/golden/llm-mock.yaml", "-q", "-o", out, f"llm.base_url=http://127.0.0.1:{port}/v1",
         f"device.compile_threads={compilers}", "budget.proposals=12", "verify.cells=0")
    return next(out.glob("*.kev"))


def replay(run, traced):
    trace = FOLDER / "trace"
    before = ["strace", "-f", "-e", "trace=socket,connect,execve", "-o", trace] if traced else []
    report = json.loads(call("verify", "--replay", "--json", run, before=before))
    assert report["ok"], report
    if traced:
        calls = trace.read_text()
        assert not re.findall(r"socket\(", calls) and len(re.findall(r"execve\(", calls)) == 1, calls
    return report["history_hash"]


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    server, port = serve()
    try:
        runs = [evolve(port, compilers) for compilers in (1, 4)]
    finally:
        server.kill()
    traced = shutil.which("strace") is not None
    for run in runs:
        ((exchanges,),) = sqlite3.connect(run).execute("SELECT count(*) FROM exchange WHERE status = 'ok'")
        ((ok,),) = sqlite3.connect(run).execute("SELECT count(*) FROM candidate c JOIN evaluation e ON e.candidate_id = c.id "
                                                "WHERE c.operator LIKE 'llm_%' AND e.verdict = 'ok'")
        assert exchanges >= 4 and ok >= 1, (exchanges, ok)
        print(f"{run.parent.name}: {exchanges} exchanges, {ok} kernels of the model pass; replays to {replay(run, traced)}")
    if not traced:
        print("strace is missing: only the hashes were checked")
        raise SystemExit(77)


if __name__ == "__main__":
    main()
