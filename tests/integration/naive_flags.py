#!/usr/bin/env python3
"""The baseline naive_best_flags with the real compiler, on tasks whose flags only help together:
builds every flag set of the naive kernel and times each binary; verifications use the fastest."""
import sys

sys.path.insert(0, sys.path[0] + "/../support")
from program import SOURCE, fresh_folder, must, rows, write  # noqa: E402

CONFIG = """schema: kernelevolve/1
budget: {evaluations: 3, proposals: 60}
operators: {knob_step: 1}
device: {kind: cpu, verify_time: 200ms, verify_clusters: 2}
verify: {cells: 1}
"""
SETS = {(march, fast) for march in ("-march=native", "") for fast in ("", "-ffast-math")}
LEAST_GAIN = 1.01  # a smaller lead may be noise
FLAGS = "SELECT group_concat(value, ' ') FROM (SELECT value FROM flag WHERE genome_id = ? ORDER BY position)"


def best_flags_are_the_best_of_all(task):
    folder = SOURCE / "tests/golden/tasks" / task
    must("run", "run.yaml", f"task={folder}", "-q", "-o", task, timeout=400)
    genomes = [one for (one,) in rows(task, "SELECT g.id FROM genome g JOIN source s ON s.id = g.source_id WHERE s.text = ?",
                                      (folder / "naive.cpp").read_text())]
    flags = {one: tuple((rows(task, FLAGS, one)[0][0] or "").split(" ")) for one in genomes}
    built = {flags[one] for one in genomes if rows(task, "SELECT 1 FROM attempt WHERE genome_id = ? AND purpose = 'build'", one)}
    timed = {flags[genome]: speedup for genome, speedup in rows(
        task, "SELECT a.genome_id, m.speedup FROM attempt a JOIN measurement m ON m.attempt_id = a.id "
              "WHERE a.purpose = 'screen' AND a.verdict = 'ok'") if genome in flags}
    used = {flags[one] for (one,) in rows(
        task, "SELECT opponent_genome_id FROM attempt WHERE purpose = 'verify' AND opponent_genome_id IS NOT NULL")}
    assert built == SETS, (task, built)
    assert len(timed) >= 2 and len(used) == 1, (task, timed, used)
    chosen = timed[next(iter(used))]
    assert chosen * LEAST_GAIN >= max(timed.values()) * 0.999, (task, timed, used)


fresh_folder("naive_flags")
write({"run.yaml": CONFIG})
for name in ("attention", "linear_swish_norm"):
    best_flags_are_the_best_of_all(name)
print("ok")
