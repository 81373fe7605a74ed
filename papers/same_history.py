#!/usr/bin/env python3
"""Runs one experiment twice and prints 1 when the two histories differ, else 0.

    papers/same_history.py CONFIG LANDSCAPE SEED
"""
import json
import pathlib
import sys
import tempfile

import study

config, landscape, seed = sys.argv[1:]


def history(folder):
    study.call("run", config, f"task={landscape}", f"device.files=[{landscape}]", f"seed={seed}", "-o", folder, "-q")
    return json.loads(study.call("status", folder, "--json"))["runs"][0]["history_hash"]


with tempfile.TemporaryDirectory() as scratch:
    first, second = (history(pathlib.Path(scratch) / name) for name in ("first", "second"))
    print(0 if first == second else 1)
