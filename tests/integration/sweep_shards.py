#!/usr/bin/env python3
# Times nothing: may run beside others.
"""Shards of a sweep, one of them killed on its way, put together are what one process makes: equal runs, equal
comparisons; folders that do not fit together are refused. The same of shards that share a folder to which their runs
are moved whole."""
import json
import pathlib
import shutil
import signal
import sys

sys.path.insert(0, sys.path[0] + "/../support")
from program import (BINARY, STORE, call, fresh_folder, histories, json_of, must, outcome, refused, start,  # noqa: E402
                     wait_until, write)

FOLDER = fresh_folder("sweep_shards")
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


def ended_when(number, files, *words):
    """Sends a sweep the signal once there are files of the pattern."""
    process = start("sweep", "sweep.yaml", SLOWLY, "-q", "-j", "1", *words)
    wait_until(lambda: process.poll() is not None or list(FOLDER.glob(files)), files, pause_s=0.002)
    process.send_signal(number)
    process.wait()


def states():
    found = json_of("sweep", "status", "shared")
    return {name: len(found[name]) for name in ("finished", "running", "failed", "missing", "saved")}


def shards_share_a_folder():
    """One is interrupted, one killed; no file of SQLite but whole runs ever lies in the shared folder."""
    share = ("--scratch", "scratch", "-o", "shared")
    for shard, number in (("1/3", signal.SIGTERM), ("2/3", signal.SIGKILL)):
        ended_when(number, "scratch/*/*.kev-wal", *share, "--shard", shard)
    assert not list((FOLDER / "shared").glob("*.kev-wal")) and not list((FOLDER / "shared").glob("*.part"))
    found = states()
    assert found["finished"] < 4 and found["saved"] == 1 and found["running"] == 1, found
    # The killed process may have ended a run without moving it.
    last = json.loads((FOLDER / "one/sweep.json").read_text())["runs"][4]["file"]
    (scratch,) = [path for path in (FOLDER / "scratch").iterdir() if list(path.glob("*.kev-wal"))]
    shutil.copy(FOLDER / "one" / last, scratch)
    for shard in (1, 2, 3):
        answer = json_of("sweep", "sweep.yaml", "-q", "-j", "1", *share, "--shard", f"{shard}/3")
        assert answer["planned"] == answer["done"] == 2, answer
    assert not list((FOLDER / "scratch").iterdir())
    assert states() == {"finished": 6, "running": 0, "failed": 0, "missing": 0, "saved": 0}, states()
    assert "finished      6\nrunning       0\nfailed        0\nmissing       0\n" in must("sweep", "status", "shared")
    assert histories("shared") == histories("one")
    must("sweep", "merge", "shared", "-o", "local")
    assert histories("local") == histories("one")


def failures_are_noted_by_each_process():
    """A run that cannot be written fails; the same command tries it again."""
    (FOLDER / "blocked").mkdir()
    blocked = sorted(histories("one"))[0]
    share = ["sweep", "sweep.yaml", "--scratch", "scratch", "-o", "blocked", "-q", "-j", "1"]
    (FOLDER / "blocked" / blocked).write_text("no run")
    must(*share, codes=(STORE,))
    text = must("sweep", "status", "blocked")
    assert f"failed        1  {blocked}: " in text and "finished      5" in text, text
    (FOLDER / "blocked" / blocked).unlink()
    shutil.rmtree(FOLDER / "scratch")
    must(*share)
    assert "failed        0" in must("sweep", "status", "blocked") and histories("blocked") == histories("one")


def programs_that_differ_are_told():
    other = FOLDER / "other_program"
    shutil.copy(BINARY, other)
    with open(other, "ab") as program:
        program.write(b"another build")
    code, _, err = outcome(other, "sweep", "sweep.yaml", "--shard", "1/3", "-o", "by_other", "-q")
    assert code == 0, err
    warning = "the runs stem from 2 programs"
    for words in (["sweep", "merge", "by_other", "s2", "s3", "-o", "mixed"], ["compare", "mixed"],
                  ["report", "mixed", "--json"], ["plot", "mixed", "-o", "figures", "--format", ""]):
        code, out, err = call(*words)
        assert code == 0 and warning in out + err, (words, code, out, err)
    assert warning not in must("compare", "one")
    makers = json_of("compare", "mixed")["provenance"]["made_by"]
    assert sorted(maker["runs"] for maker in makers) == [2, 4], makers


def main():
    write({"base.yaml": BASE, "sweep.yaml": SWEEP})
    must("sweep", "sweep.yaml", "-q", "-o", "one")
    ended_when(signal.SIGKILL, "s1/*.kev", "--shard", "1/3", "-o", "s1")
    for shard in (1, 2, 3):
        answer = json_of("sweep", "sweep.yaml", "--shard", f"{shard}/3", "-o", f"s{shard}", "-q")
        assert answer["planned"] == answer["done"] == 2, answer
    answer = json_of("sweep", "merge", "s1", "s2", "-o", "all")
    (maker,) = answer.pop("made_by")
    assert answer == {"name": "shards", "planned": 6, "present": 4, "failed": 0} and maker["runs"] == 4, (answer, maker)
    assert must("sweep", "merge", "s3", "-o", "all").startswith("6 of 6 runs of 'shards' are in all; 0 failed\n")
    assert histories("all") == histories("one") and len(histories("all")) == 6
    both = [json_of("compare", folder) for folder in ("all", "one")]
    assert both[0]["contrasts"] == both[1]["contrasts"] and both[0]["contrasts"], both
    again = json_of("sweep", "sweep.yaml", "-q", "-o", "all")
    assert again["done"] == 6, again

    half = json_of("sweep", "merge", "s2", "s3", "-o", "grown")
    unfinished = next((FOLDER / "s1").glob("*.kev"))
    shutil.copyfile(next((FOLDER / "s2").glob("*.kev")), FOLDER / "grown" / unfinished.name)
    with open(FOLDER / "grown" / unfinished.name, "r+b") as file:
        file.truncate(4096)
    grown = json_of("sweep", "merge", "s1", "-o", "grown")
    assert (half["present"], grown["present"]) == (4, 6) and histories("grown") == histories("one"), (half, grown)

    shutil.copytree(FOLDER / "s1", FOLDER / "copy")
    refused(("sweep", "merge", "s1", "copy", "-o", "twice"), "both hold run")
    write({"other.yaml": SWEEP.replace("1..3", "4..5")})
    must("sweep", "other.yaml", "-q", "-o", "other")
    refused(("sweep", "merge", "other", "-o", "all"), "holds sweep 'shards' with plan")
    refused(("sweep", "merge", "nowhere", "-o", "all"), "no folder of a sweep")
    refused(("sweep", "merge", "s1"), "needs folders of shards")
    for text in ("0/3", "4/3", "1", "a/b", "1/3x", "1/200000"):
        refused(("sweep", "sweep.yaml", "--shard", text), f"--shard = '{text}'")
    shards_share_a_folder()
    failures_are_noted_by_each_process()
    programs_that_differ_are_told()
    plan = json.loads((FOLDER / "one/sweep.json").read_text())["plan"]
    must("sweep", "sweep.yaml", "--plan", plan, "-o", "one", "-q")
    refused(("sweep", "other.yaml", "--plan", plan, "-o", "one"), "has changed since it was submitted")
    refused(("sweep", "status", "nowhere"), "no folder of a sweep")
    refused(("sweep", "sweep.yaml", "--engine", "slurm", "--shard", "1/2"), "--shard is not for --engine slurm")
    refused(("sweep", "sweep.yaml", "--engine", "slurm", "-o", "a b"), "Slurm's options cannot name it")
    file = next((FOLDER / "s2").glob("*.kev"))
    pathlib.Path(f"{file}-wal").write_bytes(b"unfinished")
    refused(("sweep", "merge", "s2", "-o", "new"), "is being written", code=STORE)


if __name__ == "__main__":
    main()
