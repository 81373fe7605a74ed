"""`python3 -m PACKAGE` measures the operators of the package, and keeps their compiled part in it."""

import argparse
import dataclasses
import importlib
import json
import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parent


def options():
    parser = argparse.ArgumentParser(prog=f"python3 -m {FOLDER.name}", description=__doc__)
    parser.add_argument("--json", action="store_true", help="write one JSON document instead of a table")
    parser.add_argument("--readme", action="store_true", help="add the measurement to README.md")
    return parser.parse_args()


def run(chosen):
    package = importlib.import_module(FOLDER.name)
    part = {name: importlib.import_module(f"{FOLDER.name}.{name}") for name in ("benchmarks", "compiled")}
    part["compiled"].keep()
    import torch
    if any(one.device == "cuda" for one in package._operators.values()) and not torch.cuda.is_available():
        raise ImportError("PyTorch finds no CUDA device")
    rows = [row for one in package._operators.values() for row in part["benchmarks"].measured(one)]
    table, pays = part["benchmarks"].table(rows), part["benchmarks"].pays_text(rows)
    if chosen.readme:
        with open(FOLDER / "README.md", "a", encoding="utf-8") as file:
            file.write(f"\n## Measured in PyTorch {torch.__version__}\n\n{pays}\n\n```\n{table}\n```\n")
    if chosen.json:
        return json.dumps([{**dataclasses.asdict(row), "overhead_us": row.overhead_us} for row in rows])
    return f"{table}\n{pays}"


def main():
    chosen = options()
    if not __package__:  # python3 FOLDER
        sys.path[0] = str(FOLDER.parent)
    try:
        print(run(chosen))
    except ImportError as error:
        print("[]" if chosen.json else f"operators are not measured: {error}")


main()
