#!/usr/bin/env python3
"""Searches again from what the recorded runs measured and were answered, with no model and no compiler. Prints how many runs
give another history than runs.tsv says; replayed.py --write notes their histories there."""
import csv
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
import study  # noqa: E402
import unpack  # noqa: E402


def main():
    folder = unpack.unpack()
    found = {path.name: json.loads(study.call("verify", "--replay", "--json", path))["history_hash"]
             for path in sorted(folder.glob("*.kev"))}
    table = HERE / "runs.tsv"
    if sys.argv[1:] == ["--write"]:
        with open(table, "w", encoding="utf-8", newline="") as file:
            csv.writer(file, delimiter="\t", lineterminator="\n").writerows([("run", "history"), *found.items()])
    with open(table, encoding="utf-8", newline="") as file:
        printed = {row["run"]: row["history"] for row in csv.DictReader(file, delimiter="\t")}
    assert printed.keys() == found.keys(), printed.keys() ^ found.keys()
    print(sum(found[run] != history for run, history in printed.items()))


if __name__ == "__main__":
    main()
