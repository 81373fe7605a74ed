#!/usr/bin/env python3
# Times nothing: may run beside others.
"""The recorded search with a language model that ships with the project: whole, without secrets, and it replays to its
printed hash with no socket opened and no compiler started."""
import gzip
import json
import os
import pathlib
import re
import shutil
import subprocess

BINARY = os.environ["KERNELEVOLVE"]
RECORDINGS = pathlib.Path(os.environ["KE_SOURCE"]) / "configs" / "recordings"
FOLDER = pathlib.Path("recorded_llm")


def call(*arguments, trace=None):
    before = ["strace", "-f", "-e", "trace=socket,connect,execve", "-o", str(trace)] if trace else []
    return subprocess.run([*before, BINARY, *map(str, arguments)], capture_output=True, text=True)


def unpack(name):
    path = FOLDER / name
    path.write_bytes(gzip.decompress((RECORDINGS / f"{name}.gz").read_bytes()))
    return path


def printed_hash():
    return re.search(r"history `([0-9a-f]{64})`", (RECORDINGS / "README.md").read_text()).group(1)


def traffic_is_whole(cassette, run):
    checked = json.loads(call("cassette", "verify", cassette, "--json").stdout)
    assert checked["ok"] and checked["exchanges"] >= 60, checked
    exported = FOLDER / "exported.jsonl"
    done = call("cassette", "export", run, "-o", exported)
    assert done.returncode == 0, done.stderr
    lines = [line for line in cassette.read_text().splitlines() if not line.startswith("#")]
    assert sorted(exported.read_text().splitlines()) == sorted(lines), "the cassette is not the run's"


def replays_without_network_or_compiler(run):
    traced = shutil.which("strace") is not None
    trace = FOLDER / "trace"
    done = call("verify", "--replay", "--json", run, trace=trace if traced else None)
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads(done.stdout)
    assert report["ok"] and report["history_hash"] == printed_hash(), report
    if not traced:
        return "strace is missing: only the hash was checked"
    calls = trace.read_text()
    sockets = re.findall(r"socket\((AF_INET6?|AF_UNIX)", calls)
    programs = re.findall(r'execve\("([^"]*)"', calls)
    assert not sockets, sockets
    assert len(programs) == 1, programs  # only the binary itself
    return ""


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    run = unpack("softmax-llm.kev")
    traffic_is_whole(unpack("softmax-llm.jsonl"), run)
    if missing := replays_without_network_or_compiler(run):
        print(missing)
        raise SystemExit(77)


if __name__ == "__main__":
    main()
