#!/usr/bin/env python3
"""Judges every kernel of this folder on a GPU and fails when a verdict is none of those that the manifest allows.

Exit code 77, with the reason printed, on a machine without a GPU."""
import argparse
import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
# Another task of the same function, such as an imported module at larger shapes, has a signature that gives x, weight, y,
# rows and cols in this order under any names, which stand in the kernels' plans then.
TASK = HERE.parents[2] / "configs/tasks/recsys/rmsnorm"


def without_gpu(binary):
    found = json.loads(subprocess.run([binary, "doctor", "--json"], capture_output=True, text=True).stdout)
    return next((one["detail"] for one in found["findings"] if one["what"].startswith("cuda") and not one["ok"]), "")


def verdict_of(options, kernel):
    command = [options.binary, "eval", str(options.task), str(kernel), "--json"]
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=300)
        return json.loads(run.stdout)
    except subprocess.TimeoutExpired:
        return {"verdict": "none", "reason": "no answer", "message": "in 300 s"}
    except json.JSONDecodeError:
        return {"verdict": "none", "reason": f"exit code {run.returncode}", "message": run.stderr.strip()[-100:]}


# The kernel as one source, because kernels of a search cannot include the project's files.
def whole(name, task):
    signature = re.search(r"(?m)^signature: \[(.*)\]$", (task / "task.yaml").read_text())[1].split(", ")
    names, source = dict(zip(("x", "weight", "y", "rows", "cols"), signature, strict=True)), (HERE / f"{name}.cu").read_text()
    source = re.sub(r"(?m)^// @.*$", lambda line: re.sub(r"\w+", lambda word: names.get(word[0], word[0]), line[0]), source)
    return source.replace('#include "honest.cuh"\n', (HERE / "honest.cuh").read_text())


def judged(options, name):
    begin = time.monotonic()
    with tempfile.NamedTemporaryFile("w", prefix=f"{name}-", suffix=".cu") as kernel:
        kernel.write(whole(name, options.task))
        kernel.flush()
        return verdict_of(options, pathlib.Path(kernel.name)), time.monotonic() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("binary")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--jobs", type=int, default=1, help="kernels at a time; more disturb their timing")
    parser.add_argument("--task", type=pathlib.Path, default=TASK, help="folder of another task of the same function")
    options = parser.parse_intermixed_args()
    if reason := without_gpu(options.binary):
        print(f"skipped: {reason}")
        return 77
    rows = [line.split("\t") for line in (HERE / "MANIFEST.tsv").read_text().splitlines()[1:]]
    chosen = options.names or [row[0] for row in rows]
    groups = [[row for row in rows if row[0] in chosen and (row[2] == "alone") == alone] for alone in (False, True)]
    failed = 0
    for group, jobs in zip(groups, (options.jobs, 1)):
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            for (name, allowed, _), (said, seconds) in zip(group, pool.map(lambda row: judged(options, row[0]), group)):
                right = said["verdict"] in allowed.split()
                failed += not right
                print(f"{'ok  ' if right else 'FAIL'} {name}: {said['verdict']} {said.get('reason')} ({seconds:.1f} s) "
                      f"{str(said.get('message'))[:110]}", flush=True)
    print(f"{failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
