"""Figures that show single runs."""
import matplotlib
from matplotlib.collections import PolyCollection
import numpy

import style
from panels import band, column, grouped, legend, panels

NUMBER_WIDTH = 0.25  # inches that a cell needs for its number
LABEL_WIDTH = 0.3  # inches that a bin needs for its label
MOST_SQUARES = 2500  # larger grids become one image
MOST_POLYGONS = 3000  # more centroids become dots


def clipped(polygon, normal, offset):
    """Part of a convex polygon with normal . p <= offset."""
    kept = []
    sides = polygon @ normal - offset
    for i, point in enumerate(polygon):
        before = i - 1
        if sides[i] * sides[before] < 0:
            share = sides[before] / (sides[before] - sides[i])
            kept.append(polygon[before] + share * (point - polygon[before]))
        if sides[i] <= 0:
            kept.append(point)
    return numpy.array(kept)


def voronoi(points):
    """Cell of each point in the unit square, clipped by the bisectors to its neighbours, nearest
    first."""
    cells = []
    for point in points:
        cell = numpy.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
        distances = numpy.hypot(*(points - point).T)
        for other in numpy.argsort(distances, kind="stable")[1:]:
            if distances[other] > 2 * numpy.hypot(*(cell - point).T).max():
                break
            if distances[other] > 0:
                normal = points[other] - point
                cell = clipped(cell, normal, normal @ (points[other] + point) / 2)
        cells.append(cell)
    return cells


def draw_centroids(axes, rows, norm, colours, room):
    points = numpy.array([column(rows, "x"), column(rows, "y")]).T
    face = [colours(norm(float(row["objective"]))) if row["objective"] else style.EMPTY for row in rows]
    if len(points) <= MOST_POLYGONS:
        axes.add_collection(PolyCollection(voronoi(points), facecolors=face, edgecolors="white", linewidths=0.3))
    else:
        axes.scatter(*points.T, s=1, c=face)
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1)


def draw_grid(axes, rows, norm, colours, room):
    """Draws rows upwards and columns to the right; empty cells get the neutral colour. `room`:
    width in inches."""
    height, width = (1 + max(int(row[name]) for row in rows) for name in ("row", "column"))
    face = numpy.full((height, width, 4), matplotlib.colors.to_rgba(style.EMPTY))
    filled = [row for row in rows if row["objective"]]
    for row in filled:
        face[int(row["row"]), int(row["column"])] = colours(norm(float(row["objective"])))
    if width * height > MOST_SQUARES:
        axes.pcolorfast([-0.5, width - 0.5], [-0.5, height - 0.5], face)
    else:
        squares = [[(x - .5, y - .5), (x + .5, y - .5), (x + .5, y + .5), (x - .5, y + .5)]
                   for y in range(height) for x in range(width)]
        axes.add_collection(
            PolyCollection(squares, facecolors=face.reshape(-1, 4), edgecolors="white", linewidths=0.5))
    axes.set_xlim(-0.5, width - 0.5)
    axes.set_ylim(-0.5, height - 0.5)
    if room / width >= NUMBER_WIDTH:
        digits = 3 if room / width >= 1.2 * NUMBER_WIDTH else 2
        for row in filled:
            value = float(row["objective"])
            axes.text(int(row["column"]), int(row["row"]), f"{value:.{digits}g}", ha="center", va="center", fontsize=5.5,
                      color="black" if norm(value) > 0.6 else "white")
    for axis, place, count, most in ((axes.xaxis, "column", width, int(room / LABEL_WIDTH)), (axes.yaxis, "row", height, 8)):
        labels = {int(row[place]): style.short(row[f"{place}_bin"]) for row in rows}
        at = range(0, count, -(-count // most))
        axis.set_ticks(at, [labels[i] for i in at])
    axes.tick_params(axis="x", rotation=35)


def archive(rows, entry, arms):
    groups = grouped(rows, "task", "arm", "seed")
    figure, axes = panels(len(groups), height=2.4)
    colours = matplotlib.colormaps["viridis"]
    room = 0.6 * figure.get_figwidth() / min(3, len(groups))  # less labels and colour bar
    for panel, ((task, arm, seed), own) in zip(axes, groups.items()):
        # Objectives of two tasks are not comparable: each task has its own scale, shared by its
        # arms.
        values = [float(row["objective"]) for row in rows if row["task"] == task and row["objective"]]
        norm = matplotlib.colors.Normalize(min(values, default=0), max(values, default=1))
        (draw_centroids if own[0]["x"] else draw_grid)(panel, own, norm, colours, room)
        panel.set_title(style.title(task, arm, seed))
        panel.set_xlabel(style.shown(own[0]["column_axis"]))
        panel.set_ylabel(style.shown(own[0]["row_axis"]))
        figure.colorbar(matplotlib.cm.ScalarMappable(norm, colours), ax=panel, label="objective", aspect=30)
    return figure


def diversity(rows, entry, arms):
    """One panel per figure and task: coverage, QD score, entropy and, if sources differ, their
    distance."""
    figures = [("coverage", "coverage"), ("qd", "QD score"), ("entropy", "entropy of visits")]
    if any(float(row["code_q75"] or 0) > 0 for row in rows):
        figures.append(("code", "distance of sources"))
    tasks = grouped(rows, "task")
    figure, axes = panels(len(figures) * len(tasks), height=2.0, columns=len(figures))
    for line, ((task,), own) in enumerate(tasks.items()):
        for panel, (name, label) in zip(axes[len(figures) * line:], figures):
            for arm, points in arms.in_order(own):
                band(panel, points, "evaluations", f"{name}_q25", f"{name}_median", f"{name}_q75", arms.line(arm))
            panel.set_title(style.shown(task))
            panel.set_xlabel(entry["x_label"])
            panel.set_ylabel(label)
    legend(figure, axes[0])
    return figure


def lineage(rows, entry, arms):
    groups = grouped(rows, "task", "arm", "seed")
    figure, axes = panels(len(groups), height=2.4)
    operators = list(dict.fromkeys(row["operator"] for row in rows))
    for panel, ((task, arm, seed), own) in zip(axes, groups.items()):
        places = {row["candidate"]: (int(row["step"]), float(row["objective"])) for row in own if row["objective"]}
        for row in own:
            if row["candidate"] in places and row["parent"] in places:
                (x0, y0), (x1, y1) = places[row["parent"]], places[row["candidate"]]
                panel.plot([x0, x1], [y0, y1], color="#999999", linewidth=0.6, zorder=1,
                           linestyle="-" if row["role"] == "parent" else ":")
        for i, operator in enumerate(operators):
            points = [places[row["candidate"]] for row in own
                      if row["operator"] == operator and row["candidate"] in places]
            panel.scatter(*zip(*points or [(numpy.nan, numpy.nan)]), s=9, zorder=2, label=style.shown(operator) or "seed",
                          color=style.COLOURS[i % len(style.COLOURS)])
        panel.set_title(style.title(task, arm, seed))
        panel.set_xlabel(entry["x_label"])
    axes[0].set_ylabel(entry["y_label"])
    legend(figure, axes[0])
    return figure


def failures(rows, entry, arms):
    """One bar per arm: shares of its proposals that each check stopped, and the rest."""
    tasks = grouped(rows, "task")
    count = max(len(grouped(own, "arm")) for own in tasks.values())
    figure, axes = panels(len(tasks), height=1.2 + 0.25 * count)
    for panel, ((task,), own) in zip(axes, tasks.items()):
        bars = dict(arms.in_order(own))
        for place, stages in enumerate(bars.values()):
            proposals = max(1, int(stages[0]["candidates_left"]))
            left = int(stages[-1]["candidates_left"]) / proposals
            panel.barh(place, left, color=style.COLOURS[2], label="measured" if place == 0 else None)
            for i, row in enumerate(stages[1:]):
                lost = int(row["candidates_lost"]) / proposals
                colour = (style.COLOURS[:2] + style.COLOURS[3:])[i % 7]
                panel.barh(place, lost, left=left, color=colour, label=f"stopped by: {row['stage']}" if place == 0 else None)
                left += lost
        panel.set_yticks(range(len(bars)), [style.shown(arm) for arm in bars])
        panel.invert_yaxis()
        panel.set_title(style.shown(task))
        panel.set_xlabel(entry["x_label"])
    legend(figure, axes[0])
    return figure
