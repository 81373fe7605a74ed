#!/usr/bin/env python3
# Times nothing: may run beside others.
"""The API key of a run stays in its own process: no file of a run, its kill, its resume or its
exports contains it, no output shows it, and no child process gets it, although the server quotes it
in errors and replies."""

import base64
import os
import pathlib
import signal
import subprocess
import sys
import time

sys.path.insert(0, sys.path[0] + "/../support")
import program  # noqa: E402
from llm_server import mock_llm  # noqa: E402
from program import SOURCE, descendants  # noqa: E402

FOLDER = program.fresh_folder("secret_key")
KEY = os.environ["MOCK_LLM_KEY"] = "sk-canary-7Qm2vX9tLw4Zr8"
FORMS = [form.lower() for form in (KEY.encode(), base64.b64encode(KEY.encode()).rstrip(b"="), KEY.encode().hex().encode(),
                                   KEY.encode("utf-16-le"), KEY[3:].encode())]


def holds_key(text):
    text = text.lower()
    return any(form in text for form in FORMS)


def serve(token):
    """A server whose failures quote the request."""
    return mock_llm(SOURCE / "configs/replies/softmax", token, "--faults", "40", "--kinds",
                    "echo,truncated_json,cut,server_error,wrong_type,bad_parameter", "--seed", "3")


def start(*words):
    return program.start(*words, stdout=open(FOLDER / "output", "ab"), stderr=subprocess.STDOUT)


def run_with(addresses, folder):
    return start("run", SOURCE / "tests/golden/llm-mock.yaml", "-o", folder, f"llm.base_url={addresses['openai_chat']}",
                 "verify.cells=0", "budget.proposals=16")


def look_at_processes(process):
    """Checks children's environments and command lines for the key; returns the number of
    children."""
    seen, own = 0, pathlib.Path(f"/proc/{process.pid}/cmdline").read_bytes()
    if not own:  # its own program is beginning just now
        return 0
    for pid in [process.pid, *descendants(process.pid)]:
        try:
            words = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
            assert not holds_key(words), "the key is in a command line"
            if words != own:  # a child that has not begun its program yet still is its parent
                assert not holds_key(pathlib.Path(f"/proc/{pid}/environ").read_bytes()), f"a child has the key: {words}"
                seen += 1
        except OSError:
            pass
    return seen


def look_at_files():
    files = [path for path in FOLDER.rglob("*") if path.is_file()]
    for path in files:
        assert not holds_key(path.read_bytes()), f"{path} holds the key"
    return len(files)


def run_and_kill(addresses):
    run = run_with(addresses, "run")
    seen = 0
    began = time.monotonic()
    while run.poll() is None and time.monotonic() < began + (2 if seen else 60):
        seen += look_at_processes(run)
        time.sleep(0.05)
    if run.poll() is None:
        os.killpg(run.pid, signal.SIGKILL)
    run.wait()
    look_at_files()
    assert seen > 0, "no child was seen"


def main():
    with serve(KEY) as addresses, serve("another-key") as others:
        run_and_kill(addresses)
        assert start("resume", "run").wait() in (0, 3)
        assert run_with(others, "refused").wait() == program.PROVIDER, "a refused key ends the run"
    for arguments in (("show", "run", "--json"), ("show", "prompt", "run", "1"), ("export", "run", "--out", "run.csv"),
                      ("report", "run", "-o", "run.html"), ("cassette", "export", "run", "-o", "run.jsonl"), ("verify", "run")):
        start(*arguments).wait()
    assert b"refuses: status 401" in (FOLDER / "output").read_bytes()
    assert (FOLDER / "run.jsonl").stat().st_size > 1000, "exchanges were recorded"
    print(f"the key is in none of {look_at_files()} files")


main()
