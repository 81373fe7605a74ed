"""Style and parts of all figures: sizes, fonts and colours of two-column papers, panels, legends, reproducible files."""
import functools
import re

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
from matplotlib import font_manager

COLUMN, PAGE = 3.33, 7.0  # widths in inches: one column, both
TALLEST = 8.3  # inches, which leaves room for a caption on a page
SMALLEST = 7  # points of any letter
# Okabe and Ito's colours, distinct for colour-blind readers too; black last, since axes are black.
COLOURS = ["#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#F0E442", "#000000"]
DASHES = ["-", "--", ":", "-.", (0, (5, 1, 1, 1, 1, 1))]  # five of them and eight colours: 40 arms, each with a pair of its own
MARKERS = "osD^v"
EMPTY = "#E6E6E6"
LONGEST_NAME, LONGEST_TITLE = 36, 24  # letters
SETTINGS = {
    "font.size": 8, "axes.titlesize": 8, "axes.labelsize": 8, "legend.fontsize": 7,
    "xtick.labelsize": 7, "ytick.labelsize": 7, "font.family": "sans-serif", "font.sans-serif": ["DejaVu Sans"],
    "lines.linewidth": 1.2, "axes.linewidth": 0.6, "axes.spines.top": False, "axes.spines.right": False,
    "legend.frameon": False, "image.cmap": "viridis", "savefig.dpi": 200, "figure.constrained_layout.use": True,
    "text.parse_math": False, "axes.formatter.use_mathtext": False,  # names may hold a dollar sign
    "svg.fonttype": "none", "svg.hashsalt": "kernelevolve", "pdf.fonttype": 42,
}
SIZES = [name for name in SETTINGS if name.endswith("size")]  # which matplotlib derives from font.size where they are not set


def context():
    """Settings of these figures, but those that the caller changed in rcParams."""
    own = {name for name in SETTINGS if matplotlib.rcParams[name] != matplotlib.rcParamsDefault[name]}
    own |= set(SIZES) if "font.size" in own else set()
    own |= {"font.sans-serif"} if "font.family" in own else set()
    return matplotlib.rc_context({name: value for name, value in SETTINGS.items() if name not in own})


# No dates and no versions: equal tables give equal files.
METADATA = {
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    "png": {"Software": None},
}


@functools.cache
def glyphs():
    """Characters that the font of all figures has, which comes with matplotlib."""
    return font_manager.get_font(font_manager.findfont("DejaVu Sans")).get_charmap()


def shown(text, longest=LONGEST_NAME):
    """A name for drawing: characters that are invisible, or missing from the font, spelled out; shortened if too long."""
    plain = "".join(c if c.isprintable() and ord(c) in glyphs() else f"\\u{{{ord(c):X}}}" for c in text)
    return plain if len(plain) <= longest else plain[:longest - 1] + "…"


def wrapped(text, letters):
    """In lines of so many letters, which do not break at no-break spaces. Words that are longer break behind an underscore, or
    anywhere if they have none."""
    lines = [""]
    for word in re.split(r"(?<=[ -])", text):
        for part in re.split(r"(?<=_)", word) if len(word) > letters + 1 else [word]:
            while len(part.rstrip()) > letters:
                lines += [part[:letters], ""]
                part = part[letters:]
            if len((lines[-1] + part).rstrip()) > letters:
                lines.append("")
            lines[-1] += part
    return "\n".join(line.rstrip() for line in lines if line.strip()).replace("\u00a0", " ")


def title(task, label, seed):
    """Of a panel that shows one run of the arm with this label; long names take several lines."""
    return wrapped(f"{shown(task)}, {label}, seed\u00a0{seed}", LONGEST_TITLE)


def readable(edges):
    """Texts of the edges of bins, with as many digits as tell them apart: '0.125', '161', '130'."""
    def one(edge, digits):
        if edge == 0 or 1e-4 <= abs(edge) < 1e6:
            whole = len(str(int(abs(edge))))  # digits before the point always stand
            return np.format_float_positional(edge, precision=max(digits, whole), fractional=False, trim="-")
        return f"{edge:.{digits}g}"
    for digits in range(3, 9):
        texts = [one(edge, digits) for edge in edges]
        exact = [one(edge, 6) for edge in edges if abs(float(one(edge, 6)) - edge) <= 1e-9 * abs(edge)]
        if len(set(texts)) == len(texts):
            return [long if len(long) <= 6 and float(long) == edge else text for edge, text, long in
                    zip(edges, texts, (one(edge, 6) for edge in edges))] if exact else texts
    return texts


class Arms:
    """One line an arm, the same in all figures of a call: no two of the first 40 share colour and dashes. Also the tasks,
    in the order of the sweep."""

    def __init__(self, names, labels, tasks=()):
        self.names, self.labels, self.tasks = list(names), labels, list(tasks)

    def by_task(self, groups):
        """Groups of rows whose key begins with a task, in the sweep's order of tasks."""
        place = {task: at for at, task in enumerate(self.tasks)}
        return sorted(groups.items(), key=lambda group: place.get(group[0][0], len(place)))

    def label(self, name):
        return shown(self.labels.get(name, name))

    def line(self, name):
        at = self.names.index(name)
        return {"color": COLOURS[at % len(COLOURS)], "linestyle": DASHES[at % len(DASHES)], "label": self.label(name)}

    def marker(self, name):
        """One for each eight arms, whose colours differ."""
        return MARKERS[self.names.index(name) // len(COLOURS) % len(MARKERS)]

    def in_order(self, rows):
        """(arm, its rows), in the sweep's order of arms."""
        for name in self.names:
            own = [row for row in rows if row["arm"] == name]
            if own:
                yield name, own


def save(figure, path, formats):
    for form in formats:
        figure.savefig(f"{path}.{form}", format=form, metadata=METADATA[form])


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
    width = COLUMN if count == 1 else PAGE
    figure, axes = plt.subplots(lines, columns, figsize=(width, height * lines), squeeze=False)
    flat = list(axes.flat)
    for unused in flat[count:]:
        unused.remove()
    return figure, flat[:count]


def band(axes, rows, x, low, middle, high, line, shaded):
    """A line with the band between two columns, where the band is known and wanted."""
    at = column(rows, x)
    axes.step(at, column(rows, middle), where="post", **line)
    if shaded:
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
    widest = max(widths(probe, labels, SETTINGS["legend.fontsize"])) + 0.45  # with its line
    plt.close(probe)
    columns = max(1, min(len(labels), 4, int(width / widest)))
    return columns, 0.15 * -(-len(labels) // columns) + 0.12


def pages(groups, height, labels=(), columns=3):
    """Lists of groups that fit one page each, in panels of this height below a legend of these labels."""
    room = TALLEST - legend_shape(list(labels), PAGE)[1]
    most = columns * max(1, int(room / height))
    count = -(-len(groups) // most)
    each = -(-len(groups) // (count * columns)) * columns if count > 1 else most  # pages of about equal length
    return [groups[at:at + each] for at in range(0, len(groups), each)]


def y_label(figure, text):
    """One label at the left of all panels, in as many lines as their height needs."""
    lines = wrapped(text, int(12 * figure.get_figheight()))
    figure.supylabel(lines, fontsize=SETTINGS["axes.labelsize"])


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
        figure.set_figwidth(PAGE)
    columns, room = legend_shape(labels, figure.get_figwidth())
    height = figure.get_figheight() + room
    figure.set_figheight(height)
    figure.get_layout_engine().set(rect=(0, 0, 1, 1 - room / height))
    figure.legend(handles, labels, loc="upper center", ncol=columns, borderaxespad=0.2)
