"""Figures that show single runs."""
import matplotlib
from matplotlib.collections import PolyCollection
from matplotlib.ticker import MaxNLocator
import numpy

import style
from panels import MOST_BANDS, band, column, grouped, legend, pages, panels, y_label

NUMBER_WIDTH = 0.27  # inches that a cell needs for its number
LABEL_WIDTH = 0.36  # and that a bin needs for its label
MOST_SQUARES = 2500  # beyond, a grid is one image
MOST_POLYGONS = 3000  # beyond, centroids are dots
ARCHIVE_HEIGHT = 2.5  # inches of a panel


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


def number(value, digits):
    """With so many digits, or one fewer where zeros behind the point take room."""
    text = f"{value:.{digits}g}"
    return text if len(text) <= digits + 2 else f"{value:.{digits - 1}g}"


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
        digits = 3 if room / width >= 1.3 * NUMBER_WIDTH else 2
        for row in filled:
            value = float(row["objective"])
            axes.text(int(row["column"]), int(row["row"]), number(value, digits), ha="center", va="center", fontsize=style.SMALLEST,
                      color="black" if norm(value) > 0.6 else "white")
    for axis, place, count, most in ((axes.xaxis, "column", width, int(room / LABEL_WIDTH)), (axes.yaxis, "row", height, 8)):
        labels = {int(row[place]): style.short(row[f"{place}_bin"]) for row in rows}
        at = range(0, count, -(-count // most))
        axis.set_ticks(at, [labels[i] for i in at])
    axes.tick_params(axis="x", rotation=35)


def archive(rows, entry, arms):
    """Pages of panels. Objectives of two tasks have no common scale: colours go from the lowest to the highest of a task,
    the same for its arms, and one bar explains them all."""
    values = {}
    for row in rows:
        if row["objective"]:
            values.setdefault(row["task"], []).append(float(row["objective"]))
    norms = {task: matplotlib.colors.Normalize(min(own), max(own)) for task, own in values.items()}
    groups = arms.by_task(grouped(rows, "task", "arm", "seed"))
    return (archive_page(page, norms, entry, arms) for page in pages(groups, ARCHIVE_HEIGHT))


def archive_page(groups, norms, entry, arms):
    figure, axes = panels(len(groups), ARCHIVE_HEIGHT)
    colours = matplotlib.colormaps["viridis"]
    room = 0.5 * figure.get_figwidth() / min(3, len(groups))  # less labels and colour bar
    for panel, ((task, arm, seed), own) in zip(axes, groups):
        norm = norms.get(task, matplotlib.colors.Normalize(0, 1))
        (draw_centroids if own[0]["x"] else draw_grid)(panel, own, norm, colours, room)
        panel.set_title(style.title(task, arms.label(arm), seed))
        panel.set_xlabel(style.shown(own[0]["column_axis"]))
        panel.set_ylabel(style.shown(own[0]["row_axis"]))
    shared = next(iter(norms.values())) if len(norms) == 1 else matplotlib.colors.Normalize(0, 1)
    bar = figure.colorbar(matplotlib.cm.ScalarMappable(shared, colours), ax=axes, label=entry["y_label"], aspect=40, pad=0.01)
    if len(norms) != 1:
        bar.set_ticks([0, 1], labels=["lowest of\nthe task", "highest of\nthe task"])
    return figure


DIVERSITY = [("coverage", "coverage"), ("qd", "QD score"), ("entropy", "entropy of visits")]


def diversity(rows, entry, arms):
    """One panel per figure and task: coverage, QD score, entropy and, if sources differ, their
    distance."""
    sources = any(float(row["code_q75"] or 0) > 0 for row in rows)
    figures = DIVERSITY + ([("code", "distance of sources")] if sources else [])
    groups, height = arms.by_task(grouped(rows, "task")), 2.0
    labels = [arms.label(arm) for arm, _ in arms.in_order(rows)]
    return (diversity_page(page, figures, height, len(labels) <= MOST_BANDS, entry, arms)
            for page in pages(groups, height, labels, columns=1))


def diversity_page(tasks, figures, height, shaded, entry, arms):
    figure, axes = panels(len(figures) * len(tasks), height, columns=len(figures))
    for line, ((task,), own) in enumerate(tasks):
        for panel, (name, label) in zip(axes[len(figures) * line:], figures):
            for arm, points in arms.in_order(own):
                band(panel, points, "evaluations", f"{name}_q25", f"{name}_median", f"{name}_q75", arms.line(arm), shaded)
            panel.set_title(style.wrapped(style.shown(task), style.LONGEST_TITLE))
            panel.set_xlabel(entry["x_label"])
            panel.set_ylabel(label)
    legend(figure, axes)
    return figure


def lineage(rows, entry, arms):
    groups, height = arms.by_task(grouped(rows, "task", "arm", "seed")), 2.4
    operators = list(dict.fromkeys(row["operator"] for row in rows))
    return (lineage_page(page, height, operators, entry, arms) for page in pages(groups, height, map(style.shown, operators)))


def lineage_page(groups, height, operators, entry, arms):
    figure, axes = panels(len(groups), height)
    for panel, ((task, arm, seed), own) in zip(axes, groups):
        places = {row["candidate"]: (int(row["step"]), float(row["objective"])) for row in own if row["objective"]}
        for row in own:
            if row["candidate"] in places and row["parent"] in places:
                (x0, y0), (x1, y1) = places[row["parent"]], places[row["candidate"]]
                panel.plot([x0, x1], [y0, y1], color="#999999", linewidth=0.6, zorder=1,
                           linestyle="-" if row["role"] == "parent" else ":")
        for i, operator in enumerate(operators):
            points = [places[row["candidate"]] for row in own
                      if row["operator"] == operator and row["candidate"] in places]
            if not points:
                continue
            panel.scatter(*zip(*points), s=9, zorder=2, label=style.shown(operator) or "seed",
                          color=style.COLOURS[i % len(style.COLOURS)])
        panel.set_title(style.title(task, arms.label(arm), seed))
        panel.set_xlabel(entry["x_label"])
        panel.xaxis.set_major_locator(MaxNLocator(5, integer=True))
    y_label(figure, entry["y_label"])
    legend(figure, axes)
    return figure


LOST = {"gave a kernel": "no kernel given", "is new": "not new", "builds": "does not build", "runs": "does not run",
        "is right": "wrong", "is measured": "not measured"}


def failures(rows, entry, arms):
    """One bar an arm: shares of its proposals that were measured, and of those that each check stopped. Names of arms
    stand at the left alone: bars of one line are of the same arms."""
    names = [arm for arm, _ in arms.in_order(rows)]
    labels = [style.wrapped(arms.label(arm), 20) for arm in names]
    height = 0.75 + sum(0.06 + 0.125 * (1 + label.count("\n")) for label in labels)
    groups = arms.by_task(grouped(rows, "task"))
    return (failures_page(page, names, labels, height, entry) for page in pages(groups, height, LOST.values()))


def failures_page(tasks, names, labels, height, entry):
    figure, axes = panels(len(tasks), height)
    colours = [colour for i, colour in enumerate(style.COLOURS) if i != 2]  # that is the colour of the measured
    for at, (panel, ((task,), own)) in enumerate(zip(axes, tasks)):
        for (arm,), stages in grouped(own, "arm").items():
            place = names.index(arm)
            proposals = max(1, int(stages[0]["candidates_left"]))
            left = int(stages[-1]["candidates_left"]) / proposals
            panel.barh(place, left, color=style.COLOURS[2], label="measured")
            for row in stages[1:]:
                lost = int(row["candidates_lost"]) / proposals
                if lost > 0:
                    panel.barh(place, lost, left=left, color=colours[(int(row["position"]) - 1) % len(colours)],
                               label=LOST.get(row["stage"], style.shown(row["stage"])))
                left += lost
        panel.set_yticks(range(len(names)), labels if at % 3 == 0 else [""] * len(names))
        panel.set_ylim(len(names) - 0.5, -0.5)
        panel.set_title(style.wrapped(style.shown(task), style.LONGEST_TITLE))
        panel.set_xlabel(entry["x_label"])
    legend(figure, axes)
    return figure
