#!/usr/bin/env python3
"""Draws runs as one SVG: the elites of the common archive by cell, and the best kernel over evaluations.

usage: experiments/draw_archive.py RUN.kev... -o picture.svg
Needs nothing beyond Python. Objectives are speedups as seen during the search, against the anchor.
"""
import argparse
import sqlite3
import sys
from xml.sax.saxutils import escape

PANEL_WIDTH, PANEL_HEIGHT, GAP = 300, 180, 70
# Five points of viridis [Smith2015], dark to light, readable without colour.
RAMP = [(68, 1, 84), (59, 82, 139), (33, 145, 140), (94, 201, 98), (253, 231, 37)]


def colour(share):
    place = min(max(share, 0.0), 1.0) * (len(RAMP) - 1)
    low = min(int(place), len(RAMP) - 2)
    mixed = [round(a + (b - a) * (place - low)) for a, b in zip(RAMP[low], RAMP[low + 1])]
    return "#%02x%02x%02x" % tuple(mixed)


def text(x, y, words, anchor="middle", size=11, turn=None):
    rotated = f' transform="rotate({turn} {x:.1f} {y:.1f})"' if turn else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}"{rotated}>{escape(words)}</text>'


def short(label):
    """'[0.1308, 0.342)' as '0.13-0.34'; other labels as they are."""
    ends = label.strip("[])").split(", ")
    return label if len(ends) != 2 else "–".join(f"{float(end):.2g}" for end in ends)


class Run:
    def __init__(self, path):
        database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        self.task = database.execute("SELECT task FROM run").fetchone()[0]
        bins = "SELECT label FROM axis_bin WHERE archive = 'passive' AND position = ? ORDER BY bin"
        names = "SELECT measure || ' (' || unit || ')' FROM axis WHERE archive = 'passive' ORDER BY position"
        self.names = [row[0] for row in database.execute(names)]
        self.bins = [[row[0] for row in database.execute(bins, (i,))] for i in range(len(self.names))]
        if len(self.names) != 2:
            sys.exit(f"draw_archive: {path}: {len(self.names)} axes; two can be drawn")
        self.cells = dict(database.execute("SELECT cell, objective FROM v_archive WHERE archive = 'passive'"))
        self.seen = [row[0] for row in database.execute(
            "SELECT objective FROM evaluation WHERE measured = 1 AND typeof(objective) = 'real' ORDER BY candidate_id")]


def heat_map(run, left, top, low, high):
    rows, columns = len(run.bins[0]), len(run.bins[1])
    width, height = PANEL_WIDTH / columns, PANEL_HEIGHT / rows
    for row in range(rows):
        for column in range(columns):
            x, y = left + column * width, top + (rows - 1 - row) * height
            value = run.cells.get(row * columns + column)
            fill = "#f2f2f2" if value is None else colour((value - low) / max(high - low, 1e-9))
            yield f'<rect x="{x:.1f}" y="{y:.1f}" width="{width - 2:.1f}" height="{height - 2:.1f}" fill="{fill}"/>'
            if value is not None:
                ink = "#000" if value > low + 0.6 * (high - low) else "#fff"
                yield f'<g fill="{ink}">{text(x + width / 2 - 1, y + height / 2 + 3, f"{value:.3g}")}</g>'
    for row, label in enumerate(run.bins[0]):
        yield text(left - 6, top + (rows - 0.5 - row) * height + 3, short(label), "end")
    for column, label in enumerate(run.bins[1]):
        if columns > 7 and column % 2:
            continue
        yield text(left + (column + 0.5) * width, top + PANEL_HEIGHT + 14, short(label), size=9)
    yield text(left + PANEL_WIDTH / 2, top + PANEL_HEIGHT + 30, run.names[1])
    yield text(left - 48, top + PANEL_HEIGHT / 2, run.names[0], turn=-90)


def curve(run, left, top):
    low, high = min(run.seen + [0.0]), max(run.seen + [1.0]) * 1.05
    place = lambda value: top + PANEL_HEIGHT * (high - value) / (high - low)
    best, points = low, []
    for i, value in enumerate(run.seen):
        x = left + PANEL_WIDTH * i / max(len(run.seen) - 1, 1)
        points.append((x, place(best)))
        best = max(best, value)
        points.append((x, place(best)))
        yield f'<circle cx="{x:.1f}" cy="{place(value):.1f}" r="1.6" fill="#9aa5b1"/>'
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points[1:])
    yield f'<polyline points="{line}" fill="none" stroke="{colour(0.25)}" stroke-width="2"/>'
    yield f'<path d="M{left} {top}V{top + PANEL_HEIGHT}H{left + PANEL_WIDTH}" fill="none" stroke="#000"/>'
    for share in (0, 0.25, 0.5, 0.75, 1):
        tick = low + share * (high - low)
        yield text(left - 6, place(tick) + 3, f"{tick:.3g}", "end")
    yield text(left + PANEL_WIDTH / 2, top + PANEL_HEIGHT + 30, f"{len(run.seen)} evaluations")


def draw(runs):
    width = 2 * PANEL_WIDTH + 2 * GAP + 40
    height = len(runs) * (PANEL_HEIGHT + GAP) + 10
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif">'
           f'<rect width="{width}" height="{height}" fill="#fff"/>')
    for i, run in enumerate(runs):
        top = 30 + i * (PANEL_HEIGHT + GAP)
        values = list(run.cells.values()) or [0.0]
        yield text(GAP, top - 10, f"{run.task}: elites of the common archive", "start", 13)
        yield from heat_map(run, GAP, top, min(values), max(values))
        yield text(2 * GAP + PANEL_WIDTH, top - 10, "every kernel, and the best so far", "start", 13)
        yield from curve(run, 2 * GAP + PANEL_WIDTH, top)
    yield "</svg>"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs", nargs="+", metavar="RUN.kev")
    parser.add_argument("-o", "--out", required=True)
    options = parser.parse_args()
    try:
        picture = "\n".join(draw([Run(path) for path in options.runs])) + "\n"
        with open(options.out, "w", encoding="utf-8") as file:
            file.write(picture)
    except (sqlite3.Error, OSError) as error:
        sys.exit(f"draw_archive: {' '.join(options.runs)}: {error}")


if __name__ == "__main__":
    main()
