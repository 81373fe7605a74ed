#!/usr/bin/env python3
"""Runs one strategy on the sphere for some seeds, unless OUT has the runs, and prints the mean of one figure.

    papers/map_elites_sphere/run.py STRATEGY ITERATIONS SEEDS [--figure norm_qd_score|coverage|max] [a.b=1 ...]
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys

STUDY = pathlib.Path(__file__).resolve().parent


def runs_of(arguments, folder):
    binary = os.environ["KERNELEVOLVE"]
    command = [binary, "run", STUDY / "configs" / f"{arguments.strategy}.yaml", "-o", folder, "-q",
               f"seed=[0..{arguments.seeds - 1}]", f"strategy.iterations={arguments.iterations}", *arguments.overrides]
    if not folder.exists():
        subprocess.run(list(map(str, command)), check=True, stdout=subprocess.DEVNULL)
    shown = subprocess.run([binary, "show", str(folder), "--json"], check=True, capture_output=True, text=True)
    return json.loads(shown.stdout)["runs"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("strategy")
    parser.add_argument("iterations", type=int)
    parser.add_argument("seeds", type=int)
    parser.add_argument("--figure", default="norm_qd_score", choices=["norm_qd_score", "coverage", "max"])
    parser.add_argument("overrides", nargs="*")
    arguments = parser.parse_args()
    name = "_".join([arguments.strategy, str(arguments.iterations), str(arguments.seeds), *arguments.overrides])
    runs = runs_of(arguments, pathlib.Path(os.environ["OUT"]) / name.replace("/", "-"))
    if len(runs) != arguments.seeds:
        sys.exit(f"{len(runs)} runs instead of {arguments.seeds}")
    values = [run[arguments.figure] for run in runs]
    spread = statistics.stdev(values) if len(values) > 1 else 0
    with open(pathlib.Path(os.environ["OUT"]) / "figures.csv", "a") as table:
        table.write(f"{arguments.strategy},{arguments.iterations},{arguments.seeds},{arguments.figure},"
                    f"{statistics.mean(values):.6g},{spread:.6g}\n")
    print(statistics.mean(values))


if __name__ == "__main__":
    main()
