#!/usr/bin/env python3
"""Random search as configured over exact random search without replacement, whose mean is known in closed form: a ratio
of scores (mean over 25, 50, 100, 200 and 400 evaluations of optimum / best time).

    papers/random_search.py CONFIG LANDSCAPE SEEDS
"""
import json
import sys

import study

config, landscape, seeds = sys.argv[1:]
scored = json.loads(study.call("landscape", "score", config, "islands.count=1", "strategy=random",
                               "operators={random_restart: 1, knob_step: 0, knob_crossover: 0}",
                               "--landscapes", landscape, "--seeds", seeds, "--json"))
total = scored["experiments"][0]["total"]
print(total["score"] / total["random"])
