#!/usr/bin/env python3
"""Judges the claims of a study.

    papers/check_claims.py papers/<study> smoke|replay|full [--keep FOLDER]
    papers/check_claims.py papers/<study> predictions [--keep FOLDER]
    papers/check_claims.py papers/<study> hash

claims.yaml holds one block for each claim, in the subset of YAML that `key: value` lines are. The hash in it is that of
all the claims' decisive lines, so that an interval which was moved after the data shows. Each claim names its tiers; its
command runs in the repository root with KERNELEVOLVE (the binary) and OUT (a folder of the study's results) set, and
prints one number on its last line. PASS when the number lies in the interval, else FAIL; the exit code says whether all
passed.

predictions*.yaml, of the same form, hold what was expected before the data. They are never changed, so that what was
expected in vain stands there too: HELD or REFUTED, and either is a result, not a failure.
"""
import argparse
import hashlib
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
DECISIVE = ("id", "claim", "command", "low", "high", "tiers")
REQUIRED = DECISIVE + ("minutes",)


def unquoted(text):
    text = text.strip()
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' else text


def read_claims(path):
    """(header, claims): `key: value` lines, then a list `claims:` of maps; comments and blank lines between."""
    header, claims, target = {}, [], None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        body = line.strip()
        if not body or body.startswith("#"):
            continue
        if body == "claims:":
            target = claims
            continue
        if target is not None and body.startswith("- "):
            claims.append({})
            body = body[2:]
        key, colon, value = body.partition(":")
        if not colon or not key.replace("_", "").isalnum():
            sys.exit(f"{path}:{number}: not a 'key: value' line")
        (claims[-1] if claims else header)[key.strip()] = unquoted(value)
    for claim in claims:
        missing = [key for key in REQUIRED if key not in claim]
        if missing:
            sys.exit(f"{path}: claim {claim.get('id', '?')} lacks {', '.join(missing)}")
    return header, claims


def digest(claims):
    lines = [f"{key}={claim[key]}\n" for claim in claims for key in DECISIVE]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def measure(claim, out):
    environment = dict(os.environ, OUT=str(out))
    environment.setdefault("KERNELEVOLVE", str(ROOT / "build/release/kernelevolve"))
    done = subprocess.run(claim["command"], shell=True, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)
    lines = done.stdout.strip().splitlines()
    if done.returncode != 0 or not lines:
        return None, f"the command ended with {done.returncode}"
    try:
        return float(lines[-1]), ""
    except ValueError:
        return None, f"no number on the last line: {lines[-1]}"


def judge(claim, out, words):
    """True or False as the claim passes, with that one of the two words; None when there is no figure."""
    value, why = measure(claim, out)
    low, high = float(claim["low"]), float(claim["high"])
    passed = None if value is None else low <= value <= high
    shown = why if value is None else f"{value:.4g} {'' if passed else 'not '}in [{low:g}, {high:g}]"
    word = "FAIL" if passed is None else words[0] if passed else words[1]
    print(f"{word} {claim['id']}: {claim['claim']}: {shown}", flush=True)
    return passed


def judge_file(path, tier, out):
    """Whether the hash is right and all claims of the tier pass; of predictions, whether all could be judged."""
    header, claims = read_claims(path)
    known = header.get("hash") == digest(claims)
    if not known:
        print(f"FAIL hash: {path.name} says {header.get('hash')}, its claims give {digest(claims)}")
    out.mkdir(parents=True, exist_ok=True)
    predicted = tier == "predictions"
    words = ("HELD", "REFUTED") if predicted else ("PASS", "FAIL")
    results = [judge(claim, out, words) for claim in claims if predicted or tier in claim["tiers"].split()]
    if predicted:
        print(f"{results.count(True)} of {len(results)} predictions held, {results.count(False)} were refuted")
        return known and None not in results
    print(f"{results.count(True)} of {len(results)} claims of tier {tier} passed")
    return known and bool(results) and all(results)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("study", type=pathlib.Path)
    parser.add_argument("tier", choices=["smoke", "replay", "full", "predictions", "hash"])
    parser.add_argument("--keep", type=pathlib.Path, help="folder for runs and results")
    arguments = parser.parse_args()
    if arguments.tier == "hash":
        print(digest(read_claims(arguments.study / "claims.yaml")[1]))
        return 0
    pattern = "predictions*.yaml" if arguments.tier == "predictions" else "claims.yaml"
    with tempfile.TemporaryDirectory() as scratch:
        out = (arguments.keep or pathlib.Path(scratch)).resolve()
        files = sorted(arguments.study.glob(pattern)) or sys.exit(f"{arguments.study}: holds no {pattern}")
        return 0 if all([judge_file(path, arguments.tier, out) for path in files]) else 1


if __name__ == "__main__":
    sys.exit(main())
