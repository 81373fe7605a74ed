#!/usr/bin/env python3
"""Writes claims.yaml of a study of sweeps: papers/write_claims.py STUDY DATE.

Runs the study (tier full) unless OUT has it. One claim a contrast: the interval in which ten new seeds should find the
effect, `effect.py --figure expected`. Claims of another kind that claims.yaml holds are kept.
"""
import subprocess
import sys

import check_claims
import study

MEASURED = "--tier replay"
HEAD = """# Claims with '{measured}' are what the study found, as papers/write_claims.py writes it: see papers/README.md.
study: {name}
kind: {kind}
date: {date}
hash: {hash}
claims:
"""


def measured_claim(name, sweep, contrast, reference):
    arm = contrast["arm"]
    command = f"papers/effect.py {name} {sweep} {arm}"
    low, high = subprocess.run(f"{command} --figure expected", shell=True, cwd=study.ROOT, check=True, text=True,
                               stdout=subprocess.PIPE).stdout.split()
    return {"id": f"{sweep}_{arm}", "claim": f"{sweep}: {arm} over {reference}, ratio of areas under the curve, new seeds",
            "command": f"{command} {MEASURED}", "low": low, "high": high, "tiers": "replay full", "minutes": "0.2"}


def text_of(claim):
    quoted = ("claim", "command", "tiers")
    lines = [f'{key}: "{value}"' if key in quoted else f"{key}: {value}" for key, value in claim.items()]
    return "  - " + "\n    ".join(lines) + "\n"


def main():
    name, date = sys.argv[1:]
    path = study.ROOT / "papers" / name / "claims.yaml"
    header, claims = check_claims.read_claims(path)
    claims = [claim for claim in claims if MEASURED not in claim["command"]]
    for sweep in study.sweeps_of(name):
        comparison = study.comparison_of(name, sweep, "full")
        claims += [measured_claim(name, sweep, contrast, comparison["analysis"]["reference"])
                   for contrast in comparison["contrasts"]]
    head = HEAD.format(measured=MEASURED, name=name, kind=header["kind"], date=date, hash=check_claims.digest(claims))
    path.write_text(head + "".join(map(text_of, claims)))
    print(f"{path}: {len(claims)} claims")


if __name__ == "__main__":
    main()
