#!/usr/bin/env python3
"""OpenCL kernels through PoCL: good ones pass, bad ones get their verdicts, and a killed search
resumes to a complete record that replays."""

import concurrent.futures
import functools
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from program import call as call_in, machine_has  # noqa: E402

BINARY = os.environ["KERNELEVOLVE"]
SOURCE = pathlib.Path(os.environ["KE_SOURCE"])
FOLDER = pathlib.Path("opencl").resolve()
call = functools.partial(call_in, FOLDER)
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
    TINY.mkdir()
    conformance = SOURCE / "configs/tasks/conformance/axpb"
    shutil.copy(conformance / "reference.cpp", TINY)
    kept = [line for line in (conformance / "task.yaml").read_text().splitlines()
            if not line.startswith(("include:", "kernels:", "workloads:", "  - {"))]
    kept += ["kernels: {naive: naive.cl, anchor: anchor.cl}", "workloads:"]
    kept += [f"  - {{n: {n}, role: {role}}}" for n, role in
             [(1, "test"), (63, "test"), (64, "test"), (1009, "test"), (400000, "bench"), (30011, "validation"),
              (20000, "holdout"), (35000, "holdout"), (999, "holdout")]]
    (TINY / "task.yaml").write_text("\n".join(kept) + "\n")
    (TINY / "naive.cl").write_text(HEAD + RIGHT + "}\n")
    (TINY / "anchor.cl").write_text(
        "// @knob GROUP int {16, 32, 64, 128, 256} = 64\n"
        "// @launch axpb grid=(ceil_div(n, GROUP)) block=(GROUP)\n"
        + HEAD.removeprefix(PLAN).replace("__kernel", "__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))")
        + RIGHT + "}\n")


def judged(task, file):
    return json.loads(call("eval", task, file, "device=opencl", "device.call_limit=300ms", "--only", "correctness",
                           "--json", codes=(0, 1)))


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


def facts_of(run):
    return json.loads(call("show", run, "--json"))["runs"][0]


def a_killed_search_goes_on():
    command = [BINARY, "run", str(SOURCE / "configs/opencl.yaml"), f"task={TINY}", "budget.evaluations=3",
               "islands.count=1", "verify.cells=1", "verify.naive_flag_sets=0", "device.verify_clusters=2",
               "device.verify_time=200ms", "-o", str(FOLDER / "search")]
    search = subprocess.Popen(command, cwd=FOLDER, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              start_new_session=True)
    deadline = time.time() + 60
    while not list(FOLDER.glob("search*/*.kev")) and time.time() < deadline and search.poll() is None:
        time.sleep(0.05)
    time.sleep(1.0)
    os.killpg(search.pid, signal.SIGKILL)
    search.wait()
    call("resume", "search")
    run = facts_of("search")
    bench = run["champion"]["verified"]["bench"]
    assert run["evaluations"] == 3 and (bench["speedup"] or bench["note"] in ("unreliable contended", "not resolved")), run
    call("verify", "search", "--replay")


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    if not machine_has("opencl device"):
        return 77
    make_tiny_task()
    kernels_get_their_verdicts()
    a_killed_search_goes_on()
    return 0


if __name__ == "__main__":
    sys.exit(main())
