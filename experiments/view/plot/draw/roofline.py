"""Draws kernels below the ceilings of their device."""
from matplotlib.ticker import EngFormatter, FuncFormatter, NullFormatter

import style
from panels import column, grouped, pages, panels

HEIGHT = 2.5  # inches of a panel


def roofs(axes, row, low, high):
    """Memory roof up to the ridge, arithmetic roof beyond, if the run recorded them."""
    memory, compute = (float(row[name] or "nan") for name in ("memory_bytes_per_s", "compute_flops_per_s"))
    ridge = compute / memory
    if memory == memory:
        end = ridge if ridge == ridge else high
        axes.plot([low, end], [memory * low, memory * end], color=style.COLOURS[0], linewidth=1,
                  label=f"memory {memory / 1e9:.3g} GB/s")
    if compute == compute:
        axes.plot([ridge if ridge == ridge else low, high], [compute, compute], color=style.COLOURS[1], linewidth=1,
                  label=f"arithmetic {compute / 1e9:.3g} Gflop/s")


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
        for kernel, points in grouped(own, "kernel").items():
            name, rates = kernel[0], column(points, "flops_per_s")
            at = [float(row["flops"]) / float(row["bytes"]) for row in points]
            if name == "screened":
                panel.scatter(at, rates, s=5, color="#999999", zorder=2, linewidths=0, label="screened")
                continue
            champion = name == "champion"
            panel.scatter(at, rates, s=22 if champion else 10, marker="D" if champion else "o", zorder=3,
                          color=style.COLOURS[3] if champion else style.COLOURS[7])
            panel.annotate(style.shown(name.replace("_", " ")), (at[0], rates[0]), (4, 0), textcoords="offset points",
                           fontsize=style.SMALLEST, va="center")
        panel.set_xscale("log")
        panel.set_yscale("log")
        for axis, labels in ((panel.xaxis, FuncFormatter(lambda value, _: f"{value:g}")), (panel.yaxis, EngFormatter())):
            axis.set_major_formatter(labels)
            axis.set_minor_formatter(NullFormatter())
        panel.set_xlim(low, high)
        panel.set_title(f"{style.title(task, arms.label(arm), seed)}\n{style.shown(workload)}")
        panel.set_xlabel(entry["x_label"])
        panel.legend(loc="best", fontsize=style.SMALLEST)
    axes[0].set_ylabel(entry["y_label"])
    return figure
