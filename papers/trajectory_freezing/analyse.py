#!/usr/bin/env python3
"""What being told more changes in one step, from the run file of configs/freezing.yaml.

    analyse.py RUN.kev                    a table
    analyse.py RUN.kev CHANNEL FIGURE     one number, for claims

CHANNEL: diagnostics (of broken kernels) or timing (of whole ones). Island 0 is told, island 1 is not; their children of
one step have the same parent. FIGURE:
  pairs                 parents with a child on both islands
  told, untold          mean of a child's worth on that island
  effect                mean of the pairs' differences of worth, told - untold
  low, high             95 % interval of the effect: percentiles of 20,000 bootstrap samples of the pairs
  p                     exact two-sided sign-flip test of the differences
A child's worth: of broken kernels 1 when it is judged ok, else 0; of whole ones ln(speedup over its parent), and 0 when
it is slower or no kernel, as one keeps the parent then.
"""

import itertools
import math
import pathlib
import random
import sqlite3
import sys

CHILDREN = """
SELECT origin.kernel_name, child.island, child.operator, coalesce(judged.verdict, ''), judged.objective, seed.objective
FROM candidate child
JOIN parent ON parent.candidate_id = child.id
JOIN candidate origin ON origin.id = parent.parent_id
JOIN evaluation seed ON seed.candidate_id = origin.id
LEFT JOIN evaluation judged ON judged.candidate_id = child.id
ORDER BY child.step, child.island
"""
OPERATOR = {"diagnostics": "llm_repair", "timing": "llm_mutation"}


def worth(channel, verdict, objective, parent):
    if verdict != "ok":
        return 0.0
    return 1.0 if channel == "diagnostics" else max(0.0, math.log(objective / parent))


def pairs(run, channel):
    """{parent: (told, untold)}, in the order of steps."""
    with sqlite3.connect(pathlib.Path(run).resolve().as_uri() + "?mode=ro&immutable=1", uri=True) as base:
        rows = base.execute(CHILDREN).fetchall()
    children = {}
    for name, island, operator, verdict, objective, parent in rows:
        if operator == OPERATOR[channel]:
            children.setdefault(name, {})[island] = worth(channel, verdict, objective, parent)
    return {name: (both[0], both[1]) for name, both in children.items() if len(both) == 2}


def mean(values):
    return sum(values) / len(values)


def bootstrap(differences, draws=20_000):
    chance = random.Random(1)
    means = sorted(mean(chance.choices(differences, k=len(differences))) for _ in range(draws))
    return means[int(0.025 * draws)], means[int(0.975 * draws) - 1]


def sign_flip(differences):
    """Share of all sign patterns whose sum is at least as far from 0."""
    moved = [d for d in differences if d != 0]
    seen = abs(sum(moved)) * (1 - 1e-12)
    patterns = itertools.product((-1, 1), repeat=len(moved))
    return mean([abs(sum(s * d for s, d in zip(signs, moved))) >= seen for signs in patterns])


def figures(run, channel):
    both = list(pairs(run, channel).values())
    if not both:
        raise SystemExit(f"{run}: no pairs of {OPERATOR[channel]}")
    differences = [told - untold for told, untold in both]
    low, high = bootstrap(differences)
    return {
        "pairs": len(both),
        "told": mean([told for told, _ in both]),
        "untold": mean([untold for _, untold in both]),
        "effect": mean(differences),
        "low": low,
        "high": high,
        "p": sign_flip(differences),
    }


def conclusion(figures):
    return "undecided" if figures["low"] <= 0 <= figures["high"] else "an effect"


def main(arguments):
    if len(arguments) == 3:
        print(figures(arguments[0], arguments[1])[arguments[2]])
        return
    (run,) = arguments
    for channel in OPERATOR:
        f = figures(run, channel)
        print(f"{channel}: {f['pairs']} pairs, told {f['told']:.3f}, untold {f['untold']:.3f}, "
              f"effect {f['effect']:+.3f} [{f['low']:+.3f}, {f['high']:+.3f}], p = {f['p']:.3f}: "
              + conclusion(f))


if __name__ == "__main__":
    main(sys.argv[1:])
