"""Figures that show single runs, and what became of proposals."""
from matplotlib.ticker import MaxNLocator

from . import style
from .style import MOST_BANDS, band, grouped, legend, pages, panels, y_label

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
    legend(figure, axes, least=1)
    return figure


LOST = {"gave a kernel": "no kernel given", "is new": "not new", "builds": "does not build", "runs": "does not run",
        "is right": "wrong", "is measured": "not measured"}
NO_CHILD = {"all_seen": "all neighbours seen", "unchanged": "unchanged", "constraints": "against constraints",
            "nothing_to_vary": "nothing to vary"}


def failures(rows, entry, arms):
    """One bar an arm: shares of its proposals that were measured, and of those that each check stopped. Names of arms
    stand at the left alone: bars of one line are of the same arms."""
    names = [arm for arm, _ in arms.in_order(rows)]
    labels = [style.wrapped(arms.label(arm), 20) for arm in names]
    height = 0.75 + sum(0.06 + 0.125 * (1 + label.count("\n")) for label in labels)
    groups = arms.by_task(grouped(rows, "task"))
    kinds = list(dict.fromkeys((row["stage"], row["reason"]) for row in rows[1:] if int(row["candidates_lost"])))
    words = [word_of(*kind) for kind in kinds]
    return (failures_page(page, names, labels, height, entry, kinds) for page in pages(groups, height, ["measured", *words]))


def word_of(stage, reason):
    return NO_CHILD.get(reason, style.shown(reason.replace("_", " "))) if reason else LOST.get(stage, style.shown(stage))


def failures_page(tasks, names, labels, height, entry, kinds):
    figure, axes = panels(len(tasks), height)
    colours = [colour for i, colour in enumerate(style.COLOURS) if i != 2]  # that is the colour of the measured
    for at, (panel, ((task,), own)) in enumerate(zip(axes, tasks)):
        for (arm,), stages in grouped(own, "arm").items():
            place = names.index(arm)
            proposals = max(1, int(stages[0]["candidates_left"]))
            left = int(stages[-1]["candidates_left"]) / proposals
            panel.barh(place, left, color=style.COLOURS[2], label="measured")
            for row in stages[1:]:
                lost, kind = int(row["candidates_lost"]) / proposals, (row["stage"], row["reason"])
                if lost > 0:
                    i = kinds.index(kind)
                    panel.barh(place, lost, left=left, color=colours[i % len(colours)], label=word_of(*kind),
                               hatch="//" if i >= len(colours) else None, edgecolor="white", linewidth=0)
                left += lost
        panel.set_yticks(range(len(names)), labels if at % 3 == 0 else [""] * len(names))
        panel.set_ylim(len(names) - 0.5, -0.5)
        panel.set_title(style.wrapped(style.shown(task), style.LONGEST_TITLE))
        panel.set_xlabel(entry["x_label"])
    legend(figure, axes)
    return figure
