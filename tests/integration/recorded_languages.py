#!/usr/bin/env python3
# Times nothing: may run beside others.
"""Searches with a language model that ship with the project, in four languages and over KernelBench, replay to their printed
hashes, without the devices and compilers that made them."""
import csv
import gzip
import json
import pathlib
import re
import sys

sys.path.insert(0, sys.path[0] + "/../support")
from program import RECORDINGS, SOURCE, fresh_folder, unpack_recording, verify, write  # noqa: E402

ROW = re.compile(r"\| (\S+)\.gz \| (\S+) \|.*`([0-9a-f]{64})` \|")


def replays(name, printed):
    report = verify(name, "--replay")
    assert report["history_hash"] == printed, (name, report)


# The number of runs in a folder like papers/kernelbench.
def kernelbench(shipped):
    with open(shipped / "runs/histories.tsv", encoding="utf-8", newline="") as file:
        printed = {row["problem"]: row["history"] for row in csv.DictReader(file, delimiter="\t")}
    assert {f"{problem}.kev.gz" for problem in printed} == {path.name for path in (shipped / "runs").glob("*.gz")}, printed
    for problem, history in printed.items():
        run = pathlib.Path(f"{problem}.kev")
        run.write_bytes(gzip.decompress((shipped / f"runs/{problem}.kev.gz").read_bytes()))
        write({"index.json": json.dumps({"schema": "kernelevolve-index/1", "runs": [
            {"file": run.name, "task_folder": str(shipped / "tasks" / problem)}]})})
        replays(run.name, history)
    return len(printed)


def main():
    folder = fresh_folder("recorded_languages")
    rows = ROW.findall((RECORDINGS / "README.md").read_text())
    shipped = {path.name for path in (RECORDINGS / "languages").glob("*.gz")}
    assert {name + ".gz" for name, _, _ in rows} == shipped and len(rows) >= 11, (rows, shipped)
    for name, _, _ in rows:
        unpack_recording(f"languages/{name}", folder)
    index = [{"file": name, "task_folder": str(SOURCE / "configs/tasks" / task)} for name, task, _ in rows]
    write({"index.json": json.dumps({"schema": "kernelevolve-index/1", "runs": index})})
    for name, _, printed in rows:
        replays(name, printed)
    print(f"{len(rows) + sum(kernelbench(SOURCE / 'papers/kernelbench' / part) for part in ('', 'bfloat16'))} searches replay")


if __name__ == "__main__":
    main()
