#!/usr/bin/env python3
"""One search on three devices: C++ and OpenCL on this processor, C++ on a simulated RISC-V core. It
is killed and resumes to a complete record that replays; each device has a champion, and kernels
moved between the two C++ devices."""

import shutil
import sys

sys.path.insert(0, sys.path[0] + "/../support")
from axpb import write_axpb  # noqa: E402
from needs import need_of_machine  # noqa: E402
from program import SOURCE, count_rows, fresh_folder, json_of, kill_when, must, rows, show, start, write  # noqa: E402

FOLDER = fresh_folder("mixed")
CONFIG = SOURCE / "configs/mixed.yaml"
DEVICES = ["cpu", "opencl", "riscv"]
CPP = ("naive.cpp", "vectorised.cpp")
OPENCL = """// @knob GROUP int {16, 32, 64, 128, 256} = 64
// @launch axpb grid=(ceil_div(n, GROUP)) block=(GROUP)
__kernel void axpb(__global const float* x, __global float* y, ulong n) {
  const size_t i = get_global_id(0);
  if (i < n) y[i] = 2.0f * x[i] + 1.0f;
}
"""


def make_tasks():
    """Makes conformance/axpb for each device, with one bench shape and smaller others."""
    shutil.copytree(SOURCE / "configs/tasks/include", FOLDER / "tasks/include")
    folders = [FOLDER / "tasks" / device / "axpb" for device in DEVICES]
    for folder, bench, kernels in zip(folders, (400000, 400000, 4000), (CPP, ("naive.cl", "anchor.cl"), CPP)):
        write_axpb(folder, *kernels, (bench, bench // 13, bench // 20, bench // 11))
    write({"naive.cl": OPENCL.split("\n", 1)[1].replace("GROUP", "64"), "anchor.cl": OPENCL}, folders[1])
    return folders


def settings(folders):
    words = [f"task={folders[0]}", f"islands.each.1.task={folders[1]}", f"islands.each.2.task={folders[2]}",
             "budget.evaluations=18", "islands.lag=0", "islands.migration.every=1", "islands.migration.migrants=3",
             "verify.cells=1", "verify.naive_flag_sets=0"]
    return words + [f"islands.each.{island}.device.{option}" for island in (0, 1)
                    for option in ("verify_clusters=2", "verify_time=200ms")]


def check_says_what_cannot_be(words):
    notes = json_of("check", CONFIG, *words)["notes"]
    assert [note for note in notes if "cpu and opencl: their languages differ" in note], notes
    assert not [note for note in notes if "cpu and riscv" in note], notes


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


def kernels_went_between_cpp_alone(run):
    pairs = {(pair["from"], pair["to"]): pair for pair in run["transfers"]}
    assert pairs and set(pairs) <= {("cpu", "riscv"), ("riscv", "cpu")}, pairs
    counted = rows("search", "SELECT from_device, to_device, count(*), sum(verdict = 'ok') FROM v_transfer GROUP BY 1, 2")
    unjudged = rows("search", "SELECT count(*) FROM candidate c WHERE operator = 'migration' AND outcome = 'kernel' AND NOT EXISTS "
                              "(SELECT 1 FROM evidence e JOIN attempt a USING (key) WHERE e.candidate_id = c.id)")
    assert {(a, b): (offered, ok) for a, b, offered, ok in counted} == \
        {pair: (one["offered"], one["correct"]) for pair, one in pairs.items()}, (counted, pairs)
    assert unjudged == [(0,)], unjudged


def main():
    need_of_machine("opencl device", "chip riscv")
    words = settings(make_tasks())
    check_says_what_cannot_be(words)
    kill_when(start("run", CONFIG, *words, "-o", "search"), lambda: count_rows("search", "step") >= 4, 120)
    must("resume", "search")
    run = show("search")
    assert run["state"] == "done", run
    champions_are_verified(run)
    kernels_went_between_cpp_alone(run)
    must("verify", "search", "--replay")
    text = must("show", "search")
    assert all(name in text for name in DEVICES) and "rank correlation" in text, text


if __name__ == "__main__":
    main()
