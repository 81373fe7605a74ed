#!/usr/bin/env python3
"""Judges every kernel of this folder on a GPU and fails when a verdict is none of those that the manifest allows.

Exit code 77, with the reason printed, on a machine without a GPU.
"""
import argparse
import concurrent.futures
import json
import pathlib
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
TASK = HERE.parents[2] / "configs/tasks/recsys/rmsnorm"


def without_gpu(binary):
    found = json.loads(subprocess.run([binary, "doctor", "--json"], capture_output=True, text=True).stdout)
    missing = [one for one in found["findings"] if one["what"].startswith("cuda") and not one["ok"]]
    return missing[0]["detail"] if missing else ""


def verdict_of(binary, kernel):
    command = [binary, "eval", str(TASK), str(kernel), "--against", "naive", "--json"]
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=120)
        return json.loads(run.stdout)
    except subprocess.TimeoutExpired:
        return {"verdict": "none", "reason": "no answer", "message": "in 120 s"}
    except json.JSONDecodeError:
        return {"verdict": "none", "reason": f"exit code {run.returncode}", "message": run.stderr.strip()[-100:]}


def whole(name):
    """The kernel as one source, because kernels of a search cannot include the project's files."""
    source = (HERE / f"{name}.cu").read_text()
    return source.replace('#include "honest.cuh"\n', (HERE / "honest.cuh").read_text())


def judged(binary, name):
    begin = time.monotonic()
    with tempfile.NamedTemporaryFile("w", prefix=f"{name}-", suffix=".cu") as kernel:
        kernel.write(whole(name))
        kernel.flush()
        return verdict_of(binary, pathlib.Path(kernel.name)), time.monotonic() - begin


def judged_rows(binary, rows, jobs):
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        yield from zip(rows, pool.map(lambda row: judged(binary, row[0]), rows))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("binary")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--jobs", type=int, default=1, help="kernels at a time; more disturb their timing")
    options = parser.parse_intermixed_args()
    if reason := without_gpu(options.binary):
        print(f"skipped: {reason}")
        return 77
    rows = [line.split("\t") for line in (HERE / "MANIFEST.tsv").read_text().splitlines()[1:]]
    rows = [row for row in rows if not options.names or row[0] in options.names]
    groups = [[row for row in rows if (row[2] == "alone") == alone] for alone in (False, True)]
    failed = 0
    for group, jobs in zip(groups, (options.jobs, 1)):
        for (name, allowed, _), (said, seconds) in judged_rows(options.binary, group, jobs):
            right = said["verdict"] in allowed.split()
            failed += not right
            print(f"{'ok  ' if right else 'FAIL'} {name}: {said['verdict']} {said.get('reason')} ({seconds:.1f} s) "
                  f"{str(said.get('message'))[:110]}", flush=True)
    print(f"{failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
