#!/usr/bin/env python3
"""Prints one figure of one arm of a sweep, which is run unless OUT has it.

    papers/effect.py STUDY SWEEP ARM [--tier smoke|replay|full] [--figure FIGURE] [key=value ...]

FIGURE is `value` (the effect against the reference; key=value, as reference=island, explores another analysis; with
--kernels on those alone), `a12`, `p_adjusted`, `p_equivalence`; `chosen`, the number of kernels for which the other
kernels choose the arm; `gain`, the best objective after --to evaluations over that after --from, a geometric mean over
kernels of medians over seeds; or `expected`, the interval (two numbers) in which ten new seeds should find the value: 3.5 standard errors of prediction.
"""
import argparse
import math

import study

SEEDS, NEW_SEEDS, ERRORS = 30, 10, 3.5
STUDENT_95 = 2.045  # of 29 degrees of freedom


def gain(arguments):
    points = [row for row in study.curves_of(arguments.study, arguments.sweep, arguments.tier)
              if row["arm"] == arguments.arm]

    def best_at(task, limit):
        return max(row["best_median"] for row in points if row["task"] == task and row["evaluations"] <= limit)

    tasks = sorted({row["task"] for row in points})
    logs = [math.log(best_at(task, arguments.to) / best_at(task, arguments.start)) for task in tasks]
    return math.exp(sum(logs) / len(logs))


def expected(arguments):
    """From the spread over the study's seeds of the mean over kernels."""
    comparison = study.comparison_of(arguments.study, arguments.sweep, arguments.tier,
                                     ["unit=seed", *arguments.overrides])
    effect = study.contrast_of(comparison, arguments.arm)["effect"]
    low, high = effect["ci"]
    deviation = math.log(high / low) / 2 / STUDENT_95 * math.sqrt(SEEDS)
    reach = math.exp(ERRORS * deviation * math.sqrt(1 / SEEDS + 1 / NEW_SEEDS))
    return f"{effect['value'] / reach:.4f} {effect['value'] * reach:.4f}"


def value(arguments):
    comparison = study.comparison_of(arguments.study, arguments.sweep, arguments.tier, arguments.overrides)
    contrast = study.contrast_of(comparison, arguments.arm)
    if not arguments.kernels:
        return contrast["effect"]["value"]
    kernels = sorted(comparison["provenance"]["tasks"])  # units stand in order of their names
    gains = dict(zip(kernels, contrast["unit_values"], strict=True))
    some = [gains[kernel] for kernel in arguments.kernels.split(",")]
    return math.exp(sum(some) / len(some))


def figure_of(arguments):
    if arguments.figure == "gain":
        return gain(arguments)
    if arguments.figure == "expected":
        return expected(arguments)
    if arguments.figure == "value":
        return value(arguments)
    if arguments.figure == "chosen":
        choices = study.choices_of(arguments.study, arguments.sweep, arguments.tier)
        return sum(row["best_on_others"] == arguments.arm for row in choices)
    comparison = study.comparison_of(arguments.study, arguments.sweep, arguments.tier, arguments.overrides)
    return study.contrast_of(comparison, arguments.arm)[arguments.figure]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("study")
    parser.add_argument("sweep")
    parser.add_argument("arm")
    parser.add_argument("overrides", nargs="*")
    parser.add_argument("--tier", choices=study.TIERS, default="full")
    parser.add_argument("--figure", default="value",
                        choices=["value", "a12", "p_adjusted", "p_equivalence", "chosen", "gain", "expected"])
    parser.add_argument("--kernels", help="of `value`: names with commas; all if not given")
    parser.add_argument("--from", dest="start", type=int, default=10)
    parser.add_argument("--to", type=int, default=50)
    print(figure_of(parser.parse_intermixed_args()))


if __name__ == "__main__":
    main()
