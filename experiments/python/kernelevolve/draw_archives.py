"""Draws archives: grids, centroids, and more axes as parallel lines."""
import math

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import PolyCollection
from matplotlib.ticker import MaxNLocator

from . import archives, style
from .runs import objective_label

MOST_SQUARES, MOST_POLYGONS = 2500, 3000
NUMBER_WIDTH, LABEL_WIDTH, HEIGHT = 0.27, 0.36, 2.3  # inches of a number, of a label, of a panel


def pages(runs, frame, archive, show, limits, cmap, names):
    shapes = {(runs.runs.task[run], runs.runs.arm[run]): archives.shape_of(runs, run, archive) for run, _ in archives.median_runs(runs)}
    tasks = [task for (task,), _ in names.by_task({(task,): 0 for task in frame.task.unique()})]
    present = [arm for arm in names.names if (frame.arm == arm).any()]
    wide, lines = 3, max(1, int(style.TALLEST / HEIGHT))
    for left in range(0, len(present), wide):
        for top in range(0, len(tasks), lines):
            yield page(frame, shapes, tasks[top:top + lines], present[left:left + wide], show, limits, cmap, names, objective_label(runs))


def page(frame, shapes, tasks, arms, show, limits, cmap, names, objective):
    width = style.COLUMN if len(arms) == 1 else style.PAGE
    figure, panels = plt.subplots(len(tasks), len(arms), figsize=(width, HEIGHT * len(tasks) + 0.2), squeeze=False)
    for line, task in zip(panels, tasks):
        values = frame[frame.task == task][show].dropna()
        values = values[values > 0] if show in ("visits", "share") else values
        low, high = limits or ((0, 1) if show == "share" else (values.min(), values.max()) if len(values) else (0, 1))
        norm = matplotlib.colors.Normalize(low, high) if high > low else matplotlib.colors.Normalize(low - 1, low + 1)
        for panel, arm in zip(line, arms):
            own = frame[(frame.task == task) & (frame.arm == arm)]
            if not len(own):
                panel.set_axis_off()
                continue
            draw_panel(panel, own, shapes[task, arm], show, norm, matplotlib.colormaps[cmap], 0.62 * width / len(arms))
            panel.set_title(title_of(own, names, show, width / len(arms)))
        label = objective if show == "objective" else archives.SHOWN[show]
        bar = figure.colorbar(matplotlib.cm.ScalarMappable(norm, cmap), ax=list(line), aspect=18, pad=0.02)
        bar.set_label(style.wrapped(label, 26))
        bar.locator = MaxNLocator(5)
        bar.update_ticks()
        if not high > low:  # one value: no other number stands for anything
            bar.set_ticks([low], labels=style.readable([low]))
    return figure


def title_of(own, names, show, width):
    first, which = own.iloc[0], f"all {own.seeds.iloc[0]} seeds"
    if show not in ("share", "mean"):
        which = f"seed\u00a0{first.seed}" + (f", median\u00a0of\u00a0{first.seeds}" if first.seeds > 1 else "")
    empty = "" if own.objective.notna().any() else f", 0 of {len(own)} cells"
    return style.wrapped(f"{style.shown(first.task)}, {names.label(first.arm)}, {which}{empty}", max(20, int(11 * width)))


def draw_panel(axes, own, shape, show, norm, colours, room):
    if len(shape.axes) > (3 if shape.centroids is None else 2):
        draw_parallel(axes, own, shape, show, norm, colours)
    elif shape.centroids is None:
        draw_grid(axes, own, shape, show, norm, colours, room)
    else:
        draw_centroids(axes, own, shape, show, norm, colours)


def face_of(own, show, norm, colours):
    shown = own[show].where(own[show] > 0) if show in ("visits", "share") else own[show]
    return shown, [style.EMPTY if math.isnan(value) else colours(norm(value)) for value in shown.astype(float)]


def text_colour(face):
    red, green, blue = face[:3]
    return "black" if 0.3 * red + 0.59 * green + 0.11 * blue > 0.5 else "white"


def short(value, digits):
    """With so many digits, or one fewer where zeros behind the point take room."""
    text = f"{value:.{digits}g}"
    return text if len(text) <= digits + 2 else f"{value:.{digits - 1}g}"


def draw_grid(axes, own, shape, show, norm, colours, room):
    """Rows upwards and columns to the right; empty cells get the neutral colour. Numbers stand in cells that have room."""
    shown, face = face_of(own, show, norm, colours)
    columns = len(shape.axes[-1].labels)
    height = shape.cells // columns
    if shape.cells > MOST_SQUARES:
        axes.pcolorfast([-.5, columns - .5], [-.5, height - .5], np.array([matplotlib.colors.to_rgba(one) for one in face]).reshape(height, columns, 4))
    else:
        squares = [[(x - .5, y - .5), (x + .5, y - .5), (x + .5, y + .5), (x - .5, y + .5)] for y, x in zip(own.row, own.column)]
        axes.add_collection(PolyCollection(squares, facecolors=face, edgecolors="white", linewidths=0.5))
        if room / columns >= NUMBER_WIDTH and height <= 10:
            for x, y, value, colour in zip(own.column, own.row, shown, face):
                if not math.isnan(value):
                    axes.text(x, y, short(value, 3 if room / columns >= 1.3 * NUMBER_WIDTH else 2), ha="center", va="center",
                              fontsize=style.SMALLEST, color=text_colour(colour))
    axes.set_xlim(-.5, columns - .5)
    axes.set_ylim(-.5, height - .5)
    label_axis(axes.xaxis, shape.axes[-1], columns, room)
    axes.tick_params(axis="x", rotation=35)
    axes.set_xlabel(style.wrapped(style.shown(shape.axes[-1].name), 30))
    rows = shape.axes[:-1]
    if not rows:
        axes.set_yticks([])
    elif len(rows) == 1:
        label_axis(axes.yaxis, rows[0], height, 1.6)
        axes.set_ylabel(style.wrapped(style.shown(rows[0].name), 22))
    else:
        nested_rows(axes, rows, height)


def label_axis(axis, shape, count, room):
    """Edges at the borders of bins; names of categories at their middle."""
    step = -(-count // max(1, int(room / LABEL_WIDTH)))
    if shape.edges is None:
        axis.set_ticks(range(0, count, step), [style.shown(label) for label in shape.labels[::step]])
    else:
        texts = style.readable(shape.edges)
        at = range(0, count + 1, step)
        axis.set_ticks([i - .5 for i in at], [texts[i] for i in at])


def nested_rows(axes, rows, height):
    """The inner of two axes along each block of rows, the outer one by blocks, divided by lines."""
    outer, inner = rows
    block = len(inner.labels)
    texts = style.readable(inner.edges) if inner.edges else None
    ranges = [f"{low}–{high}" if float(low) >= 0 else f"{low} to {high}" for low, high in zip(texts, texts[1:])] if texts else [style.shown(label) for label in inner.labels]
    step = -(-height // 14)
    axes.set_yticks(range(0, height, step), [ranges[i % block] for i in range(0, height, step)])
    bounds = style.readable(outer.edges) if outer.edges else None
    second = axes.secondary_yaxis("right")
    second.spines["right"].set_visible(False)
    second.tick_params(length=0)
    second.set_yticks([block * (i + .5) - .5 for i in range(len(outer.labels))],
                      [f"{bounds[i]}–{bounds[i + 1]}" if bounds else style.shown(outer.labels[i]) for i in range(len(outer.labels))])
    second.set_ylabel(style.wrapped(style.shown(outer.name), 24))
    axes.set_ylabel(style.wrapped(style.shown(inner.name), 24))
    for i in range(1, len(outer.labels)):
        axes.axhline(block * i - .5, color="black", linewidth=0.8)


def clipped_polygon(polygon, normal, offset):
    """Part of a convex polygon with normal . p <= offset."""
    kept, sides = [], polygon @ normal - offset
    for i, point in enumerate(polygon):
        before = i - 1
        if sides[i] * sides[before] < 0:
            kept.append(polygon[before] + sides[before] / (sides[before] - sides[i]) * (point - polygon[before]))
        if sides[i] <= 0:
            kept.append(point)
    return np.array(kept)


def voronoi(points):
    """Cell of each point in the unit square, clipped by the bisectors to its neighbours, nearest first."""
    found = []
    for point in points:
        cell = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
        distances = np.hypot(*(points - point).T)
        for other in np.argsort(distances, kind="stable")[1:]:
            if distances[other] > 2 * np.hypot(*(cell - point).T).max():
                break
            if distances[other] > 0:
                normal = points[other] - point
                cell = clipped_polygon(cell, normal, normal @ (points[other] + point) / 2)
        found.append(cell)
    return found


def draw_centroids(axes, own, shape, show, norm, colours):
    """Cells around their centroids: the last measure to the right and the first one upwards, as in a grid; distances are those of
    the archive, so a logarithmic measure is drawn on a logarithmic axis."""
    _, face = face_of(own, show, norm, colours)
    points = np.column_stack([own.x.astype(float), own.y.astype(float)])
    if len(points) <= MOST_POLYGONS:
        axes.add_collection(PolyCollection(voronoi(points), facecolors=face, edgecolors="white", linewidths=0.3))
    else:
        axes.scatter(*points.T, s=1, c=face)
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1)
    unit_ticks(axes.xaxis, shape.axes[-1])
    axes.set_xlabel(style.shown(shape.axes[-1].name))
    if len(shape.axes) > 1:
        unit_ticks(axes.yaxis, shape.axes[0])
        axes.set_ylabel(style.shown(shape.axes[0].name))
    else:
        axes.set_yticks([])


def unit_ticks(axis, shape):
    """Values of the measure along [0, 1]."""
    if shape.edges is not None:
        at = [i / 4 for i in range(5)]
        axis.set_ticks(at, style.readable([round(value, 10) for value in map(shape.value_at, at)]))


def draw_parallel(axes, own, shape, show, norm, colours):
    """One line a filled cell, through its place on each axis; the best are on top."""
    shown, face = face_of(own, show, norm, colours)
    count = len(shape.axes)
    for i in np.argsort(shown.fillna(-np.inf).to_numpy(), kind="stable"):
        if math.isnan(shown.iloc[i]):
            continue
        cell = int(own.cell.iloc[i])
        at = shape.centroids[cell] if shape.centroids is not None else [
            (place + .5) / len(axis.labels) for axis, place in zip(shape.axes, shape.bins(cell))]
        axes.plot(range(count), at, color=face[i], linewidth=0.9)
    axes.set_xticks(range(count), [style.wrapped(style.shown(axis.name), 12) for axis in shape.axes])
    axes.tick_params(axis="x", rotation=25)
    axes.set_yticks([])
    axes.set_xlim(-.3, count - .7)
    axes.set_ylim(-.12, 1.12)
    for i, axis in enumerate(shape.axes):
        axes.axvline(i, color="#999999", linewidth=0.5)
        ends = style.readable([axis.edges[0], axis.edges[-1]]) if axis.edges else [style.shown(axis.labels[0]), style.shown(axis.labels[-1])] if axis.labels else ["", ""]
        axes.text(i, -.03, ends[0], ha="center", va="top", fontsize=style.SMALLEST)
        axes.text(i, 1.03, ends[1], ha="center", va="bottom", fontsize=style.SMALLEST)
