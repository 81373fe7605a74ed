#!/usr/bin/env python3
"""kill -9 of the whole process tree at random moments of a run on real kernels, resume each time:
the run completes, verify holds, no committed step and no finished measurement is lost, and no
process or scratch folder is left behind. KILLS (default 5) and EVALUATIONS (default 16) change
the size."""
import contextlib
import os
import pathlib
import random
import signal
import subprocess
import sys

sys.path.insert(0, sys.path[0] + "/../support")
import program  # noqa: E402
from program import SOURCE, count_rows, descendants, fresh_folder, processes, show, verify, wait_until  # noqa: E402

KILLS = int(os.environ.get("KILLS", "5"))
EVALUATIONS = int(os.environ.get("EVALUATIONS", "16"))
FOLDER = fresh_folder("kill_resume")


def ours():
    """{id: command} of living processes of this project, by program name (workers carry kernelevolve-...)."""
    found = {}
    for pid, (_, state, _) in processes().items():
        with contextlib.suppress(OSError):
            command = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0].decode(errors="replace")
            if state != "Z" and pathlib.Path(command).name.startswith("kernelevolve"):
                found[pid] = command
    return found


def scratch_folders():
    return set(pathlib.Path("/tmp").glob("kernelevolve-scratch-*"))


def start():
    if list(FOLDER.glob("*.kev")):
        return program.start("resume", FOLDER, stderr=subprocess.PIPE)
    return program.start("run", SOURCE / "configs/quickstart.yaml", "task=softmax", "name=killed", "verify.cells=1",
                         f"budget.evaluations={EVALUATIONS}", "device.verify_time=500ms", "-o", FOLDER, stderr=subprocess.PIPE)


def main():
    others = ours()

    def left():
        return {pid: command for pid, command in ours().items() if pid not in others}
    others_scratch = scratch_folders()
    moments = random.Random(7)
    kept = (0, 0)
    kills = 0
    while True:
        process = start()
        patience = moments.uniform(0.3, 6.0) if kills < KILLS else 900
        try:
            process.wait(patience)
        except subprocess.TimeoutExpired:
            assert kills < KILLS, "the run did not complete in 15 minutes"
            for pid in [process.pid, *descendants(process.pid)]:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            process.wait()
            kills += 1
            with contextlib.suppress(AssertionError):
                wait_until(lambda: not left(), "the end of its processes", 3)
            assert not left(), f"left behind after kill {kills}: {left()}"
            now = count_rows(FOLDER, "step"), count_rows(FOLDER, "attempt")
            assert now[0] >= kept[0] and now[1] >= kept[1], f"lost: {kept} before, {now} after"
            print(f"kill {kills}: {now[0]} steps and {now[1]} facts are kept")
            kept = now
            continue
        if process.returncode != 0:
            sys.exit(f"exit {process.returncode}: {process.stderr.read().decode()}")
        break
    assert not scratch_folders() - others_scratch, "scratch folders are left"
    verified, shown = verify(FOLDER), show(FOLDER)
    assert shown["evaluations"] == EVALUATIONS, shown["evaluations"]
    assert shown["history_hash"] == verified["history_hash"]
    assert not left(), left()
    print(f"{kills} kills, {shown['evaluations']} evaluations, history {verified['history_hash'][:12]}: whole")


if __name__ == "__main__":
    main()
