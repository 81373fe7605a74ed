#!/usr/bin/env python3
"""Sums ctest's JUnit files into one line, 'N passed, N failed, N skipped'; exit code 1 on a failure.

usage: sum_results.py [--broken N] FILE...      --broken: steps that failed before any test could run

Skipped tests are named first, then failed ones with the end of their output.
"""
import argparse
import sys
import xml.etree.ElementTree as xml

LAST_LINES = 25


def outcome(case):
    """passed, failed or skipped; a test that could not be started is a failure."""
    status = case.get("status")
    if status == "run":
        return "passed"
    note = case.find("skipped")
    message = "" if note is None else note.get("message", "")
    if status == "disabled" or (status == "notrun" and message.startswith("SKIP_")):
        return "skipped"
    return "failed"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--broken", type=int, default=0)
    parser.add_argument("files", nargs="*")
    arguments = parser.parse_args()
    counts = {"passed": 0, "failed": arguments.broken, "skipped": 0}
    told = {"skipped": [], "failed": []}
    for name in arguments.files:
        for case in xml.parse(name).getroot().iter("testcase"):
            kind = outcome(case)
            counts[kind] += 1
            if kind == "passed":
                continue
            told[kind].append(f"{kind}: {name}: {case.get('name')}")
            if kind == "failed":
                output = case.findtext("system-out") or ""
                told[kind] += [f"    {line}" for line in output.rstrip().splitlines()[-LAST_LINES:]]
    for line in told["skipped"] + told["failed"]:
        print(line, file=sys.stderr)
    if sum(counts.values()) == 0:
        counts["failed"] = 1
    print(", ".join(f"{count} {name}" for name, count in counts.items()))
    return 1 if counts["failed"] else 0


sys.exit(main())
