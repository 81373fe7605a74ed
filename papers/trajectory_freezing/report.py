#!/usr/bin/env python3
"""Writes the pairs and figures of the recorded run into OUT: pairs.csv, results.md."""

import csv
import os
import pathlib
import subprocess

import analyse

here = pathlib.Path(__file__).parent
out = pathlib.Path(os.environ["OUT"])
subprocess.run([here / "recorded.sh"], check=True)
run = out / "recorded" / "freezing.kev"
with open(out / "pairs.csv", "w", newline="", encoding="utf-8") as file:
    rows = csv.writer(file)
    rows.writerow(["channel", "parent", "told", "untold"])
    for channel in analyse.OPERATOR:
        rows.writerows([channel, name, *both] for name, both in analyse.pairs(run, channel).items())
lines = ["| channel | pairs | told | untold | effect, 95 % interval | p | |", "|---|---|---|---|---|---|---|"]
for channel in analyse.OPERATOR:
    f = analyse.figures(run, channel)
    lines.append(f"| {channel} | {f['pairs']} | {f['told']:.3f} | {f['untold']:.3f} | {f['effect']:+.3f} "
                 f"[{f['low']:+.3f}, {f['high']:+.3f}] | {f['p']:.3f} | {analyse.conclusion(f)} |")
(out / "results.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
