#!/usr/bin/env python3
"""Expected values of numeric quality-diversity problems and archives, written independently of the C++ code.

    tests/golden/make_numeric.py > tests/golden/numeric.json

Formulas as published: linear projection (Fontaine 2020), planar arm (Cully 2017), batch addition with the highest
objective of a cell winning and the first of equals, soft thresholds of a batch (Fontaine 2023 as pyribs batches it).
"""
import json
import math
import random


def clip(x):
    return x if abs(x) <= 5.12 else 5.12 / x


def linear_projection(cost):
    def evaluate(x):
        n = len(x)
        worst = sum(cost(-5.12) for _ in x)
        objective = 100 * (1 - sum(map(cost, x)) / worst)
        return objective, [sum(map(clip, x[:n // 2])), sum(map(clip, x[n // 2:]))]
    return evaluate


def sphere_cost(x):
    return (x - 2.048) ** 2


def rastrigin_cost(x):
    z = x - 2.048
    return z * z - 10 * math.cos(2 * math.pi * z) + 10


def arm(angles):
    mean = sum(angles) / len(angles)
    joints = [sum(angles[:i + 1]) for i in range(len(angles))]
    return (-sum((a - mean) ** 2 for a in angles) / len(angles),
            [sum(map(math.cos, joints)), sum(map(math.sin, joints))])


def problems(draw):
    table = {"sphere": (linear_projection(sphere_cost), 4), "rastrigin": (linear_projection(rastrigin_cost), 4),
             "arm": (arm, math.pi)}
    cases = []
    for name, (evaluate, size) in table.items():
        for n in (2, 5, 12, 20):
            x = [draw.uniform(-size, size) * (1.6 if name != "arm" else 1) for _ in range(n)]
            objective, measures = evaluate(x)
            cases.append({"problem": name, "x": x, "objective": objective, "measures": measures})
    return cases


def cell_of(measures, axes):
    cell = 0
    for m, (low, high, bins) in zip(measures, axes):
        index = math.floor((m - low) / (high - low) * bins)
        cell = cell * bins + min(max(index, 0), bins - 1)
    return cell


def add(elites, thresholds, soft, batch, axes):
    """One batch: [(solution, objective, measures)] -> [(cell, status, gain)]; 0 rejected, 1 improved, 2 new."""
    answers, accepted = [], {}
    for solution, objective, measures in batch:
        cell = cell_of(measures, axes)
        new = cell not in elites
        if soft:
            threshold = thresholds.get(cell, soft[1])
            taken = objective > threshold
        else:
            threshold = 0 if new else elites[cell][1]
            taken = new or objective > threshold
        answers.append([cell, (2 if new else 1) if taken else 0, objective - threshold])
        if taken:
            accepted.setdefault(cell, []).append((solution, objective, measures))
    for cell, entries in accepted.items():
        best = max(entry[1] for entry in entries)
        elites[cell] = next(entry for entry in entries if entry[1] == best)
        if soft:
            kept = (1 - soft[0]) ** len(entries)
            mean = sum(entry[1] for entry in entries) / len(entries)
            thresholds[cell] = kept * thresholds.get(cell, soft[1]) + (1 - kept) * mean
    return answers


def archives(draw):
    axes = [(-1.0, 1.0, 4), (0.0, 3.0, 3)]
    cases = []
    for soft in (None, (0.25, 0.5), (1.0, 0.0)):
        elites, thresholds, batches = {}, {}, []
        for number in range(6):
            batch = []
            for row in range(24):
                # Few distinct objectives and bin borders among the measures, so that ties and edges are common.
                measures = [draw.choice([-1.5, -1, -0.5, 0, 0.25, 0.5, 0.999, 1, 1.25]),
                            draw.choice([-0.1, 0, 0.5, 1, 1.5, 2, 2.75, 3, 3.5])]
                batch.append(([100.0 * number + row], draw.randint(0, 4 + number) / 2, measures))
            answers = add(elites, thresholds, soft, batch, axes)
            batches.append({"solutions": [b[0] for b in batch], "objectives": [b[1] for b in batch],
                            "measures": [b[2] for b in batch], "answers": answers})
        cases.append({"soft": soft, "batches": batches,
                      "elites": [[cell, e[1], e[0][0]] for cell, e in sorted(elites.items())]})
    return {"axes": axes, "cases": cases}


def main():
    draw = random.Random(20260101)
    print(json.dumps({"problems": problems(draw), "archive": archives(draw)}))


if __name__ == "__main__":
    main()
