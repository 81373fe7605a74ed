#!/usr/bin/env python3
"""Writes table.md and figure.svg of the study from OUT/figures.csv, whatever the tier: our means beside pyribs'."""
import csv
import os
import pathlib

REFERENCE = {("map_elites_gaussian", 100): (13.30, 0.33), ("map_elites_line", 100): (21.71, 0.40),
             ("cma_me", 100): (19.84, 1.87), ("cma_mae", 100): (20.65, 1.04),
             ("map_elites_gaussian", 1000): (28.77, 0.36), ("map_elites_line", 1000): (40.11, 0.30),
             ("cma_me", 1000): (41.21, 0.53), ("cma_mae", 1000): (50.26, 0.52)}
WIDTH, BAR, LEFT = 640, 14, 210


def rows(out):
    with open(out / "figures.csv") as table:
        found = {(row[0], int(row[1])): row for row in csv.reader(table) if row[3] == "norm_qd_score"}
    return [(key, int(row[2]), float(row[4]), float(row[5]), *REFERENCE[key])
            for key, row in sorted(found.items(), key=lambda item: (item[0][1], item[0][0])) if key in REFERENCE]


def table_of(found):
    lines = ["| strategy | iterations | seeds | normalised QD | deviation | pyribs 0.10 | deviation |",
             "|---|---|---|---|---|---|---|"]
    lines += [f"| {key[0]} | {key[1]} | {seeds} | {mean:.2f} | {spread:.2f} | {reference:.2f} | {deviation:.2f} |"
              for key, seeds, mean, spread, reference, deviation in found]
    return "\n".join(lines) + "\n"


def figure_of(found):
    scale = (WIDTH - LEFT - 60) / 60
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{30 + 40 * len(found)}" '
             'font-family="sans-serif" font-size="12">',
             '<text x="10" y="18">normalised QD score: dark ours, light pyribs 0.10</text>']
    for i, (key, _, mean, _, reference, _) in enumerate(found):
        top = 30 + 40 * i
        parts.append(f'<text x="10" y="{top + 18}">{key[0]}, {key[1]}</text>')
        for y, value, colour in ((top, mean, "#1f4e79"), (top + BAR, reference, "#9dc3e6")):
            parts.append(f'<rect x="{LEFT}" y="{y}" width="{value * scale:.1f}" height="{BAR - 2}" fill="{colour}"/>')
            parts.append(f'<text x="{LEFT + value * scale + 4:.1f}" y="{y + 11}">{value:.2f}</text>')
    return "\n".join(parts + ["</svg>"]) + "\n"


def main():
    out = pathlib.Path(os.environ["OUT"])
    found = rows(out)
    (out / "table.md").write_text(table_of(found))
    (out / "figure.svg").write_text(figure_of(found))
    print(table_of(found))


if __name__ == "__main__":
    main()
