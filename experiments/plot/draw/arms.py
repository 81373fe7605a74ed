"""Figures that compare arms."""
import style
from panels import band, column, grouped, legend, panels

CONCLUSIONS = {"better": "#009E73", "worse": "#D55E00", "equivalent": "#0072B2"}


def curves(rows, entry, arms):
    tasks = grouped(rows, "task")
    figure, axes = panels(len(tasks))
    for panel, ((task,), own) in zip(axes, tasks.items()):
        for arm, points in arms.in_order(own):
            band(panel, points, entry["x_label"], "best_ci_low", "best_mean", "best_ci_high", arms.line(arm))
        panel.set_title(style.shown(task))
        panel.set_xlabel(entry["x_label"])
    axes[0].set_ylabel(entry["y_label"])
    legend(figure, axes[0])
    return figure


def shares(rows, entry, arms, places):
    """Draws steps between thresholds; `places` gives the position of each row."""
    figure, (axes,) = panels(1)
    for arm, own in arms.in_order(rows):
        axes.step(places(own), column(own, "share"), where="post", **arms.line(arm))
    axes.set_ylim(-0.03, 1.03)
    axes.set_xlabel(entry["x_label"])
    axes.set_ylabel(entry["y_label"])
    legend(figure, axes)
    return figure


def profiles(rows, entry, arms):
    """Draws performance profiles with equidistant factors, because most detail is close to 1."""
    factors = list(dict.fromkeys(row["factor"] for row in rows))
    figure = shares(rows, entry, arms, lambda own: [factors.index(row["factor"]) for row in own])
    figure.axes[0].set_xticks(range(len(factors)), factors)
    return figure


def ccdf(rows, entry, arms):
    return shares(rows, entry, arms, lambda own: column(own, entry["x_label"]))


def fast_p(rows, entry, arms):
    return shares(rows, entry, arms, lambda own: column(own, "p"))


def cd(rows, entry, arms):
    """Demšar's diagram: arms on a line of ranks, bars over indistinguishable ones."""
    figure, (axes,) = panels(1, height=0.9 + 0.14 * len(rows))
    ranks = column(rows, "average_rank")
    half = (len(rows) + 1) // 2
    left, right = 1, len(rows)
    axes.plot([left, left + float(rows[0]["critical_difference"])], [1.9, 1.9], color="black", linewidth=1.5)
    axes.text(left, 2.15, f"critical difference {float(rows[0]['critical_difference']):.2f}", fontsize=7)
    for place, (row, rank) in enumerate(zip(rows, ranks)):
        on_left = place < half
        depth = -1 - (place if on_left else len(rows) - 1 - place)
        end = left - 0.1 if on_left else right + 0.1
        axes.plot([rank, rank, end], [0, depth, depth], color=arms.colour(row["arm"]), linewidth=0.8)
        axes.text(end, depth, f" {style.shown(row['arm'])} {rank:.2f} ", ha="right" if on_left else "left",
                  va="center", fontsize=7)
    grouped_rows = [(rank, int(row["first_group"]), int(row["last_group"]))
                    for row, rank in zip(rows, ranks) if row["first_group"]]
    for group in range(1 + max((last for _, _, last in grouped_rows), default=-1)):
        held = [rank for rank, first, last in grouped_rows if first <= group <= last]
        axes.plot([min(held) - 0.03, max(held) + 0.03], [-0.25 - 0.25 * group] * 2, color="black", linewidth=2.5)
    axes.set_xlim(left - 0.1, right + 0.1)
    axes.set_ylim(-half - 0.5, 3)
    axes.spines[["left", "bottom"]].set_visible(False)
    axes.spines["top"].set_visible(True)
    axes.spines["top"].set_position(("data", 0))
    axes.set_xticks(range(left, right + 1))
    axes.xaxis.set_ticks_position("top")
    axes.set_yticks([])
    return figure


def ablation(rows, entry, arms):
    """Bars from no effect to the effect, coloured by conclusion."""
    figure, (axes,) = panels(1, height=0.7 + 0.3 * len(rows))
    none = 1.0 if rows[0]["scale"] == "ratio" else 0.0
    for place, row in enumerate(rows):
        if not row["effect"]:
            continue
        effect = float(row["effect"])
        colour = CONCLUSIONS.get(row["conclusion"], "#999999")
        axes.barh(place, effect - none, left=none, height=0.6, color=colour)
        if row["ci_low"] and row["ci_high"]:
            axes.plot([float(row["ci_low"]), float(row["ci_high"])], [place, place], color="black", linewidth=1)
    axes.axvline(none, color="black", linewidth=0.6)
    axes.set_yticks(range(len(rows)), [f"{style.shown(row['arm'])}\n{row['conclusion']}" for row in rows])
    axes.invert_yaxis()
    axes.set_xlabel(entry["x_label"])
    return figure
