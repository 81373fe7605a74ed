"""The verbs. Options are those that the program documents; the program itself starts these."""
import argparse
import json
import os
import sys
import tempfile

from .runs import RunError, open as open_runs
from .text import csv_text

DONE, NEGATIVE, USAGE, STORE = 0, 1, 2, 7


def write(path, text):
    """Atomically, unless it is no plain file, such as /dev/stdout."""
    if os.path.exists(path) and not os.path.isfile(path):
        with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(text)
        return
    try:
        with tempfile.NamedTemporaryFile("w", dir=os.path.dirname(path) or ".", prefix=".", delete=False, encoding="utf-8",
                                         errors="surrogateescape") as file:
            file.write(text)
        os.chmod(file.name, 0o666 & ~umask())
        os.replace(file.name, path)
    except OSError as error:
        raise RunError(f"{path}: cannot be written: {error.strerror}", STORE) from error


def umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


def code_for(runs, code=DONE):
    """The exit code; RunError if some of the files could not be read."""
    if runs.unreadable:
        raise RunError("\n".join(runs.unreadable), STORE)
    return code


def split(verb, words):
    """(paths, key=value overrides); what exists is a path. RunError without a path."""
    overrides = [word for word in words if "=" in word and not os.path.exists(word)]
    paths = [word for word in words if word not in overrides]
    if not paths:
        raise RunError(f"{verb}: name a folder or run files")
    return paths, overrides


def print_json(document):
    print(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False))


def tell(given, document, text):
    """Prints the document or, without --json, what text() answers."""
    if given.json:
        print_json(document)
    else:
        print(text(), end="")


def compare(given):
    """Says what the runs of a sweep show."""
    from .compare import compare as compare_runs, curves
    paths, overrides = split("compare", given.words)
    runs = open_runs(paths)
    comparison = compare_runs(runs, *overrides, carry_forward=given.carry_forward, power=given.power, repeats=given.repeats)
    for path, make in ((given.csv, comparison.csv), (given.latex, comparison.latex), (given.latex_tasks, comparison.latex_tasks)):
        if path:
            write(path, make())
    if given.curves:
        table = curves(comparison.runs, given.against)
        write(given.curves, csv_text(table.columns, table.itertuples(index=False)))
    tell(given, comparison.document, comparison.text)
    return code_for(runs)


def words_of(text):
    return [word.strip() for word in text.split(",") if word.strip()]


def plot(given):
    """Draws the figures of a paper from runs."""
    from . import figures
    paths, overrides = split("plot", given.words)
    formats = words_of(given.format)
    runs = open_runs(paths)
    manifest, why = figures.write(runs, given.out, *overrides, figures=words_of(given.figure), formats=formats, against=given.against)
    if manifest["warning"]:
        print(f"warning: {manifest['warning']}", file=sys.stderr)
    forms = ",".join(["csv", *([] if why else formats)])
    lines = [f"{given.out}/{figure['name']}.{{{forms}}}" for figure in manifest["figures"]]
    lines += [f"no {one['name']}: {one['why']}" for one in manifest["skipped"]] + [f"left out: {line}" for line in manifest["missing"]]
    tell(given, manifest, lambda: "".join(line + "\n" for line in lines))
    if why:
        raise RunError(why)
    return code_for(runs, DONE if manifest["figures"] else NEGATIVE)


def axes(given):
    """Says which measures make good axes."""
    from . import axes as measured
    runs = open_runs(given.words)
    found = measured.axes(runs, json.loads(given.known))
    tell(given, found, lambda: measured.text(found))
    return code_for(runs)


def arms(given):
    """What the page of a report shows of several runs."""
    from .compare import compare as compare_runs
    runs = open_runs(given.words)
    document = {"arms": runs.arms, "of": dict(zip(runs.runs.file, runs.runs.arm)), "comparison": None, "why_not": ""}
    try:
        comparison = compare_runs(runs)
        document["comparison"], missing = comparison.document, comparison.runs.missing
    except RunError as error:
        document["why_not"], missing = str(error), runs.missing
    document["missing"] = [f"{file}: {why}" for file, why in missing.items()]
    print_json(document)
    return DONE


def plan(given):
    """How many units a sweep needs, by the scatter of earlier runs and the analysis that it declares."""
    from . import report
    from .compare import compare as compare_runs, plan_power
    comparison = compare_runs(given.words, *given.analysis.splitlines(), carry_forward=True)
    found = plan_power(comparison.analysis, comparison.document["contrasts"], given.units)
    print_json({"plan": found, "text": report.power_text(found, comparison.analysis)})
    return DONE


def landscape_score(given):
    """Reads what the runs reached from standard input."""
    from . import landscapes
    document = landscapes.score(json.load(sys.stdin))
    tell(given, document, lambda: landscapes.text(document))
    return DONE


def mlflow(given):
    """Writes runs for MLflow."""
    from . import mlflow_store
    runs = open_runs(given.words)
    if runs.missing:
        raise RunError("; ".join(f"{file}: {why}" for file, why in runs.missing.items()), STORE)
    mlflow_store.write(runs, given.out)
    print(f"{given.out}: {len(runs)} run{'' if len(runs) == 1 else 's'}; MLFLOW_ALLOW_FILE_STORE=true mlflow ui --backend-store-uri {given.out}")
    return DONE


VERBS = {
    "compare": (compare, [("--csv", {"metavar": "FILE"}), ("--latex", {"metavar": "FILE"}), ("--latex-tasks", {"metavar": "FILE"}),
                          ("--curves", {"metavar": "FILE"}), ("--against", {"default": "evaluations"}), ("--power", {"action": "store_true"}),
                          ("--repeats", {"action": "store_true"}), ("--carry-forward", {"action": "store_true"})]),
    "plot": (plot, [("--out", {"default": "figures"}), ("--figure", {"default": ""}), ("--format", {"default": "svg,pdf,png"}),
                    ("--against", {"default": "evaluations"})]),
    "axes": (axes, [("--known", {"default": "{}"})]),
    "arms": (arms, []),
    "plan": (plan, [("--analysis", {"default": ""}), ("--units", {"type": int, "default": 0})]),
    "landscape-score": (landscape_score, []),
    "mlflow": (mlflow, [("--out", {"required": True})])}
LETTERS = {"--out": ["-o"], "--figure": ["-f"]}


def run(arguments):
    """The exit code of a call."""
    sys.stdout.reconfigure(errors="surrogateescape")
    sys.stderr.reconfigure(errors="surrogateescape")
    if not arguments or arguments[0] not in VERBS:
        print(f"usage: python3 -m kernelevolve {' | '.join(VERBS)} ...", file=sys.stderr)
        return USAGE
    function, options = VERBS[arguments[0]]
    parser = argparse.ArgumentParser(prog=f"kernelevolve {arguments[0]}", description=function.__doc__)
    for name, how in options:
        parser.add_argument(name, *LETTERS.get(name, []), **how)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("words", nargs="*")
    given = parser.parse_intermixed_args(arguments[1:])
    try:
        return function(given)
    except RunError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.code
    except BrokenPipeError:
        return DONE
