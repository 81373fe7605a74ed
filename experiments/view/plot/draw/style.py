"""Style of all figures: sizes, fonts and colours of two-column papers, and reproducible files."""
import functools
import re

from matplotlib import font_manager

COLUMN, PAGE = 3.33, 7.0  # widths in inches: one column, both
TALLEST = 8.3  # inches, which leaves room for a caption on a page
SMALLEST = 7  # points of any letter
# Okabe and Ito's colours, distinct for colour-blind readers too; black last, since axes are black.
COLOURS = ["#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#F0E442", "#000000"]
DASHES = ["-", "--", ":", "-.", (0, (5, 1, 1, 1, 1, 1))]  # five of them and eight colours: 40 arms, each with a pair of its own
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


def shown(text):
    """A name for drawing: characters that are invisible, or missing from the font, spelled out; shortened if too long."""
    plain = "".join(c if c.isprintable() and ord(c) in glyphs() else f"\\u{{{ord(c):X}}}" for c in text)
    return plain if len(plain) <= LONGEST_NAME else plain[:LONGEST_NAME - 1] + "…"


def wrapped(text, letters):
    """In lines of so many letters. Words that are longer break behind an underscore, or anywhere if they have none."""
    lines = [""]
    for word in re.split(r"(?<=[ -])", text):
        for part in re.split(r"(?<=_)", word) if len(word) > letters + 1 else [word]:
            while len(part.rstrip()) > letters:
                lines += [part[:letters], ""]
                part = part[letters:]
            if len((lines[-1] + part).rstrip()) > letters:
                lines.append("")
            lines[-1] += part
    return "\n".join(line.rstrip() for line in lines if line.strip())


def title(task, label, seed):
    """Of a panel that shows one run of the arm with this label; long names take several lines."""
    return wrapped(f"{shown(task)}, {label}, seed {seed}", LONGEST_TITLE)


def short(label):
    """'[0.1308, 0.342)' as '0.13–0.34', '[-1, -0.75)' as '-1 to -0.75'; other labels as they are."""
    try:
        low, high = (float(end) for end in label.strip("[])").split(", "))
    except ValueError:
        return shown(label)
    return f"{low:.2g}{' to ' if low < 0 else '–'}{high:.2g}"


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

    def in_order(self, rows):
        """(arm, its rows), in the sweep's order of arms."""
        for name in self.names:
            own = [row for row in rows if row["arm"] == name]
            if own:
                yield name, own


def save(figure, path, formats):
    for form in formats:
        figure.savefig(f"{path}.{form}", format=form, metadata=METADATA[form])
