#!/usr/bin/env python3
"""Bad input and a hostile environment give one clear line and the documented exit code, and lose
nothing."""

import ctypes
import functools
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, sys.path[0] + "/../support")
import program  # noqa: E402
from program import (DEVICE, STORE, USAGE, Skipped, carry_out, count_rows, edit, fresh_folder, must, rows, run_file,  # noqa: E402
                     verify, wait_until, write)

FOLDER = fresh_folder("bad_input")
call = functools.partial(program.call, timeout=120)
CONFIG = """schema: kernelevolve/1
name: bad
seed: 1
budget: {evaluations: 60}
device: {kind: function, function: sphere, dimensions: 4}
archive: {axes: [{measure: m0, low: -1, high: 1, bins: 3}, {measure: m1, low: -1, high: 1, bins: 3}]}
"""
SLOW = ["device.delay_us=20000", "budget.evaluations=200"]
libc = ctypes.CDLL(None, use_errno=True)


def refused(code, words, *parts):
    """Requires one line that begins with `error: ` and names all parts, and the exit code."""
    got, out, err = call(*words)
    errors = [line for line in err.splitlines() if not line.startswith("warning: ")]
    assert got == code, (words, got, err)
    assert len(errors) == 1 and errors[0].startswith("error: "), (words, err)
    for part in parts:
        assert part in errors[0], (words, part, err)
    assert not out, (words, out)


def whole(folder):
    """Resumes if there is something to do; requires a complete run that verify accepts."""
    must("resume", folder, "-q")
    return verify(folder)["history_hash"]


def start(folder, *words):
    return program.start("run", "f.yaml", "-q", "-o", folder, *words, stderr=subprocess.PIPE, text=True)


def steps(folder):
    return count_rows(folder, "step")


def until(condition):
    wait_until(condition, "a run", 30)


def unknown_key():
    write({"a.yaml": CONFIG + "budgett: {evaluations: 1}\n"})
    refused(USAGE, ["run", "a.yaml"], "a.yaml:7:1", "unknown key 'budgett'", "did you mean 'budget'?")


def duplicate_key():
    write({"a.yaml": CONFIG + "seed: 2\n"})
    refused(USAGE, ["run", "a.yaml"], "a.yaml:7:1", "duplicate key 'seed'", "line 3")


def wrong_type():
    refused(USAGE, ["run", "f.yaml", "budget.evaluations=many"], "'budget.evaluations' = many is not an integer")


def outside_the_range():
    refused(USAGE, ["run", "f.yaml", "islands.count=0"], "'islands.count' = 0 is outside [1, 1024]")


def missing_file():
    refused(USAGE, ["run", "none.yaml"], "none.yaml: no such file")
    refused(USAGE, ["resume", "none"], "none: no such run file or folder")
    refused(USAGE, ["eval", "conformance/axpb", "none.cpp"], "none.cpp: no such kernel file")


def absent_compiler():
    write({"a.yaml": "task: conformance/axpb\nbudget: {evaluations: 5}\ndevice: {kind: cpu, compiler: /no/such}\n"})
    refused(DEVICE, ["run", "a.yaml", "-o", "none"], "device.compiler = /no/such", "No such file")
    assert not (FOLDER / "none").exists()


def unwritable_folder():
    write({"plain": ""})
    refused(STORE, ["run", "f.yaml", "-o", "plain/inside"], "plain/inside: cannot be created")


def corrupt_database():
    must("run", "f.yaml", "-q", "-o", "corrupt")
    file = run_file("corrupt")
    kept = file.read_bytes()
    file.write_bytes(b"\x5a" * len(kept))
    refused(STORE, ["resume", "corrupt"], file.name, "is not a run file")
    file.write_bytes(kept[:4096] + b"\x5a" * (len(kept) - 4096))
    code, _, err = call("verify", "corrupt")
    assert code in (1, STORE) and err.count("\n") <= 1, (code, err)
    assert file.read_bytes()[:4096] == kept[:4096]
    file.write_bytes(kept)
    whole("corrupt")


def foreign_database():
    (FOLDER / "foreign").mkdir()
    edit("foreign/x.kev", "CREATE TABLE t (x)")
    before = (FOLDER / "foreign/x.kev").read_bytes()
    for verb in ("resume", "status", "verify"):
        refused(STORE, [verb, "foreign"], "x.kev", "another program")
    assert (FOLDER / "foreign/x.kev").read_bytes() == before


def older_schema():
    must("run", "f.yaml", "-q", "-o", "older")
    version = rows("older", "PRAGMA user_version")[0][0]
    edit(run_file("older"), "PRAGMA user_version = 0")
    refused(STORE, ["resume", "older"], "older version", f"reads {version}")
    edit(run_file("older"), f"PRAGMA user_version = {version}")
    whole("older")


def second_writer():
    process = start("second", *SLOW)
    until(lambda: steps("second") > 5)
    refused(STORE, ["resume", "second"], "another process")
    must("status", "second")  # readers may look
    assert process.wait(60) == 0, process.stderr.read()
    whole("second")


def stopped_by(number, code):
    def test():
        folder = f"signal{number}"
        process = start(folder, *SLOW)
        until(lambda: steps(folder) > 5)
        process.send_signal(number)
        assert process.wait(30) == code, process.stderr.read()
        err = process.stderr.read()
        assert "state is saved" in err or err == "", err
        kept = steps(folder)
        assert 5 < kept < 200, kept
        assert whole(folder) == whole("second")
        assert steps(folder) > kept
    test.__name__ = f"signal {number} once"
    return test


def stopped_twice_by(number, code):
    def test():
        folder = f"twice{number}"
        # Calls take a second: the first signal may wait for one, the second does not.
        process = start(folder, "device.delay_us=1000000")
        until(lambda: list((FOLDER / folder).glob("*.kev")))
        time.sleep(0.5)
        begin = time.time()
        process.send_signal(number)
        time.sleep(0.2)
        process.send_signal(number)
        assert process.wait(30) == code, process.stderr.read()
        assert time.time() - begin < 0.7, "the second signal did not end it at once"
        must("resume", folder, "-q", "device.delay_us=0")
        whole(folder)
    test.__name__ = f"signal {number} twice"
    return test


def full_disk():
    """Runs on a tmpfs of 1 MiB."""
    small = FOLDER / "small"
    small.mkdir()
    if libc.mount(b"tmpfs", bytes(small), b"tmpfs", 0, b"size=1m") != 0:
        raise Skipped("needs the right to mount a small tmpfs")
    try:
        code, _, err = call("run", "f.yaml", "-q", "-o", "small/run", "budget.evaluations=3000")
        assert code == STORE, (code, err)
        assert [line for line in err.splitlines() if line.startswith("error: ")][-1].count("full") == 1, err
        files = list((small / "run").iterdir())
        shutil.copytree(small / "run", FOLDER / "rescued")
    finally:
        libc.umount2(bytes(small), 2)
    assert files and steps("rescued") > 0, files
    whole("rescued")


if __name__ == "__main__":
    write({"f.yaml": CONFIG})
    carry_out(unknown_key, duplicate_key, wrong_type, outside_the_range, missing_file, absent_compiler, unwritable_folder,
              corrupt_database, foreign_database, older_schema, second_writer,
              stopped_by(signal.SIGINT, 130), stopped_by(signal.SIGTERM, 143),
              stopped_twice_by(signal.SIGINT, 130), stopped_twice_by(signal.SIGTERM, 143), full_disk)
