"""Figures that compare arms."""
import math

import matplotlib
import matplotlib.pyplot as plt

from . import style
from .style import MOST_BANDS, band, column, grouped, legend, pages, panels, widths, y_label

CONCLUSIONS = {"better": "#009E73", "worse": "#D55E00", "equivalent": "#0072B2"}  # others are hollow
CONCLUSION_WORDS = {"out of reach": "too few units for a test"}
LONGEST_LABEL = 40  # letters below a panel of one column


def second_column(rows):
    """What a figure is drawn against stands behind the names of its lines."""
    return list(rows[0])[1]


def curves(rows, entry, arms):
    groups = arms.by_task(grouped(rows, "task"))
    height, labels = 2.1, [arms.label(arm) for arm, _ in arms.in_order(rows)]
    return (curves_page(page, height, len(labels) <= MOST_BANDS, entry, arms) for page in pages(groups, height, labels))


def curves_page(tasks, height, shaded, entry, arms):
    spent = list(tasks[0][1][0])[2]
    figure, axes = panels(len(tasks), height)
    for panel, ((task,), own) in zip(axes, tasks):
        for arm, points in arms.in_order(own):
            band(panel, points, spent, "best_ci_low", "best_mean", "best_ci_high", arms.line(arm), shaded)
        panel.set_title(style.wrapped(style.shown(task), style.LONGEST_TITLE))
        panel.set_xlabel(entry["x_label"])
    y_label(figure, entry["y_label"])
    legend(figure, axes)
    return figure


def shares(rows, entry, arms, start=None):
    """A step function an arm, exact: its steps are the rows, and from the left border on it is `start`. Markers, at places of
    their own, tell equal lines apart."""
    figure, (axes,) = panels(1)
    lines = list(arms.in_order(rows))
    at = column(rows, second_column(rows))
    room = 0.03 * (max(at) - min(at)) or 0.1
    for place, (arm, own) in enumerate(lines):
        before = [] if start is None else [(min(at) - room, start)]
        steps = before + list(zip(column(own, second_column(rows)), column(own, "share")))
        every = max(1, len(steps) // 4)
        axes.step(*zip(*steps), where="post", **{**arms.line(arm), "linewidth": 0.9}, marker=arms.marker(arm), markersize=2.5,
                  markevery=(every * place // len(lines) % len(steps), every), zorder=2 + (len(lines) - place) / len(lines))
    axes.set_xlim(min(at) - room, max(at) + room)
    axes.set_ylim(-0.03, 1.03)
    axes.set_xlabel(style.wrapped(entry["x_label"], LONGEST_LABEL))
    axes.set_ylabel(entry["y_label"])
    axes.xaxis.set_major_locator(matplotlib.ticker.MaxNLocator(5))
    legend(figure, [axes])
    return figure


def profiles(rows, entry, arms):
    """Each line goes on to the right border; factors on a logarithmic axis where they are large."""
    most = max(column(rows, "factor"))
    end = 1 + 1.05 * (most - 1) if most > 1 else 1.1
    ends = [{**own[-1], "factor": str(end)} for _, own in arms.in_order(rows)]
    figure = shares(rows + ends, entry, arms)
    axes = figure.axes[0]
    axes.set_xlim(1, end)
    if most > 10:
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter("{x:g}")
    return figure


def ccdf(rows, entry, arms):
    return shares(rows, entry, arms, start=0 if second_column(rows) == "evaluations_to_target" else 1)


def fast_p(rows, entry, arms):
    return shares(rows, entry, arms)


def cd_sides(rows, names):
    """(texts on the left, texts on the right), the best on the left, as rows go down from the axis."""
    half = (len(rows) + 1) // 2
    ranks = [f"{float(row['average_rank']):.2f}" for row in rows]
    left = [f"{name}  {rank}" for name, rank in zip(names[:half], ranks)]
    right = [f"{rank}  {name}" for name, rank in zip(names[half:], ranks[half:])]
    return left, right[::-1]


def fitting(figure, name, room, size):
    """The name, shortened to so many inches."""
    while widths(figure, [name], size)[0] > room:
        name = name.rstrip("…")[:-1] + "…"
    return name


def cd(rows, entry, arms):
    """Demšar's diagram: arms on a line of ranks, bars over those that cannot be told apart. Names have the room that they
    need at both sides, the axis what is left: both columns where one is too narrow."""
    size, gap, least_axis = 7, 0.12, 1.3
    groups = 1 + max((int(row["last_group"]) for row in rows if row["last_group"]), default=-1)
    half = (len(rows) + 1) // 2
    line, top = 0.16, 0.62  # inches
    height = top + 0.09 * groups + line * half + 0.12
    figure = plt.figure(figsize=(style.COLUMN, height), layout="none")
    room = (style.PAGE - least_axis) / 2 - 0.5  # less gap and rank
    left, right = cd_sides(rows, [fitting(figure, arms.label(row["arm"]), room, size) for row in rows])
    margins = [max(widths(figure, texts, size), default=0) + gap for texts in (left, right)]
    if style.COLUMN - sum(margins) < least_axis:
        figure.set_figwidth(style.PAGE)
    width = figure.get_figwidth()
    bottom = (height - top) / height
    axes = figure.add_axes((margins[0] / width, bottom, 1 - sum(margins) / width, 0.001))
    lowest, highest = 1, len(rows)
    axes.set_xlim(lowest, highest)
    axes.set_ylim(0, 1)
    axes.spines[["left", "bottom", "right"]].set_visible(False)
    axes.spines["top"].set_visible(True)
    axes.xaxis.set_ticks_position("top")
    step = max(1, math.ceil(0.25 * (len(rows) - 1) / (width - sum(margins))))  # a quarter of an inch a number
    axes.set_xticks(range(lowest, highest + 1, step))
    axes.set_yticks([])
    place = lambda rank: margins[0] + (rank - lowest) / (highest - lowest) * (width - sum(margins))
    at = lambda inches, below: (inches / width, bottom - below / height)

    def stroke(points, **how):
        figure.add_artist(matplotlib.lines.Line2D(*zip(*(at(*point) for point in points)), **how))

    difference = float(rows[0]["critical_difference"])
    end = place(min(highest, lowest + difference))
    stroke([(place(lowest), -0.42), (end, -0.42)], color="black", linewidth=1.5)
    figure.text(*at(end + 0.05, -0.42), f"critical difference {difference:.2f}", fontsize=size, va="center")
    figure.text(*at(margins[0] - gap / 2, -0.16), entry["x_label"], fontsize=size, ha="right", va="center")
    for group in range(groups):
        held = [float(row["average_rank"]) for row in rows
                if row["first_group"] and int(row["first_group"]) <= group <= int(row["last_group"])]
        depth = 0.07 + 0.09 * group
        stroke([(place(min(held)) - 0.02, depth), (place(max(held)) + 0.02, depth)], color="black", linewidth=2.2)
    first = 0.09 * groups + line
    for on_left, texts, own in ((True, left, rows[:len(left)]), (False, right, rows[len(left):][::-1])):
        for down, (text, row) in enumerate(zip(texts, own)):
            depth, rank = first + line * down, float(row["average_rank"])
            edge = margins[0] - gap / 2 if on_left else width - margins[1] + gap / 2
            look = {key: value for key, value in arms.line(row["arm"]).items() if key != "label"}
            stroke([(place(rank), 0), (place(rank), depth), (edge, depth)], linewidth=0.8, **look)
            figure.text(*at(edge + (-0.03 if on_left else 0.03), depth), text, fontsize=size,
                        ha="right" if on_left else "left", va="center")
    return figure


def whiskers(rows, labels, x_label):
    """A dot an effect, on its interval: filled in the colour of its conclusion, hollow without one. An interval without
    bounds is dotted over the whole width."""
    labels = [style.wrapped(label, 22) for label in labels]
    lines = sum(1 + label.count("\n") for label in labels)
    figure, (axes,) = panels(1, height=0.75 + 0.06 * len(rows) + 0.13 * lines)
    none = 1.0 if rows[0]["scale"] == "ratio" else 0.0
    axes.axvline(none, color="black", linewidth=0.6)
    for place, row in enumerate(rows):
        if not row["effect"]:
            axes.text(0.5, place, "no pairs: no effect", transform=axes.get_yaxis_transform(), ha="center", va="center", fontsize=style.SMALLEST)
            continue
        colour = CONCLUSIONS.get(row["conclusion"])
        low, high, value = (float(row[name] or "nan") for name in ("ci_low", "ci_high", "effect"))
        if low == low or high == high:
            axes.plot([low if low == low else value, high if high == high else value], [place, place], color=colour or "#777777", linewidth=1)
            for end, side in ((low, "<"), (high, ">")):
                if end != end:  # an arrow: the interval has no end there
                    axes.plot([value], [place], side, markersize=9, color=colour or "#777777", markerfacecolor="none")
        else:
            axes.text(value, place, f"  {row['units']} unit{'' if row['units'] == '1' else 's'}: no interval, no test", ha="left", va="center",
                      fontsize=style.SMALLEST)
        axes.plot([float(row["effect"])], [place], "o", markersize=4, color=colour or "#777777",
                  markerfacecolor=colour or "white", label=CONCLUSION_WORDS.get(row["conclusion"], row["conclusion"]))
    axes.set_yticks(range(len(rows)), labels)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.xaxis.set_major_locator(matplotlib.ticker.MaxNLocator(4))
    figure.supxlabel(style.wrapped(x_label, 48), fontsize=style.SETTINGS["axes.labelsize"])
    legend(figure, [axes], least=1)
    return figure


def paged_whiskers(rows, labels, x_label):
    most = 24  # on a page, where each takes two lines
    return [whiskers(rows[at:at + most], labels[at:at + most], x_label) for at in range(0, len(rows), most)]


def ablation(rows, entry, arms):
    x_label = entry["x_label"].removesuffix("the reference") + arms.label(rows[0]["reference"])
    return paged_whiskers(rows, [arms.label(row["arm"]) for row in rows], x_label)


def effects(rows, entry, arms):
    labels = [f"{style.shown(row['factor'])}: {style.shown(row['level'])}, not {style.shown(row['reference'])}" for row in rows]
    return paged_whiskers(rows, labels, entry["x_label"])


COSTS = {"dollars": "dollars a run", "tokens": "tokens a run", "device_hours": "hours of the device a run"}


def cost(rows, entry, arms):
    """One panel a currency: an arm is a point with the interval of its mean; a line joins those that no arm beats in both."""
    currencies = grouped(rows, "currency")
    figure, axes = panels(len(currencies), height=2.2)
    for panel, ((currency,), own) in zip(axes, currencies.items()):
        front = sorted((float(row["amount"]), float(row["value"])) for row in own if row["front"] == "1")
        panel.step(*zip(*front), where="post", color="black", linewidth=0.8, zorder=1)
        for place, row in enumerate(own):
            look = arms.line(row["arm"])
            at, value = float(row["amount"]), float(row["value"])
            if row["ci_low"] and row["ci_high"]:
                panel.plot([at, at], [float(row["ci_low"]), float(row["ci_high"])], color=look["color"], linewidth=0.8)
            panel.scatter([at], [value], s=16, color=look["color"], marker=arms.marker(row["arm"]),
                          label=look["label"], zorder=3)
        panel.set_xlabel(COSTS[currency])
        panel.xaxis.set_major_locator(matplotlib.ticker.MaxNLocator(4))
    axes[0].set_ylabel(style.wrapped(entry["y_label"], 30))
    legend(figure, axes)
    return figure

