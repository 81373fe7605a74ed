#!/usr/bin/env python3
"""Varies kernels for tests of the operator `command`: draws every knob and flag uniformly."""
import json
import random
import sys

for line in sys.stdin:
    vary = json.loads(line)["vary"]
    space = vary["parents"][0].get("space") if vary["parents"] else vary["seeds"][0]["space"]
    if not space or not space["knobs"]:
        print(json.dumps({"no_child": "nothing_to_vary"}), flush=True)
        continue
    draw = random.Random(vary["random"])
    knobs = {knob["name"]: draw.choice(knob["values"]) for knob in space["knobs"]}
    flags = [draw.choice(alternatives) for alternatives in space["flags"]]
    print(json.dumps({"kernel": {"knobs": knobs, "flags": flags}}), flush=True)
