"""Shared parts of figures: rows by group, numbers, panels side by side, bands around lines."""
import matplotlib.pyplot as plt

import style

MOST_BANDS = 6  # beyond, bands would hide each other and the lines


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


def band(axes, rows, x, low, middle, high, line, shaded=True):
    """A line with the band between two columns, where the band is known and wanted."""
    at = column(rows, x)
    axes.step(at, column(rows, middle), where="post", **line)
    if not shaded:
        return
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


def legend_shape(labels, width):
    """(columns, inches of height) of a legend."""
    if not labels:
        return 1, 0
    probe = plt.figure(figsize=(1, 1), layout="none")
    widest = max(widths(probe, labels, style.SETTINGS["legend.fontsize"])) + 0.45  # with its line
    plt.close(probe)
    columns = max(1, min(len(labels), 4, int(width / widest)))
    return columns, 0.15 * -(-len(labels) // columns) + 0.12


def pages(groups, height, labels=(), columns=3):
    """Lists of groups that fit one page each, in panels of this height below a legend of these labels."""
    room = style.TALLEST - legend_shape(list(labels), style.PAGE)[1]
    most = columns * max(1, int(room / height))
    count = -(-len(groups) // most)
    each = -(-len(groups) // (count * columns)) * columns if count > 1 else most  # pages of about equal length
    return [groups[at:at + each] for at in range(0, len(groups), each)]


def y_label(figure, text):
    """One label at the left of all panels, in as many lines as their height needs."""
    lines = style.wrapped(text, int(10 * figure.get_figheight()))
    figure.supylabel(lines, fontsize=style.SETTINGS["axes.labelsize"])


def legend(figure, axes, least=2):
    """One legend above all panels, of the entries that occur in any, if there are so many; the figure grows by its height.
    Both columns wide where it would be taller than a panel in one."""
    entries = {}
    for panel in axes:
        for handle, label in zip(*panel.get_legend_handles_labels()):
            entries.setdefault(label, handle)
    labels, handles = list(entries), list(entries.values())
    if len(labels) < least:
        return
    if legend_shape(labels, figure.get_figwidth())[1] > 1.4:
        figure.set_figwidth(style.PAGE)
    columns, room = legend_shape(labels, figure.get_figwidth())
    height = figure.get_figheight() + room
    figure.set_figheight(height)
    figure.get_layout_engine().set(rect=(0, 0, 1, 1 - room / height))
    figure.legend(handles, labels, loc="upper center", ncol=columns, borderaxespad=0.2)
