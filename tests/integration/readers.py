#!/usr/bin/env python3
# Times nothing: may run beside others.
"""What reads runs leaves nothing beside them, waits for one that begins, and says what speaks against comparing them: arms
that took one course, and runs of different programs."""
import fcntl
import os
import shutil
import sqlite3
import struct
import subprocess
import sys
import time

sys.path.insert(0, sys.path[0] + "/../support")
from program import call, carry_out, edit, fresh_folder, json_of, must, refused, says, start, write  # noqa: E402

FOLDER = fresh_folder("readers")
BASE = """budget: {evaluations: 40}
device: {kind: function, function: sphere, dimensions: 4}
islands: {count: 1, lag: 0}
archive: {axes: [{measure: m0, bins: 4}, {measure: m1, bins: 4}]}
operators: {knob_step: 4, knob_crossover: 2, random_restart: 1}
"""
SWEEP = """schema: kernelevolve-sweep/1
base: base.yaml
seeds: 1..5
arms:
  default: {}
  inert: {islands.migration.every: 7}
  random: {strategy: random, operators!: {random_restart: 1}}
labels: {random: Random search}
analysis: {endpoint: coverage, reference: default, unit: seed}
"""


def names():
    return sorted(path.name for path in (FOLDER / "runs").iterdir())


def nothing_is_left_beside_runs():
    before = names()
    assert not any(name.endswith(("-wal", "-shm", ".lock")) for name in before if name != "sweep.lock"), before
    for words in (("status", "runs"), ("show", "runs"), ("compare", "runs"), ("verify", "runs"),
                  ("export", "runs", "-o", "rows.csv"), ("plot", "runs", "-o", "figures", "--format", "")):
        must(*words)
        assert names() == before, (words, set(names()) - set(before))


def a_journal_that_a_dead_writer_left_is_read():
    """Rows that stand in it alone are there."""
    (FOLDER / "dead").mkdir()
    path = FOLDER / "dead/default.sphere.s1.kev"
    shutil.copy(FOLDER / "runs" / path.name, path)
    writer = sqlite3.connect(path)
    writer.execute("PRAGMA wal_autocheckpoint = 0")
    with writer:
        writer.execute("UPDATE run SET task = 'renamed'")
    copies = FOLDER / "killed"
    shutil.copytree(FOLDER / "dead", copies)  # as a kill leaves them
    assert json_of("status", "killed")["runs"][0]["task"] == "renamed"
    writer.close()


def arms_of_one_course_are_inert():
    text = says(("compare", "runs"))
    assert "arms 'default' and 'inert' have equal histories in all 5 runs" in text, text
    assert "and 'random' have equal" not in text, text


def shares_and_few_units():
    report = json_of("compare", "runs")
    for arm in report["arms"]:
        low, high = arm["mean"]["ci"]
        assert 0 <= low <= arm["mean"]["value"] <= high <= 1, arm
    assert any("intervals rest on 5 units" in note for note in report["notes"]), report["notes"]
    must("compare", "runs", "--latex", "t.tex")
    assert "Random search & " in (FOLDER / "t.tex").read_text()


def runs_of_two_programs_are_named():
    assert "programs" not in says(("compare", "runs")) + says(("status", "runs"))
    shutil.copytree(FOLDER / "runs", FOLDER / "mixed")
    edit("mixed/random.sphere.s1.kev", "UPDATE session SET binary_hash = 'another'")
    for verb in ("compare", "status", "show"):
        text = says((verb, "mixed"))
        assert "the runs stem from 2 programs (" in text and "1 of another" in text, (verb, text)


def lessons_of_a_run_without_any():
    err = refused(("export", "runs/random.sphere.s1.kev", "--format", "lessons", "-o", "none.jsonl"), "no lessons", code=1)
    assert "sha256" not in err, err
    assert not (FOLDER / "none.jsonl").exists()


def watch_waits_for_a_run_that_begins():
    (FOLDER / "begins").mkdir()
    path = FOLDER / "begins/default.sphere.s1.kev"
    sqlite3.connect(path).execute("VACUUM")  # a database without anything in it
    lock = open(f"{path}.lock", "w")
    fcntl.fcntl(lock, 37, struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0))  # F_OFD_SETLK
    watch = start("watch", "begins", "--terminal", stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(0.4)
    assert watch.poll() is None, watch.communicate()
    code, _, err = call("status", "begins")
    assert code != 0 and "its process is about to begin it" in err, (code, err)
    shutil.copy(FOLDER / "runs" / path.name, FOLDER / "whole.kev")
    os.replace(FOLDER / "whole.kev", path)
    time.sleep(0.4)
    watch.terminate()
    out, err = watch.communicate(timeout=30)
    assert "default.sphere.s1" in out and not err, (out, err)


if __name__ == "__main__":
    write({"base.yaml": BASE, "s.yaml": SWEEP})
    must("sweep", "s.yaml", "-o", "runs", "-q")
    carry_out(nothing_is_left_beside_runs, a_journal_that_a_dead_writer_left_is_read, arms_of_one_course_are_inert,
              shares_and_few_units, runs_of_two_programs_are_named, lessons_of_a_run_without_any,
              watch_waits_for_a_run_that_begins)
