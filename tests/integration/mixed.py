#!/usr/bin/env python3
"""One search on three devices: C++ and OpenCL on this processor, C++ on a simulated RISC-V core. It
is killed and resumes to a complete record that replays; each device has a champion, and kernels
moved between the two C++ devices."""

import functools
import json
import os
import pathlib
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from program import call as call_in, machine_has  # noqa: E402

BINARY = os.environ["KERNELEVOLVE"]
SOURCE = pathlib.Path(os.environ["KE_SOURCE"])
FOLDER = pathlib.Path("mixed").resolve()
call = functools.partial(call_in, FOLDER)
CONFIG = SOURCE / "configs/mixed.yaml"
DEVICES = ["cpu", "opencl", "riscv"]
OPENCL = """// @knob GROUP int {16, 32, 64, 128, 256} = 64
// @launch axpb grid=(ceil_div(n, GROUP)) block=(GROUP)
__kernel void axpb(__global const float* x, __global float* y, ulong n) {
  const size_t i = get_global_id(0);
  if (i < n) y[i] = 2.0f * x[i] + 1.0f;
}
"""


def make_task(device, bench, kernels):
    """Makes conformance/axpb for a device, with one bench shape and smaller others."""
    folder = FOLDER / "tasks" / device / "axpb"
    shutil.copytree(SOURCE / "configs/tasks/conformance/axpb", folder)
    kept = [line for line in (folder / "task.yaml").read_text().splitlines()
            if not line.startswith(("include:", "kernels:", "workloads:", "  - {"))]
    kept += [f"kernels: {{naive: {kernels[0]}, anchor: {kernels[1]}}}", "workloads:"]
    kept += [f"  - {{n: {n}, role: {role}}}" for n, role in
             [(1, "test"), (63, "test"), (64, "test"), (1009, "test"), (bench, "bench"), (bench // 13, "validation"),
              (bench // 20, "holdout"), (bench // 11, "holdout"), (999, "holdout")]]
    (folder / "task.yaml").write_text("\n".join(kept) + "\n")
    return folder


def make_tasks():
    shutil.copytree(SOURCE / "configs/tasks/include", FOLDER / "tasks/include")
    cpp, opencl = ("naive.cpp", "vectorised.cpp"), ("naive.cl", "anchor.cl")
    folders = [make_task("cpu", 400000, cpp), make_task("opencl", 400000, opencl), make_task("riscv", 4000, cpp)]
    (folders[1] / "naive.cl").write_text(OPENCL.split("\n", 1)[1].replace("GROUP", "64"))
    (folders[1] / "anchor.cl").write_text(OPENCL)
    return folders


def settings(folders):
    words = [f"task={folders[0]}", f"islands.each.1.task={folders[1]}", f"islands.each.2.task={folders[2]}",
             "budget.evaluations=18", "islands.lag=0", "islands.migration.every=1", "islands.migration.migrants=3",
             "verify.cells=1", "verify.naive_flag_sets=0"]
    return words + [f"islands.each.{island}.device.{option}" for island in (0, 1)
                    for option in ("verify_clusters=2", "verify_time=200ms")]


def check_says_what_cannot_be(words):
    notes = json.loads(call("check", CONFIG, *words, "--json"))["notes"]
    assert [note for note in notes if "cpu and opencl: their languages differ" in note], notes
    assert not [note for note in notes if "cpu and riscv" in note], notes


def steps_of(file):
    with sqlite3.connect(f"file:{file}?mode=ro", uri=True) as database:
        return database.execute("SELECT count(*) FROM step").fetchone()[0]


def killed_on_its_way(words):
    search = subprocess.Popen([BINARY, "run", CONFIG, *words, "-o", "search"], cwd=FOLDER, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, start_new_session=True)
    file = FOLDER / "search/mixed.axpb.s1.kev"
    deadline = time.time() + 120
    while search.poll() is None and time.time() < deadline:
        time.sleep(0.1)
        try:
            if file.exists() and steps_of(file) >= 4:
                break
        except sqlite3.OperationalError:  # still being created
            pass
    os.killpg(search.pid, signal.SIGKILL)
    search.wait()
    return file, steps_of(file)


def measured_or_disturbed(figure):
    return figure.get("note") in ("unreliable contended", "not resolved") or figure["speedup"] > 0


def champions_are_verified(run):
    assert [device["name"] for device in run["devices"]] == DEVICES, run["devices"]
    assert sum(device["evaluations"] for device in run["devices"]) == run["evaluations"] == 18, run
    for island, device in enumerate(run["devices"]):
        champion = device["champion"]
        assert champion["id"].split(".")[1] == str(island), device
        assert measured_or_disturbed(champion["verified"]["roles"]["bench"]["anchor"]), device
        assert measured_or_disturbed(champion["verified"]["roles"]["holdout"]["naive"]), device
    assert run["champion"]["id"] == run["devices"][0]["champion"]["id"], run


def kernels_went_between_cpp_alone(run, file):
    pairs = {(pair["from"], pair["to"]): pair for pair in run["transfers"]}
    assert pairs and set(pairs) <= {("cpu", "riscv"), ("riscv", "cpu")}, pairs
    with sqlite3.connect(file) as database:
        rows = database.execute("SELECT from_device, to_device, count(*), sum(verdict = 'ok') FROM v_transfer "
                                "GROUP BY 1, 2").fetchall()
        unjudged = database.execute(
            "SELECT count(*) FROM candidate c WHERE operator = 'migration' AND outcome = 'kernel' AND NOT EXISTS "
            "(SELECT 1 FROM evidence e JOIN attempt a USING (key) WHERE e.candidate_id = c.id)").fetchone()[0]
    assert {(a, b): (offered, ok) for a, b, offered, ok in rows} == \
        {pair: (one["offered"], one["correct"]) for pair, one in pairs.items()}, (rows, pairs)
    assert unjudged == 0


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    if not machine_has("opencl device", "chip riscv"):
        return 77
    words = settings(make_tasks())
    check_says_what_cannot_be(words)
    file, steps = killed_on_its_way(words)
    assert steps >= 4, steps
    call("resume", "search")
    run = json.loads(call("show", "search", "--json"))["runs"][0]
    assert run["state"] == "done", run
    champions_are_verified(run)
    kernels_went_between_cpp_alone(run, file)
    call("verify", "search", "--replay")
    text = call("show", "search")
    assert all(name in text for name in DEVICES) and "rank correlation" in text, text
    return 0


if __name__ == "__main__":
    sys.exit(main())
