"""Draws kernels below the ceilings of their device."""
import math

from matplotlib.ticker import EngFormatter, FuncFormatter, LogLocator, NullFormatter

from . import style
from .style import column, grouped, legend, pages, panels, y_label

HEIGHT = 2.5  # inches of a panel


def rate(value):
    """'2.98 T', '185 G'."""
    for unit, prefix in ((1e12, "T"), (1e9, "G"), (1e6, "M")):
        if value >= unit:
            return f"{value / unit:.3g} {prefix}"
    return f"{value:.3g} "


def roofs(axes, row, low, high):
    """Memory roof up to the ridge, arithmetic roof beyond, if the run recorded them."""
    memory, compute = (float(row[name] or "nan") for name in ("memory_bytes_per_s", "compute_flops_per_s"))
    ridge = compute / memory
    if memory == memory:
        end = ridge if ridge == ridge else high
        axes.plot([low, end], [memory * low, memory * end], color=style.COLOURS[0], linewidth=1,
                  label=f"memory {rate(memory)}B/s")
    if compute == compute:
        axes.plot([ridge if ridge == ridge else low, high], [compute, compute], color=style.COLOURS[1], linewidth=1,
                  label=f"arithmetic {rate(compute)}flop/s")


def span(rows):
    """Range of intensities: points and their ridges, with a margin."""
    at = [float(row["flops"]) / float(row["bytes"]) for row in rows]
    at += [float(row["compute_flops_per_s"]) / float(row["memory_bytes_per_s"]) for row in rows
           if row["compute_flops_per_s"] and row["memory_bytes_per_s"]]
    return min(at) / 6, max(at) * 6


def roofline(rows, entry, arms):
    """One panel per bench workload of each run: screened kernels as dots, verified ones by name."""
    groups = grouped([row for row in rows if row["role"] == "bench" and float(row["flops"]) > 0 and float(row["bytes"]) > 0],
                     "task", "arm", "seed", "workload")
    if not groups:
        return []
    return (roofline_page(page, entry, arms) for page in pages(arms.by_task(groups), HEIGHT))


def roofline_page(groups, entry, arms):
    figure, axes = panels(len(groups), HEIGHT)
    for panel, ((task, arm, seed, workload), own) in zip(axes, groups):
        low, high = span(own)
        roofs(panel, own[0], low, high)
        names = []
        for kernel, points in grouped(own, "kernel").items():
            name, rates = kernel[0], column(points, "flops_per_s")
            at = [float(row["flops"]) / float(row["bytes"]) for row in points]
            if name == "screened":
                panel.scatter(at, rates, s=5, color="#999999", zorder=2, linewidths=0, label="screened")
                continue
            champion = name == "champion"
            panel.scatter(at, rates, s=22 if champion else 10, marker="D" if champion else "o", zorder=3,
                          color=style.COLOURS[3] if champion else style.COLOURS[7])
            names.append((rates[0], at[0], style.shown(name.replace("_", " "))))
        label_kernels(panel, names)
        panel.set_xscale("log")
        panel.set_yscale("log")
        for axis, labels, ends in ((panel.xaxis, FuncFormatter(lambda value, _: f"{value:g}"), (low, high)),
                                   (panel.yaxis, EngFormatter(), panel.get_ylim())):
            axis.set_major_locator(LogLocator(subs=(1, 2, 5) if ends[1] < 100 * ends[0] else (1,)))
            axis.set_major_formatter(labels)
            axis.set_minor_formatter(NullFormatter())
        panel.set_xlim(low, high)
        panel.set_title(style.wrapped(f"{style.shown(task)}, {arms.label(arm)}, seed\u00a0{seed}, {style.shown(workload, 72)}", 30))
        panel.set_xlabel(entry["x_label"])
    y_label(figure, entry["y_label"])
    legend(figure, axes, least=1)
    return figure


def label_kernels(panel, names):
    """Names right of their points, moved up until none stands on another."""
    panel.set_yscale("log")
    low, high = panel.get_ylim()
    step, last = 0.055 * math.log(high / low), -math.inf  # the height of a line
    for flops, at, name in sorted(names):
        last = max(math.log(flops), last + step)
        panel.annotate(name, (at, flops), (at * 1.18, math.exp(last)), fontsize=style.SMALLEST, va="center",
                       arrowprops={"arrowstyle": "-", "linewidth": 0.3} if last > math.log(flops) else None)
