#!/usr/bin/env python3
"""The baseline naive_best_flags with the real compiler, on tasks whose flags only help together:
builds every flag set of the naive kernel and times each binary; verifications use the fastest."""
import os
import pathlib
import shutil
import sqlite3
import subprocess

BINARY, SOURCE = os.environ["KERNELEVOLVE"], pathlib.Path(os.environ["KE_SOURCE"])
FOLDER = pathlib.Path("naive_flags").resolve()
CONFIG = """schema: kernelevolve/1
budget: {evaluations: 3, proposals: 60}
operators: {knob_step: 1}
device: {kind: cpu, verify_time: 200ms, verify_clusters: 2}
verify: {cells: 1}
"""
SETS = {(march, fast) for march in ("-march=native", "") for fast in ("", "-ffast-math")}
LEAST_GAIN = 1.01  # a smaller lead may be noise
FLAGS = "SELECT group_concat(value, ' ') FROM (SELECT value FROM flag WHERE genome_id = {} ORDER BY position)"


def run(task):
    done = subprocess.run([BINARY, "run", "run.yaml", f"task={SOURCE}/tests/golden/tasks/{task}", "-q", "-o", task],
                          cwd=FOLDER, capture_output=True, text=True, timeout=400)
    assert done.returncode == 0, (task, done.stdout, done.stderr)
    return next((FOLDER / task).glob("*.kev"))


def best_flags_are_the_best_of_all(task):
    naive = (SOURCE / f"tests/golden/tasks/{task}/naive.cpp").read_text()
    with sqlite3.connect(f"file:{run(task)}?mode=ro", uri=True) as database:
        genomes = [row[0] for row in database.execute(
            "SELECT g.id FROM genome g JOIN source s ON s.id = g.source_id WHERE s.text = ?", (naive,))]
        flags = {one: tuple((database.execute(FLAGS.format(one)).fetchone()[0] or "").split(" ")) for one in genomes}
        built = {flags[one] for one in genomes if database.execute(
            "SELECT count(*) FROM attempt WHERE genome_id = ? AND purpose = 'build'", (one,)).fetchone()[0]}
        timed = {flags[genome]: speedup for genome, speedup in database.execute(
            "SELECT a.genome_id, m.speedup FROM attempt a JOIN measurement m ON m.attempt_id = a.id "
            "WHERE a.purpose = 'screen' AND a.verdict = 'ok'") if genome in flags}
        used = {flags[row[0]] for row in database.execute(
            "SELECT opponent_genome_id FROM attempt WHERE purpose = 'verify' AND opponent_genome_id IS NOT NULL")}
    assert built == SETS, (task, built)
    assert len(timed) >= 2 and len(used) == 1, (task, timed, used)
    chosen = timed[next(iter(used))]
    assert chosen * LEAST_GAIN >= max(timed.values()) * 0.999, (task, timed, used)


shutil.rmtree(FOLDER, ignore_errors=True)
FOLDER.mkdir()
(FOLDER / "run.yaml").write_text(CONFIG)
for name in ("attention", "linear_swish_norm"):
    best_flags_are_the_best_of_all(name)
print("ok")
