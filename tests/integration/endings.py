#!/usr/bin/env python3
"""Runs that judge nothing end with the reason: opponents that cannot run, or fail on the way, workers killed from outside,
answers without a kernel. Nothing is asked before opponents were called once, and nothing is charged that was not judged."""

import os
import shutil
import signal
import threading
import time

from python_reference import KERNEL, NUMPY, TORCH, need_of_debian, task
from program import (DEVICE, NOTHING_JUDGED, SOURCE, USAGE, call, carry_out, descendants, fresh_folder, must,
                     processes, refused, show, write)

CONFIG = SOURCE / "configs/module.yaml"
ANSWER = "llm={kind: command, program: [bash, answer.sh]}"
DOUBLE_ALONE = TORCH.replace("    assert", "    if x.dtype != torch.float64: raise RuntimeError('no single precision here')\n    assert")
# The reference takes float64, the baseline float32: it serves one call of each process, and the one before that warms it up.
ONE_CALL = """import numpy

calls = 0


def reference(x, **axes):
    global calls
    calls += x.dtype == numpy.float32
    if calls > 2:
        raise MemoryError("no room for a third call")
    e = numpy.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True), x.max(axis=1)
"""


def run(out, proposals, *words):
    """Exit code, and what was written where."""
    budget = f"budget={{evaluations: 4, proposals: {proposals}}}"
    return call("run", CONFIG, "task=./task", ANSWER, budget, "operators={llm_draft: 1}", "verify.cells=1",
                "device.verify_time=100ms", "-o", out, *words)


def answers(text):
    # Each answer has another constant, so that each is another kernel.
    write({"answer.md": text, "answer.sh": f"""cat > /dev/null
echo asked >> {FOLDER}/asked
sed "s/sum = 0;/sum = $(wc -l < {FOLDER}/asked)e-30f;/" {FOLDER}/answer.md
"""})
    (FOLDER / "asked").unlink(missing_ok=True)


def asked():
    return (FOLDER / "asked").exists()


def opponent_that_cannot_run():
    answers(f"```cpp\n{KERNEL}```\n")
    task(DOUBLE_ALONE)
    for _ in range(2):  # no run file is left, so the same command is no second run
        code, out, err = run("never", 2)
        assert code == USAGE and "nothing can be compared with the opponent pytorch eager" in err, (code, out, err)
        assert "no single precision here" in err and not asked() and not list((FOLDER / "never").glob("*.kev")), err
    refused(("check", "./task"), "no single precision here")


def opponent_whose_library_is_missing():
    """A vendor's library that this machine lacks leaves the other opponents; a fault of the task's own file does not."""
    shipped = SOURCE / "configs/tasks/conformance/axpb"
    shutil.copytree(shipped, FOLDER / "vendor")
    file = FOLDER / "vendor/task.yaml"
    file.write_text(file.read_text().replace("include: ../../include", "include: shipped\nbaselines: {vendor: vendor.cpp}"))
    # Opponents that are trusted have no knobs.
    kernel = (shipped / "naive.cpp").read_text().split("\n", 3)[3]
    words = ("run", CONFIG.parent / "quickstart.yaml", "task=./vendor", "budget.evaluations=2", "verify.cells=1",
             "device.verify_time=100ms", "-o")
    (FOLDER / "vendor/vendor.cpp").write_text(kernel + "\n#include <library_of_nobody.h>\n")
    code, out, err = call(*words, "without")
    assert code == 0 and "warning: task 'axpb': nothing can be compared with the opponent vendor" in err, (code, out, err)
    assert out.count("library_of_nobody.h: No such file or directory") >= 3 and "anchor" in out, out
    (FOLDER / "vendor/vendor.cpp").write_text(kernel + "\nint broken = ;\n")
    refused((*words, "broken"), "error: task 'axpb': nothing can be compared with the opponent vendor")


def opponent_that_fails_on_the_way():
    task(ONE_CALL)
    code, out, err = run("once", 1)
    assert code == NOTHING_JUDGED and "nothing was judged: lost: opponent_failed, once" in err, (code, out, err)
    assert "nothing was judged (budget)" in out and "no room for a third call" in out and "done" not in out, out
    found = show("once")
    assert found["judged"] == 0 == found["evaluations"] and found["proposals"] == 1, found
    reason = found["failure_reasons"][0]
    assert (reason["verdict"], reason["reason"], reason["count"]) == ("lost", "opponent_failed", 1), reason
    code, out, err = run("often", 20)
    assert code == DEVICE and "5 measurements in a row were lost (opponent_failed" in err, (code, out, err)
    assert show("often")["proposals"] <= 5, "a model was asked although nothing could be judged"
    out = must("status", "once", "often")
    assert "failed  lost: opponent_failed" in out and "no room for a third call" in out, out


def answers_without_a_kernel():
    answers("I have no idea.\n")
    task(NUMPY)
    code, out, err = run("idle", 3)
    assert code == NOTHING_JUDGED and "nothing was judged: no_child" in err and ", 3 times" in err, (code, out, err)


def workers_below(process):
    """Ids of worker processes of ours below a process."""
    named = processes()
    return [pid for pid in descendants(process) if named.get(pid, ("",))[0] == "kernelevolve-wo"]


def killed_from_outside():
    """Every worker dies once the model was asked. That is not the kernel's fault and costs no evaluation."""
    answers(f"```cpp\n{KERNEL}```\n")
    task(NUMPY)
    ended = threading.Event()

    def kill():
        while not ended.is_set():
            if asked():
                for pid in workers_below(os.getpid()):
                    try:
                        os.kill(pid, signal.SIGKILL)
                    except ProcessLookupError:
                        pass
            time.sleep(0.002)

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        code, out, err = run("killed", 1)
    finally:
        ended.set()
        thread.join()
    # On a busy machine the screen may be over before its workers are found; then the verification is lost.
    assert "killed_from_outside" in out or "outside the judge killed the process" in out, (code, out, err)
    found = show("killed")
    assert (code == NOTHING_JUDGED) == (found["judged"] == 0) == (found["evaluations"] == 0), (code, found)


if __name__ == "__main__":
    need_of_debian("torch", "numpy")
    FOLDER = fresh_folder("endings")
    carry_out(opponent_that_cannot_run, opponent_whose_library_is_missing, opponent_that_fails_on_the_way,
              answers_without_a_kernel, killed_from_outside)
