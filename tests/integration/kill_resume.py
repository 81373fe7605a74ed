#!/usr/bin/env python3
"""kill -9 of the whole process tree at random moments of a run on real kernels, resume each time:
the run completes, verify holds, no committed step and no finished measurement is lost, and no
process or scratch folder is left behind. KILLS (default 5) and EVALUATIONS (default 16) change
the size."""

import json
import os
import pathlib
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

BINARY = os.environ["KERNELEVOLVE"]
SOURCE = pathlib.Path(os.environ["KE_SOURCE"])
KILLS = int(os.environ.get("KILLS", "5"))
EVALUATIONS = int(os.environ.get("EVALUATIONS", "16"))
FOLDER = pathlib.Path("kill_resume")


def tree(root):
    """The process and all its descendants."""
    children = {}
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            stat = (entry / "stat").read_text()
        except OSError:
            continue
        parent = int(stat.rsplit(")", 1)[1].split()[1])
        children.setdefault(parent, []).append(int(entry.name))
    found, queue = [], [root]
    while queue:
        pid = queue.pop()
        found.append(pid)
        queue += children.get(pid, [])
    return found


def ours():
    """Living processes of this project, by program name (workers carry kernelevolve-...)."""
    names = []
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            command = (entry / "cmdline").read_bytes().split(b"\0")[0].decode(errors="replace")
            state = (entry / "stat").read_text().rsplit(")", 1)[1].split()[0]
        except OSError:
            continue
        if state != "Z" and pathlib.Path(command).name.startswith("kernelevolve"):
            names.append((int(entry.name), command))
    return names


def scratch_folders():
    return set(pathlib.Path("/tmp").glob("kernelevolve-scratch-*"))


def counts(path):
    """Committed steps and journaled facts; zeros if there is no file yet."""
    if not path.exists():
        return (0, 0)
    base = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        return tuple(base.execute(f"SELECT count(*) FROM {t}").fetchone()[0] for t in ("step", "attempt"))
    except sqlite3.OperationalError:
        return (0, 0)
    finally:
        base.close()


def run_file():
    files = sorted(FOLDER.glob("*.kev"))
    return files[0] if files else FOLDER / "none"


def start(first):
    verb = ["run", str(SOURCE / "configs/quickstart.yaml"), "task=softmax", "name=killed",
            f"budget.evaluations={EVALUATIONS}", "verify.cells=1", "device.verify_time=500ms", "-o", str(FOLDER)]
    command = [BINARY] + (verb if first else ["resume", str(FOLDER)])
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                            stdin=subprocess.DEVNULL, start_new_session=True)


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    others = {pid for pid, _ in ours()}
    others_scratch = scratch_folders()
    moments = random.Random(7)
    kept = (0, 0)
    kills = 0
    while True:
        process = start(not run_file().exists())
        patience = moments.uniform(0.3, 6.0) if kills < KILLS else 900
        try:
            process.wait(patience)
        except subprocess.TimeoutExpired:
            assert kills < KILLS, "the run did not complete in 15 minutes"
            for pid in tree(process.pid):
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            process.wait()
            kills += 1
            deadline = time.time() + 3
            while {p for p, _ in ours()} - others and time.time() < deadline:
                time.sleep(0.05)
            left = [p for p in ours() if p[0] not in others]
            assert not left, f"left behind after kill {kills}: {left}"
            now = counts(run_file())
            assert now[0] >= kept[0] and now[1] >= kept[1], f"lost: {kept} before, {now} after"
            print(f"kill {kills}: {now[0]} steps and {now[1]} facts are kept")
            kept = now
            continue
        if process.returncode != 0:
            sys.exit(f"exit {process.returncode}: {process.stderr.read().decode()}")
        break
    assert not scratch_folders() - others_scratch, "scratch folders are left"
    verified = json.loads(subprocess.check_output([BINARY, "verify", str(FOLDER), "--json"]))
    verified = verified["runs"][0] if "runs" in verified else verified
    assert verified["ok"], verified
    shown = json.loads(subprocess.check_output([BINARY, "show", str(FOLDER), "--json"]))["runs"][0]
    assert shown["evaluations"] == EVALUATIONS, shown["evaluations"]
    assert shown["history_hash"] == verified["history_hash"]
    assert not [p for p in ours() if p[0] not in others], ours()
    print(f"{kills} kills, {shown['evaluations']} evaluations, history {verified['history_hash'][:12]}: whole")


if __name__ == "__main__":
    main()
