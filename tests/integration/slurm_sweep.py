#!/usr/bin/env python3
"""A sweep as job arrays of a real Slurm whose nodes die and whose tasks are requeued and preempted ends with the runs
that one host makes: equal histories, equal comparison. A task that is lost is submitted by the same command. A long run
outlives its task's time limit, and the node that dies under it, with what it had saved.

    slurm_sweep.py [--full]      quick: 40 runs, 2 node failures, 2 requeues and preemptions; full: 200, 10 and 10
"""
import contextlib
import pathlib
import sqlite3
import sys
import time

sys.path.insert(0, sys.path[0] + "/../support")
from local_slurm import LocalSlurm, call, enter  # noqa: E402
from program import fresh_folder, histories, json_of, must, wait_until, write  # noqa: E402

FOLDER = pathlib.Path("slurm_sweep").resolve()
FULL = "--full" in sys.argv
RUNS, FAILURES, REQUEUES = (200, 10, 10) if FULL else (40, 2, 2)
MOST_SECONDS_TO_SUBMIT = 30  # 2100 calls of sbatch take longer
BASE = """budget: {evaluations: 2000}
device: {kind: function, function: sphere, dimensions: 4, delay_us: 300}
archive: {axes: [{measure: m0, bins: 4}, {measure: m1, bins: 4}]}
operators: {knob_step: 4, knob_crossover: 2, random_restart: 1}
"""
SWEEP = """schema: kernelevolve-sweep/1
name: on_slurm
base: base.yaml
tasks: [sphere]
seeds: 1..%d
arms:
  default: {}
  random: {strategy: random, operators!: {random_restart: 1}}
analysis: {endpoint: best_seen, reference: default, unit: seed}
slurm: {runs_per_task: 5, time: 20min, memory: 100, at_once: 4, scratch: %s}
"""
# Long enough that a signal which a busy machine delivers late still finds it running.
LONG_BASE = BASE.replace("2000", "3000").replace("delay_us: 300", "delay_us: 3000")
LONG = """schema: kernelevolve-sweep/1
name: long
base: long_base.yaml
tasks: [sphere]
seeds: 1..1
arms: {default: {}}
slurm: {memory: 100, save: 1s, scratch: %s}
"""


def submit(folder, *words, sweep="sweep.yaml"):
    """What the submission answers, with the seconds that it took."""
    began = time.monotonic()
    answer = json_of("sweep", sweep, *words, "--engine", "slurm", "-o", folder)
    answer["seconds"] = time.monotonic() - began
    assert answer["seconds"] < MOST_SECONDS_TO_SUBMIT, answer
    return answer


def state():
    return json_of("sweep", "status", "cluster")


def a_running_task(slurm):
    """The name of a task that runs, and its node."""
    wait_until(slurm.running, "a task that runs")
    task, name = slurm.running()[-1]  # of the last to begin most is left
    return task, next(node for node in slurm.nodes if node.name == name)


def preempt(node):
    """A job of a partition with a higher priority takes the whole node for a moment."""
    call("sbatch", "--wait", "--partition=urgent", "--exclusive", f"--nodelist={node.name}", "--output=/dev/null",
         "--wrap=true")


def disturb(slurm):
    """Kills nodes, requeues and preempts tasks, one after the other."""
    for turn in range(max(FAILURES, REQUEUES)):
        if turn < FAILURES:
            _, node = a_running_task(slurm)
            slurm.fail(node)
            time.sleep(0.3)
            slurm.bring_back(node)
        if turn < REQUEUES:
            task, node = a_running_task(slurm)
            preempt(node) if turn % 2 else call("scontrol", "requeue", task)


def lose_a_task(slurm):
    """A task that its user cancels does not come back by itself."""
    task, _ = a_running_task(slurm)
    call("scancel", task)
    wait_until(lambda: not call("squeue", "-h", f"--job={task}", check=False), "the end of a cancelled task", 30)


def sessions_of(run):
    """Exit code and steps of each process that wrote the run, as the shared folder has them."""
    if not run.exists():
        return []
    with contextlib.closing(sqlite3.connect(f"file:{run}?immutable=1", uri=True)) as sql:
        return sql.execute("SELECT exit_code, (SELECT count(*) FROM step WHERE session_id = session.id) FROM session "
                           "ORDER BY id").fetchall()


def wait_for_saved(run, sessions, slurm):
    """Until the run's last of so many sessions has saved steps. A session too many is one that ended unasked."""
    def saved():
        slurm.running()  # a requeued task may start at once
        found = sessions_of(run)
        assert len(found) <= sessions, found
        return len(found) == sessions and found[-1][1] > 100
    try:
        wait_until(saved, f"session {sessions} to save its steps")
    except AssertionError as error:
        logs = "".join(path.read_text() for path in run.parent.glob("slurm/*.log"))
        raise AssertionError(f"{error}\nsessions {sessions_of(run)}\n{call('squeue')}\n{logs}") from error


def long_run_goes_on(slurm):
    """Through the warning of a time limit, which Slurm sends as it does here, and through the loss of its node."""
    run = FOLDER / "long/default.sphere.s1.kev"
    submit("long", sweep="long.yaml")
    wait_for_saved(run, 1, slurm)
    call("scancel", "--signal=USR1", "--batch", a_running_task(slurm)[0])
    wait_for_saved(run, 2, slurm)
    _, node = a_running_task(slurm)
    kept = sum(steps for _, steps in sessions_of(run))
    slurm.fail(node)
    slurm.bring_back(node)
    wait_until(slurm.is_drained, "the end of the long run", 120)
    sessions = sessions_of(run)
    assert [code for code, _ in sessions] == [143, None, 0], sessions
    assert sum(steps for _, steps in sessions[:2]) >= kept, (kept, sessions)
    must("sweep", "long.yaml", "-q", "-o", "long_one")
    assert histories("long") == histories("long_one")
    print("a long run: steps before its time limit, until its node died, and after: "
          + ", ".join(str(steps) for _, steps in sessions))


def large_sweep_is_submitted_in_chunks():
    answer = submit("many", "seeds=1..1050", "slurm.runs_per_task=1", "slurm.partition=closed")
    assert (answer["submitted"], len(answer["jobs"])) == (2100, 3), answer
    again = submit("many", "seeds=1..1050", "slurm.runs_per_task=1", "slurm.partition=closed")
    assert (again["submitted"], again["in_queue"]) == (0, 2100), again
    call("scancel", *answer["jobs"])
    print(f"2100 runs: submitted as {len(answer['jobs'])} arrays in {answer['seconds']:.2f} s")


def merged_equals_one_host():
    makers = json_of("sweep", "merge", "cluster", "-o", "all")["made_by"]
    assert 2 <= len(makers) <= 4 and {maker["host"] for maker in makers} <= {f"node{i}" for i in range(1, 5)}, makers
    must("sweep", "sweep.yaml", "-q", "-j", 8, "-o", "one")
    assert histories("all") == histories("one") and len(histories("all")) == RUNS
    both = [json_of("compare", folder) for folder in ("all", "one")]
    assert both[0]["contrasts"] == both[1]["contrasts"] and both[0]["contrasts"], both


def signs_of_killed_tasks_age():
    """A task whose node died, and which Slurm gave up, is believed to run for another 90 s."""
    wait_until(lambda: not state()["running"], "the signs of killed tasks to age", 120)


def main():
    enter()
    scratch = fresh_folder("slurm_sweep") / "scratch"
    scratch.mkdir()
    write({"base.yaml": BASE, "sweep.yaml": SWEEP % (RUNS // 2, scratch), "long_base.yaml": LONG_BASE, "long.yaml": LONG % scratch})
    began = time.monotonic()
    slurm = LocalSlurm()
    try:
        long_run_goes_on(slurm)
        first = submit("cluster")
        assert RUNS // 5 <= first["submitted"] == first["tasks"] <= RUNS // 5 + 1, first
        print(f"{RUNS} runs: submitted in {first['seconds']:.2f} s")
        lose_a_task(slurm)
        disturb(slurm)
        wait_until(slurm.is_drained, "the end of all tasks", 300)
        signs_of_killed_tasks_age()
        lost = state()
        # The cancelled task is lost; Slurm may also call a task failed whose node died as it began.
        assert 1 <= len(lost["missing"]) < RUNS and len(lost["finished"]) == RUNS - len(lost["missing"]), lost
        # A late message of a killed node may end a task of the second submission too, or requeue one.
        for _ in range(3):
            again = submit("cluster")
            assert again["submitted"] <= len(state()["missing"]) and again["submitted"] + again["in_queue"] >= 1, again
            wait_until(slurm.is_drained, "the end of the lost task", 120)
            signs_of_killed_tasks_age()
            if len(state()["finished"]) == RUNS:
                break
        assert len(state()["finished"]) == RUNS, state()
        large_sweep_is_submitted_in_chunks()
    finally:
        slurm.stop()
    logs = "".join(path.read_text() for path in (FOLDER / "cluster/slurm").glob("*.log"))
    requeued, preempted = logs.count("DUE TO JOB REQUEUE"), logs.count("DUE TO PREEMPTION")
    print(f"{RUNS} runs, {FAILURES} nodes killed, {requeued} tasks requeued, {preempted} preempted, "
          f"{time.monotonic() - began:.0f} s")
    merged_equals_one_host()
    print("merged: equal histories and comparison")


if __name__ == "__main__":
    main()
