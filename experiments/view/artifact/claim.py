#!/usr/bin/env python3
"""Prints one number for a claim about the recorded runs of this package; 0 is what is expected.

    claim.py changed            files that are missing or have another SHA-256 than SHA256SUMS says
    claim.py hashes FOLDER      runs whose rows give another history or record than they say
    claim.py replayed FOLDER    runs whose search takes another course when it is run again from its recorded facts
    claim.py figures FOLDER     tables of figures and comparisons that come out otherwise than in expected/FOLDER
    claim.py again FOLDER       runs made again whose history differs; where measurements or a model decide, arms on tasks
                                whose best objectives, with their intervals, lie outside the range of the recorded ones

FOLDER is one of runs/. KERNELEVOLVE names the binary, OUT the folder for what is made.
"""
import collections
import hashlib
import itertools
import math
import os
import pathlib
import sqlite3
import subprocess
import sys

import configs

ROOT = pathlib.Path(__file__).resolve().parent


def out(*parts):
    folder = pathlib.Path(os.environ["OUT"]).joinpath(*parts)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def call(*words):
    return subprocess.run([os.environ["KERNELEVOLVE"], *map(str, words)], cwd=ROOT, capture_output=True, text=True)


def run_files(folder):
    return sorted(pathlib.Path(folder).rglob("*.kev"))


def changed():
    lines = [line.split("  ", 1) for line in (ROOT / "SHA256SUMS").read_text().splitlines()]
    same = lambda name, digest: (ROOT / name).is_file() and hashlib.sha256((ROOT / name).read_bytes()).hexdigest() == digest
    return sum(not same(name, digest) for digest, name in lines)


def not_verified(folder, *options, facts_alone=False):
    """`facts_alone`: runs without recorded facts are passed over."""
    bad = 0
    for path in run_files(ROOT / "runs" / folder):
        if facts_alone and not configs.read_run(path).has_facts:
            continue
        done = call("verify", path.relative_to(ROOT), *options)
        bad += done.returncode != 0
        print(done.stdout + done.stderr, end="", file=sys.stderr if done.returncode else open(os.devnull, "w"))
    return bad


def make_tables(folder):
    """Writes all tables of plot and compare into OUT/FOLDER, with drawings if matplotlib is
    present."""
    runs, made = f"runs/{folder}", out(folder)
    plotted = call("plot", runs, "-o", made, "--format", "svg")
    compared = call("compare", runs, "--csv", made / "compare.csv", "--latex", made / "compare.tex")
    # Exit code 2: plot without matplotlib (its tables are there), and compare of runs with one arm
    # only.
    if plotted.returncode not in (0, 1, 2) or compared.returncode not in (0, 2):
        sys.exit(plotted.stderr + compared.stderr)
    return made


def same_field(a, b):
    """Compares numbers to nine digits: later ones depend on the machine's mathematical
    functions."""
    try:
        return a == b or math.isclose(float(a), float(b), rel_tol=1e-9)
    except ValueError:
        return False


def same_table(path, other):
    if not path.exists() or not other.exists():
        return False
    rows, others = ([line.split(",") for line in one.read_text().splitlines()] for one in (path, other))
    return [len(row) for row in rows] == [len(row) for row in others] and all(
        map(same_field, itertools.chain(*rows), itertools.chain(*others)))


def figures(folder):
    made, expected = make_tables(folder), ROOT / "expected" / folder
    names = {path.name for place in (made, expected) if place.exists() for path in place.glob("*.csv")}
    return sum(not same_table(made / name, expected / name) for name in names)


def best_interval(path):
    """Bounds of the best objective as the search saw it."""
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as run:
        return run.execute("SELECT coalesce(ci_low, objective), coalesce(ci_high, objective) FROM v_best LIMIT 1").fetchone()


def ranges(folder):
    """{(arm, task): (lowest, highest bound over the seeds)}"""
    intervals = collections.defaultdict(list)
    for path in run_files(folder):
        intervals[path.name.split(".")[0], configs.read_run(path).task].append(best_interval(path) or (0, 0))
    return {key: (min(low for low, _ in some), max(high for _, high in some)) for key, some in intervals.items()}


def apart(recorded, made):
    return made is None or made[0] > recorded[1] or made[1] < recorded[0]


def make_again(folder, runs):
    target = out("again") / folder
    for path, own in configs.groups_of(runs, ROOT / "configs" / folder).items():
        for run in own:
            done = call("run", path.relative_to(ROOT), f"seed={run.seed}", *configs.task_words(ROOT / "runs" / folder, run),
                        "-o", target, "-q")
            print(done.stderr, end="", file=sys.stderr)
    return target


def again(folder):
    runs = [configs.read_run(path) for path in run_files(ROOT / "runs" / folder)]
    target = make_again(folder, runs)
    if any(run.noisy or run.models for run in runs):
        made = ranges(target)
        return sum(apart(recorded, made.get(key)) for key, recorded in ranges(ROOT / "runs" / folder).items())
    key = lambda run: (run.config_id, run.task, run.seed, run.history_hash)
    made = {key(configs.read_run(path)) for path in run_files(target)}
    return sum(key(run) not in made for run in runs)


CLAIMS = {"changed": changed, "hashes": not_verified, "replayed": lambda folder: not_verified(folder, "--replay", facts_alone=True),
          "figures": figures, "again": again}

if __name__ == "__main__":
    print(CLAIMS[sys.argv[1]](*sys.argv[2:]))
