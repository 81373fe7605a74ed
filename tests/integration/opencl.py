#!/usr/bin/env python3
"""OpenCL kernels through PoCL: good ones pass, bad ones get their verdicts, and a killed search
resumes to a complete record that replays."""

import concurrent.futures
import sys
import time

sys.path.insert(0, sys.path[0] + "/../support")
from axpb import write_axpb  # noqa: E402
from needs import need_of_machine  # noqa: E402
from program import NEGATIVE, SOURCE, fresh_folder, json_of, kill_when, must, show, start, wait_until, write  # noqa: E402

FOLDER = fresh_folder("opencl")
TINY = FOLDER / "tiny"
PLAN = "// @launch axpb grid=(ceil_div(n, 64)) block=(64)\n"
HEAD = PLAN + "__kernel void axpb(__global const float* x, __global float* y, ulong n) {\n  const size_t i = get_global_id(0);\n"
RIGHT = "  if (i < n) y[i] = 2.0f * x[i] + 1.0f;\n"
BAD = {  # source after HEAD, verdict, reasons
    "wrong_tail": ("  if (i < n / 4 * 4 || n < 4) y[i < n ? i : 0] = 2.0f * x[i < n ? i : 0] + 1.0f;\n",
                   "wrong_result", ["mismatch"]),
    "stale_output": ("  if (i == 0) y[0] = 2.0f * x[0] + 1.0f;\n", "wrong_result", ["mismatch"]),
    "neighbour": (RIGHT + "  if (i == 0) y[n] = 0.0f;\n", None, ["out_of_bounds_write", "crash_sigsegv"]),
    "input_as_scratch": (RIGHT + "  if (i == 0) ((__global float*)x)[0] = 0.0f;\n", "runtime_error", ["crash_sigsegv"]),
    "never_returns": (RIGHT + "  for (volatile int go = 1; go;) {}\n", "timeout", ["call_timeout"]),
    "trap": (RIGHT + "  __builtin_trap();\n", "runtime_error", ["crash_sigill"]),
    "starts_a_program": ('  __asm__ volatile("mov $59, %eax; syscall");\n' + RIGHT, "rejected", ["sandbox_violation"]),
    "does_not_compile": ("  y[i] = nonsense;\n", "compile_error", ["diagnostics"]),
}
SIZE_OF_SHAPE = "1 + n - n / 251 * 251"  # differs at almost all unlisted shapes
WHOLE = {  # whole sources
    "block_of_shape": (HEAD.replace("64", SIZE_OF_SHAPE) + RIGHT + "}\n", "rejected", ["bad_plan"]),
    "no_such_kernel": (HEAD.replace("@launch axpb", "@launch other") + RIGHT + "}\n", "rejected", ["bad_plan"]),
}


def make_tiny_task():
    """Makes conformance/axpb with OpenCL kernels and one small bench shape."""
    write_axpb(TINY, "naive.cl", "anchor.cl", (400000, 30011, 20000, 35000))
    write({"naive.cl": HEAD + RIGHT + "}\n",
           "anchor.cl": "// @knob GROUP int {16, 32, 64, 128, 256} = 64\n"
                        "// @launch axpb grid=(ceil_div(n, GROUP)) block=(GROUP)\n"
                        + HEAD.removeprefix(PLAN).replace("__kernel", "__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))")
                        + RIGHT + "}\n"}, TINY)


def judged(task, file):
    return json_of("eval", task, file, "device=opencl", "device.call_limit=300ms", "--only", "correctness", codes=(0, NEGATIVE))


def judged_as(name, source, verdict, reasons):
    file = FOLDER / f"{name}.cl"
    file.write_text(source)
    answer = judged(TINY, file)
    assert verdict in (None, answer["verdict"]) and answer["reason"] in reasons, (name, answer)
    assert answer["verdict"] != "ok", (name, answer)
    if name == "does_not_compile":
        assert "nonsense" in answer["message"], answer


def is_ok(task, file):
    answer = judged(task, file)
    assert answer["verdict"] == "ok", (file, answer)


def kernels_get_their_verdicts():
    tasks = SOURCE / "configs/tasks/opencl"
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        jobs = [pool.submit(is_ok, f"opencl/{name}", tasks / name / "structured.cl")
                for name in ("softmax", "embedding_bag")]
        jobs += [pool.submit(judged_as, name, HEAD + body + "}\n", verdict, reasons)
                 for name, (body, verdict, reasons) in BAD.items()]
        jobs += [pool.submit(judged_as, name, *wanted) for name, wanted in WHOLE.items()]
        for job in jobs:
            job.result()


def a_killed_search_goes_on():
    search = start("run", SOURCE / "configs/opencl.yaml", f"task={TINY}", "budget.evaluations=3", "islands.count=1", "verify.cells=1",
                   "verify.naive_flag_sets=0", "device.verify_clusters=2", "device.verify_time=200ms", "-o", "search")
    wait_until(lambda: list(FOLDER.glob("search*/*.kev")), "a run file")
    time.sleep(1.0)
    kill_when(search, lambda: True)
    must("resume", "search")
    run = show("search")
    bench = run["champion"]["verified"]["bench"]
    assert run["evaluations"] == 3 and (bench["speedup"] or bench["note"] in ("unreliable contended", "not resolved")), run
    must("verify", "search", "--replay")


def main():
    need_of_machine("opencl device")
    make_tiny_task()
    kernels_get_their_verdicts()
    a_killed_search_goes_on()


if __name__ == "__main__":
    main()
