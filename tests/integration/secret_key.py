#!/usr/bin/env python3
# Times nothing: may run beside others.
"""The API key of a run stays in its own process: no file of a run, its kill, its resume or its
exports contains it, no output shows it, and no child process gets it, although the server quotes it
in errors and replies."""

import base64
import os
import pathlib
import shutil
import signal
import subprocess
import time

BINARY = os.environ["KERNELEVOLVE"]
MOCK = os.environ["KE_BUILD"] + "/mock-llm"
SOURCE = pathlib.Path(os.environ["KE_SOURCE"])
FOLDER = pathlib.Path("secret_key").resolve()
KEY = "sk-canary-7Qm2vX9tLw4Zr8"
FORMS = [form.lower() for form in (KEY.encode(), base64.b64encode(KEY.encode()).rstrip(b"="), KEY.encode().hex().encode(),
                                   KEY.encode("utf-16-le"), KEY[3:].encode())]


def holds_key(text):
    text = text.lower()
    return any(form in text for form in FORMS)


def serve(token):
    """(process, port) of a server whose failures quote the request."""
    process = subprocess.Popen([MOCK, str(SOURCE / "configs/replies/softmax"), "--token", token, "--faults", "40",
                                "--kinds", "echo,truncated_json,cut,server_error,wrong_type,bad_parameter", "--seed", "3"],
                               stdout=subprocess.PIPE, text=True)
    line = next(line for line in process.stdout if line.startswith("openai_chat"))
    return process, int(line.split(":")[2].split("/")[0])


def start(*arguments):
    return subprocess.Popen([BINARY, *map(str, arguments)], cwd=FOLDER, stdout=open(FOLDER / "output", "ab"),
                            stderr=subprocess.STDOUT, env={**os.environ, "MOCK_LLM_KEY": KEY}, start_new_session=True)


def descendants(root):
    parents = {}
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            parents[int(entry.name)] = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
        except OSError:
            pass
    found = [root]
    for pid in found:
        found += [child for child, parent in parents.items() if parent == pid]
    return found[1:]


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


def run_and_kill(port):
    run = start("run", SOURCE / "tests/golden/llm-mock.yaml", "-o", "run", f"llm.base_url=http://127.0.0.1:{port}/v1", "verify.cells=0",
                "budget.proposals=16")
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
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    server, port = serve(KEY)
    stranger, other_port = serve("another-key")
    try:
        run_and_kill(port)
        assert start("resume", "run").wait() in (0, 3)
        refused = start("run", SOURCE / "tests/golden/llm-mock.yaml", "-o", "refused", f"llm.base_url=http://127.0.0.1:{other_port}/v1",
                        "verify.cells=0", "budget.proposals=16")
        assert refused.wait() == 5, "a refused key ends the run"
    finally:
        server.kill()
        stranger.kill()
    for arguments in (("show", "run", "--json"), ("show", "prompt", "run", "1"), ("export", "run", "--out", "run.csv"),
                      ("report", "run", "-o", "run.html"), ("cassette", "export", "run", "-o", "run.jsonl"), ("verify", "run")):
        start(*arguments).wait()
    assert b"refuses: status 401" in (FOLDER / "output").read_bytes()
    assert (FOLDER / "run.jsonl").stat().st_size > 1000, "exchanges were recorded"
    print(f"the key is in none of {look_at_files()} files")


main()
