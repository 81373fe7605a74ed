#!/usr/bin/env python3
"""`check`, `eval` and `run` report a faulty reference as the cause; nothing crashes or hangs."""
# Times nothing: may run beside others.

import contextlib
import functools
import pathlib
import re
import shutil
import sys
import time

sys.path.insert(0, sys.path[0] + "/../support")
import program  # noqa: E402
from program import NEGATIVE, USAGE, carry_out, descendants, fresh_folder, processes, rows, start, wait_until, write  # noqa: E402

FOLDER = fresh_folder("check_reference")
call = functools.partial(program.call, timeout=120)
HEAD = "#include <cmath>\n#include <cstddef>\n#include <cstdlib>\n"
SIGNATURE = "void reference(const double* x, double* y, std::size_t b, std::size_t n, std::size_t c)"
GOOD = """{
  for (std::size_t i = 0; i < b; ++i)
    for (std::size_t k = 0; k < c; ++k) {
      double best = x[i * n * c + k];
      for (std::size_t j = 1; j < n; ++j) best = std::fmax(best, x[(i * n + j) * c + k]);
      y[i * c + k] = best;
    }
  AFTER
}
"""
NAIVE = """#include <cstddef>
extern "C" void kernel(const float* x, float* y, std::size_t b, std::size_t n, std::size_t c) {
  for (std::size_t i = 0; i < b; ++i)
    for (std::size_t k = 0; k < c; ++k) {
      float best = x[i * n * c + k];
      for (std::size_t j = 1; j < n; ++j) best = x[(i * n + j) * c + k] > best ? x[(i * n + j) * c + k] : best;
      y[i * c + k] = best;
    }
}
"""
TASK = """schema: kernelevolve-task/1
name: maxdim
description: "maximum over the middle axis"
axes: {b: var, n: var, c: var}
signature: [x, y, b, n, c]
inputs:
  x: {shape: [b, n, c], classes: [normal, positive, constant]}
outputs:
  y: {shape: SHAPE}
tolerance: {relative: 1.0e-6, relative_l2: 1.0e-6, scale: 1.0e-6}
row: "1"
cost: {bytes: "4*b*n*c + 4*b*c", flops: "b*n*c"}
reference: reference.cpp
reference_limit: 500ms
kernels: {naive: naive.cpp, anchor: naive.cpp}
workloads:
  - {b: 1, n: 1, c: 1, role: test}
  - {b: 2, n: 3, c: 5, role: test}
  - {b: 8, n: 64, c: 255, role: bench}
  - {b: 3, n: 20, c: 77, role: holdout}
  - {b: 16, n: 64, c: 130, role: holdout}
  - {b: 4, n: 100, c: 33, role: holdout}
"""


def task(after="", source=None, shape="[b, c]"):
    shutil.rmtree("task", ignore_errors=True)
    write({"task.yaml": TASK.replace("SHAPE", shape), "naive.cpp": NAIVE,
           "reference.cpp": source or HEAD + 'extern "C" ' + SIGNATURE + GOOD.replace("AFTER", after)}, "task")


def refused(code, *parts):
    got, out, err = call("check", "./task")
    said = err if code == USAGE else out
    assert got == code, (got, out, err)
    for part in parts:
        assert part in said, (part, out, err)
    assert "naive" not in said and "anchor" not in said, said
    assert not re.search(r"/ke-\w+\.so", out + err), err


def faults():
    task()
    code, out, err = call("check", "./task")
    assert code == 0 and "task maxdim is admitted" in out, (out, err)

    task(shape="[b, n]")  # the oracle writes [b, c]
    refused(USAGE, "task/reference.cpp: wrote beyond output 'y' (shape [2, 3])", "at workload 'b=2 n=3 c=5'")
    task("y[b * c] = 0;")
    refused(USAGE, "task/reference.cpp: wrote beyond output 'y' (shape [1, 1]): element 1 of 1", "'b=1 n=1 c=1'")
    task("y[b * c + 100000000] = 0;")
    refused(USAGE, "task/reference.cpp: wrote beyond output 'y'")
    task("*reinterpret_cast<double*>(1 << 20) = 0;")
    refused(USAGE, "task/reference.cpp: wrote memory that belongs to no tensor")
    task("if (b == 8) for (volatile bool on = true; on;) {}")
    before = time.monotonic()
    refused(USAGE, "task/reference.cpp: took longer than", "'b=8 n=64 c=255'")
    assert time.monotonic() - before < 60
    task("std::abort();")
    refused(USAGE, "task/reference.cpp: crashed with signal 6")
    task("std::exit(0);")
    refused(USAGE, "task/reference.cpp: ended its process with code 0")
    task(source="int reference = 1;\n")
    refused(USAGE, "task/reference.cpp: ")
    task(source=HEAD + SIGNATURE + GOOD.replace("AFTER", ""))  # without extern "C"
    refused(USAGE, "task/reference.cpp: defines no function 'reference'", 'extern "C" void reference(')
    task(source="no program\n")
    refused(USAGE, "task/reference.cpp:1:1: does not build")
    for text, answer in (("y[0] = NAN;", "nan"), ("y[b * c - 1] = INFINITY;", "inf")):
        task("if (b == 2) " + text)
        refused(NEGATIVE, f"task/reference.cpp: answers {answer} in output 'y' (shape [2, 5]) at workload 'b=2 n=3 c=5'",
                "hold neither NaN nor infinity")
    task("if (b == 2) y[0] = INFINITY;")
    path = FOLDER / "task/task.yaml"
    path.write_text(path.read_text() + "nonfinite: propagate\n")
    assert "answers inf" not in call("check", "./task")[1], "an infinity that kernels must give is an answer"


def wrong_oracle():
    task("y[0] += 1;")
    code, out, err = call("check", "./task")
    assert code == NEGATIVE, (out, err)
    assert "no kernel of the task agrees with" in out and "task/reference.cpp: the reference may be" in out, out


def rank_zero():
    task(source=HEAD + 'extern "C" ' + SIGNATURE +
         "{ double s = 0; for (std::size_t i = 0; i < b * n * c; ++i) s = std::fmax(s, std::fabs(x[i])); y[0] = s; }",
         shape="[]")
    (FOLDER / "task/naive.cpp").write_text(
        '#include <cstddef>\n#include <cmath>\nextern "C" void kernel(const float* x, float* y, std::size_t b, '
        "std::size_t n, std::size_t c) {\n  float s = 0;\n  for (std::size_t i = 0; i < b * n * c; ++i)\n"
        "    s = std::fabs(x[i]) > s ? std::fabs(x[i]) : s;\n  y[0] = s;\n}\n")
    code, out, err = call("check", "./task")
    assert code == 0, (out, err)


def run_ends_and_resumes():
    """A fault at a bench shape ends a run before it begins. At a test shape the run's session ends with the documented
    code, and the fault is a row."""
    write({"run.yaml": "schema: kernelevolve/1\nname: faulty\nseed: 1\nbudget: {evaluations: 2}\ntask: ./task\n"
                       "device: {kind: cpu, verify_time: 100ms}\n"
                       "archive: {axes: [{measure: vector_width, bins: [scalar, 128, 256, 512]}]}\nverify: {cells: 0}\n"})
    task("if (b == 8) y[b * c] = 0;")
    program.refused(("run", "run.yaml", "-o", "none", "--quiet"), "wrote beyond output 'y' (shape [8, 255])")
    assert not list((FOLDER / "none").glob("*.kev")), "nothing was proposed"
    task("if (b == 2) y[b * c] = 0;")
    program.refused(("eval", "./task", "task/naive.cpp"), "task/reference.cpp: wrote beyond output 'y' (shape [2, 5])")
    program.refused(("run", "run.yaml", "-o", "runs", "--quiet"), "task/reference.cpp: wrote beyond output 'y'", "'resume' goes on")
    lost = rows("runs", "SELECT verdict, message FROM attempt WHERE reason = 'reference'")
    assert len(lost) == 1 and lost[0][0] == "lost" and "wrote beyond output 'y'" in lost[0][1], lost
    codes = rows("runs", "SELECT exit_code FROM session")
    assert codes == [(USAGE,)], codes
    program.must("verify", program.run_file("runs"))
    program.refused(("resume", "runs"), "wrote beyond output 'y'")


def references_of(process):
    """Ids of the references that a process of the program started."""
    found = []
    for pid in descendants(process):
        with contextlib.suppress(OSError):
            if b"kernelevolve-reference" in pathlib.Path(f"/proc/{pid}/cmdline").read_bytes():
                found.append(pid)
    return found


def a_killed_program_leaves_no_reference():
    task("for (volatile bool on = true; on;) {}")
    text = (FOLDER / "task/task.yaml").read_text().replace("500ms", "1h")
    (FOLDER / "task/task.yaml").write_text(text)
    process = start("check", "./task")

    def settled():
        """Reference process that still exists a moment later; starting one takes several
        processes."""
        before = references_of(process.pid)
        time.sleep(0.2)
        return [one for one in references_of(process.pid) if one in before]
    reference = wait_until(settled, "a reference that runs")[0]
    process.kill()
    process.wait()
    wait_until(lambda: processes().get(reference, ("", "Z"))[1] == "Z", "the end of the reference after that of the program", 30)


carry_out(faults, wrong_oracle, rank_zero, run_ends_and_resumes, a_killed_program_leaves_no_reference)
