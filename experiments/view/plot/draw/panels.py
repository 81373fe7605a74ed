"""Shared parts of figures: rows by group, numbers, panels side by side, bands around lines."""
import matplotlib.pyplot as plt

import style


def column(rows, name):
    """Numbers of a column; empty fields are NaN."""
    return [float(row[name] or "nan") for row in rows]


def grouped(rows, *names):
    """{values of the columns: rows}, in the order of their first rows."""
    groups = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in names), []).append(row)
    return groups


def panels(count, height=2.2, columns=3):
    """(figure, list of axes): one column wide for a single panel, both columns wide for several."""
    columns = min(count, columns)
    lines = -(-count // columns)
    width = style.COLUMN if count == 1 else style.PAGE
    figure, axes = plt.subplots(lines, columns, figsize=(width, height * lines), squeeze=False)
    flat = list(axes.flat)
    for unused in flat[count:]:
        unused.remove()
    return figure, flat[:count]


def band(axes, rows, x, low, middle, high, line):
    """A line with the band between two columns, where the band is known."""
    at = column(rows, x)
    axes.step(at, column(rows, middle), where="post", **line)
    axes.fill_between(at, column(rows, low), column(rows, high), step="post", color=line["color"], alpha=0.2, linewidth=0)


def widths(figure, texts, size):
    """Inches that each text takes."""
    renderer = figure.canvas.get_renderer()
    found = []
    for text in texts:
        drawn = figure.text(0, 0, text, fontsize=size)
        found.append(drawn.get_window_extent(renderer).width / figure.dpi)
        drawn.remove()
    return found


def legend(figure, axes):
    """One legend above all panels, of the entries that occur in any; the figure grows by its height."""
    entries = {}
    for panel in axes:
        for handle, label in zip(*panel.get_legend_handles_labels()):
            entries.setdefault(label, handle)
    labels, handles = list(entries), list(entries.values())
    if len(labels) < 2:
        return
    widest = max(widths(figure, labels, style.SETTINGS["legend.fontsize"])) + 0.45  # with its line
    columns = max(1, min(len(labels), 4, int(figure.get_figwidth() / widest)))
    room = 0.17 * -(-len(labels) // columns) + 0.05
    height = figure.get_figheight() + room
    figure.set_figheight(height)
    figure.get_layout_engine().set(rect=(0, 0, 1, 1 - room / height))
    figure.legend(handles, labels, loc="upper center", ncol=columns, borderaxespad=0.2)
