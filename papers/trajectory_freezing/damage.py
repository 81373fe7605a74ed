#!/usr/bin/env python3
"""Writes softmax/broken_*.cpp: each frozen parent with the one change that damage.tsv names, at its first place."""

import csv
import pathlib

here = pathlib.Path(__file__).parent
for row in csv.DictReader(open(here / "damage.tsv", encoding="utf-8"), delimiter="\t", quoting=csv.QUOTE_NONE):
    whole = (here / f"softmax/from_{row['kernel']}.cpp").read_text(encoding="utf-8")
    was, now = row["as it was"], row["as it is in broken_*"]
    if was not in whole:
        raise SystemExit(f"from_{row['kernel']}.cpp: no place reads {was!r}")
    (here / f"softmax/broken_{row['kernel']}.cpp").write_text(whole.replace(was, now, 1), encoding="utf-8")
