"""What the scripts of studies share: runs of a sweep in OUT, their comparison, tables and curves.

A sweep is papers/<study>/configs/<name>.yaml. Its runs lie in OUT/<study>.<name>[.<seeds>][.<tasks>]; a sweep that is
there is not run again.
"""
import csv
import json
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[1]


def out():
    return pathlib.Path(os.environ["OUT"])


def binary():
    return os.environ.get("KERNELEVOLVE", str(ROOT / "build/release/kernelevolve"))


def call(*arguments):
    done = subprocess.run([binary(), *map(str, arguments)], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout


def folder_of(study, sweep, seeds=None, tasks=None):
    """The folder of the sweep's runs, which are made unless they are there. seeds as '1..30', tasks as 'a,b'."""
    folder = out() / ".".join([study, sweep] + [part.replace("..", "-").replace(",", "+") for part in (seeds, tasks)
                                               if part])
    whole = folder / "whole"
    if not whole.exists():
        overrides = ([f"seeds={seeds}"] if seeds else []) + ([f"tasks=[{tasks}]"] if tasks else [])
        call("sweep", ROOT / "papers" / study / "configs" / f"{sweep}.yaml", *overrides, "-o", folder, "-q")
        whole.touch()
    return folder


def comparison_of(folder, overrides=()):
    """`compare --json` of the runs, kept beside them."""
    kept = folder / "-".join(["compare", *(text.replace("/", "_") for text in overrides)])
    if not kept.exists():
        kept.write_text(call("compare", folder, *overrides, "--json"))
    return json.loads(kept.read_text())


def curves_of(folder):
    """Rows of `compare --curves`: quartiles over seeds of the best objective, by task, arm and evaluations."""
    path = folder / "curves.csv"
    if not path.exists():
        call("compare", folder, "--curves", path)
    with open(path) as file:
        return [{key: value if key in ("task", "arm") else float(value) for key, value in row.items()}
                for row in csv.DictReader(file)]


def write_csv(path, rows):
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
