#!/usr/bin/env python3
# Times nothing: may run beside others.
"""Shards of a sweep, one of them killed on its way, put together are what one process makes: equal runs, equal
comparisons; folders that do not fit together are refused. The same of shards that share a folder to which their runs
are moved whole."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

BINARY = os.environ["KERNELEVOLVE"]
FOLDER = pathlib.Path("sweep_shards").resolve()
USAGE, STORE = 2, 7
SLOWLY = "device.delay_us=20000"  # a run takes the better part of a second: long enough to be killed within
BASE = """budget: {evaluations: 80}
device: {kind: function, function: sphere, dimensions: 4, delay_us: 300}
archive: {axes: [{measure: m0, bins: 4}, {measure: m1, bins: 4}]}
operators: {knob_step: 4, knob_crossover: 2, random_restart: 1}
"""
SWEEP = """schema: kernelevolve-sweep/1
name: shards
base: base.yaml
tasks: [sphere]
seeds: 1..3
arms:
  default: {}
  random: {strategy: random, operators!: {random_restart: 1}}
analysis: {endpoint: best_seen, reference: default, unit: seed}
"""


def call(*words):
    return subprocess.run([BINARY, *map(str, words)], capture_output=True, text=True, cwd=FOLDER)


def succeeds(*words):
    done = call(*words)
    assert done.returncode == 0, (words, done.stdout, done.stderr)
    return done.stdout


def refused(code, message, *words):
    done = call(*words)
    assert done.returncode == code and message in done.stderr, (words, done)


def histories(folder):
    runs = json.loads(succeeds("status", folder, "--json"))["runs"]
    return {pathlib.Path(run["file"]).name: run["history_hash"] for run in runs}


def runs_killed_on_its_way(shard, folder):
    process = subprocess.Popen([BINARY, "sweep", "sweep.yaml", SLOWLY, "--shard", shard, "-o", folder, "-q", "-j", "1"],
                               cwd=FOLDER, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while process.poll() is None and not list((FOLDER / folder).glob("*.kev")):
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.wait()


def states():
    found = json.loads(succeeds("sweep", "status", "shared", "--json"))
    return {name: len(found[name]) for name in ("finished", "running", "failed", "missing", "saved")}


def shards_share_a_folder():
    """One is interrupted, one killed; no file of SQLite but whole runs ever lies in the shared folder."""
    share = ["sweep", "sweep.yaml", "--scratch", "scratch", "-o", "shared", "-q", "-j", "1"]
    for shard, number in (("1/3", signal.SIGTERM), ("2/3", signal.SIGKILL)):
        process = subprocess.Popen([BINARY, *share, SLOWLY, "--shard", shard], cwd=FOLDER, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        while process.poll() is None and not list((FOLDER / "scratch").glob("*/*.kev-wal")):
            time.sleep(0.002)
        process.send_signal(number)
        process.wait()
    assert not list((FOLDER / "shared").glob("*.kev-wal")) and not list((FOLDER / "shared").glob("*.part"))
    found = states()
    assert found["finished"] < 4 and found["saved"] == 1 and found["running"] == 1, found
    # The killed process may have ended a run without moving it.
    last = json.loads((FOLDER / "one/sweep.json").read_text())["runs"][4]["file"]
    (scratch,) = [path for path in (FOLDER / "scratch").iterdir() if list(path.glob("*.kev-wal"))]
    shutil.copy(FOLDER / "one" / last, scratch)
    for shard in (1, 2, 3):
        answer = json.loads(succeeds(*share, "--shard", f"{shard}/3", "--json"))
        assert answer["planned"] == answer["done"] == 2, answer
    assert not list((FOLDER / "scratch").iterdir())
    assert states() == {"finished": 6, "running": 0, "failed": 0, "missing": 0, "saved": 0}, states()
    assert "finished      6\nrunning       0\nfailed        0\nmissing       0\n" in succeeds("sweep", "status", "shared")
    assert histories("shared") == histories("one")
    succeeds("sweep", "merge", "shared", "-o", "local")
    assert histories("local") == histories("one")


def failures_are_noted_by_each_process():
    """A run that cannot be written fails; the same command tries it again."""
    (FOLDER / "blocked").mkdir()
    blocked = sorted(histories("one"))[0]
    share = ["sweep", "sweep.yaml", "--scratch", "scratch", "-o", "blocked", "-q", "-j", "1"]
    (FOLDER / "blocked" / blocked).write_text("no run")
    done = call(*share)
    assert done.returncode == STORE, done
    text = succeeds("sweep", "status", "blocked")
    assert f"failed        1  {blocked}: " in text and "finished      5" in text, text
    (FOLDER / "blocked" / blocked).unlink()
    shutil.rmtree(FOLDER / "scratch")
    succeeds(*share)
    assert "failed        0" in succeeds("sweep", "status", "blocked") and histories("blocked") == histories("one")


def programs_that_differ_are_told():
    other = FOLDER / "other_program"
    shutil.copy(BINARY, other)
    with open(other, "ab") as program:
        program.write(b"another build")
    subprocess.run([other, "sweep", "sweep.yaml", "--shard", "1/3", "-o", "by_other", "-q"], cwd=FOLDER, check=True,
                   capture_output=True)
    warning = "the runs stem from 2 programs"
    for words in (["sweep", "merge", "by_other", "s2", "s3", "-o", "mixed"], ["compare", "mixed"],
                  ["report", "mixed", "--json"], ["plot", "mixed", "-o", "figures", "--format", ""]):
        done = call(*words)
        assert done.returncode == 0 and warning in done.stdout + done.stderr, (words, done)
    assert warning not in succeeds("compare", "one")
    makers = json.loads(succeeds("compare", "mixed", "--json"))["provenance"]["made_by"]
    assert sorted(maker["runs"] for maker in makers) == [2, 4], makers


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    (FOLDER / "base.yaml").write_text(BASE)
    (FOLDER / "sweep.yaml").write_text(SWEEP)
    succeeds("sweep", "sweep.yaml", "-q", "-o", "one")
    runs_killed_on_its_way("1/3", "s1")
    for shard in (1, 2, 3):
        answer = json.loads(succeeds("sweep", "sweep.yaml", "--shard", f"{shard}/3", "-o", f"s{shard}", "-q", "--json"))
        assert answer["planned"] == answer["done"] == 2, answer
    answer = json.loads(succeeds("sweep", "merge", "s1", "s2", "-o", "all", "--json"))
    (maker,) = answer.pop("made_by")
    assert answer == {"name": "shards", "planned": 6, "present": 4, "failed": 0} and maker["runs"] == 4, (answer, maker)
    assert succeeds("sweep", "merge", "s3", "-o", "all").startswith("6 of 6 runs of 'shards' are in all; 0 failed\n")
    assert histories("all") == histories("one") and len(histories("all")) == 6
    both = [json.loads(succeeds("compare", folder, "--json")) for folder in ("all", "one")]
    assert both[0]["contrasts"] == both[1]["contrasts"] and both[0]["contrasts"], both
    again = json.loads(succeeds("sweep", "sweep.yaml", "-q", "-o", "all", "--json"))
    assert again["done"] == 6, again

    half = json.loads(succeeds("sweep", "merge", "s2", "s3", "-o", "grown", "--json"))
    unfinished = next((FOLDER / "s1").glob("*.kev"))
    shutil.copyfile(next((FOLDER / "s2").glob("*.kev")), FOLDER / "grown" / unfinished.name)
    with open(FOLDER / "grown" / unfinished.name, "r+b") as file:
        file.truncate(4096)
    grown = json.loads(succeeds("sweep", "merge", "s1", "-o", "grown", "--json"))
    assert (half["present"], grown["present"]) == (4, 6) and histories("grown") == histories("one"), (half, grown)

    shutil.copytree(FOLDER / "s1", FOLDER / "copy")
    refused(USAGE, "both hold run", "sweep", "merge", "s1", "copy", "-o", "twice")
    (FOLDER / "other.yaml").write_text(SWEEP.replace("1..3", "4..5"))
    succeeds("sweep", "other.yaml", "-q", "-o", "other")
    refused(USAGE, "holds sweep 'shards' with plan", "sweep", "merge", "other", "-o", "all")
    refused(USAGE, "no folder of a sweep", "sweep", "merge", "nowhere", "-o", "all")
    refused(USAGE, "needs folders of shards", "sweep", "merge", "s1")
    for text in ("0/3", "4/3", "1", "a/b", "1/3x", "1/200000"):
        refused(USAGE, f"--shard = '{text}'", "sweep", "sweep.yaml", "--shard", text)
    shards_share_a_folder()
    failures_are_noted_by_each_process()
    programs_that_differ_are_told()
    plan = json.loads((FOLDER / "one/sweep.json").read_text())["plan"]
    succeeds("sweep", "sweep.yaml", "--plan", plan, "-o", "one", "-q")
    refused(USAGE, "has changed since it was submitted", "sweep", "other.yaml", "--plan", plan, "-o", "one")
    refused(USAGE, "no folder of a sweep", "sweep", "status", "nowhere")
    refused(USAGE, "--shard is not for --engine slurm", "sweep", "sweep.yaml", "--engine", "slurm", "--shard", "1/2")
    refused(USAGE, "Slurm's options cannot name it", "sweep", "sweep.yaml", "--engine", "slurm", "-o", "a b")
    file = next((FOLDER / "s2").glob("*.kev"))
    pathlib.Path(f"{file}-wal").write_bytes(b"unfinished")
    refused(STORE, "is being written", "sweep", "merge", "s2", "-o", "new")
    return 0


if __name__ == "__main__":
    sys.exit(main())
