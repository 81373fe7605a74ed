#!/usr/bin/env python3
"""The example kernel of every language (core/languages) is right, or compiles if this machine
cannot run it, also for a task without kernels, as those of modules are."""
# Times nothing: may run beside others.
# Runs with the Python of build/dsls.

import json
import pathlib
import re
import sys

sys.path.insert(0, sys.path[0] + "/../support")
from program import DEVICE, SOURCE, call, write  # noqa: E402

TASKS = SOURCE / "tests/golden/tasks"
# language, task, further words; the program itself reports what the machine lacks
JUDGED = [("cpp", "row_sums_cpp", []), ("opencl", "row_sums_opencl", []),
          ("riscv", "row_sums_cpp", ["device=riscv"])]
COMPILED = [("cuda", "row_sums_cuda", []), ("hip", "row_sums_cuda", []), ("triton", "row_sums_cuda", []),
            ("cute", "row_sums_cuda", [])]


def example_of(language):
    text = (SOURCE / f"core/languages/{language}.md").read_text()
    head, _, rest = text.partition("\n---\n")
    name = next(line.split(":")[1].strip() for line in head.splitlines() if line.startswith("example:"))
    write({name: rest.rpartition("\n---\n")[2].lstrip("\n")}, language)
    return pathlib.Path(language, name)


def without_kernels(task):
    """The folder of a copy of the task that names no kernels."""
    folder = pathlib.Path(f"no_kernels_{task}").resolve()
    text = (TASKS / task / "task.yaml").read_text()
    reference = TASKS / task / re.search(r"(?m)^reference: (.*)$", text)[1]
    text = re.sub(r"(?m)^reference: .*$", "reference: reference.cpp", text)
    write({"reference.cpp": reference.read_text(), "task.yaml": re.sub(r"(?m)^kernels: .*$", "language: cuda", text)}, folder)
    return folder


def verdict_of(language, task, words, only):
    code, out, err = call("eval", TASKS / task, example_of(language), *words, "--only", only, "--json")
    if code == DEVICE:
        return "skipped: " + err.strip()
    assert code == 0, (language, out, err)
    return json.loads(out)["verdict"]


def anchors_are_the_examples():
    for language, file in (("cpp", "row_sums_cpp/anchor.cpp"), ("cuda", "row_sums_cuda/anchor.cu"),
                           ("opencl", "row_sums_opencl/anchor.cl"), ("hip", "row_sums_cuda/anchor.hip"),
                           ("triton", "row_sums_cuda/anchor.py"), ("cute", "row_sums_cuda/anchor_cute.py")):
        assert example_of(language).read_text().strip() == (TASKS / file).read_text().strip(), language


anchors_are_the_examples()
found = {language: verdict_of(language, task, words, only)
         for only, rows in (("correctness", JUDGED), ("compile", COMPILED)) for language, task, words in rows}
for language, verdict in found.items():
    print(language, verdict)
    assert verdict == "ok" or verdict.startswith("skipped"), (language, verdict)
assert found["cpp"] == "ok"
for language in ("cuda", "triton", "cute"):
    verdict = verdict_of(language, without_kernels("row_sums_cuda"), [], "compile")
    print(language, "for a task without kernels:", verdict)
    assert verdict == found[language], (language, verdict)
