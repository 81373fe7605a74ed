"""Style of all figures: sizes, fonts and colours of two-column papers, and reproducible files."""
import textwrap

COLUMN, PAGE = 3.33, 7.0  # widths in inches: one column, both
# Okabe and Ito's colours, distinct for colour-blind readers too; black last, since axes are black.
COLOURS = ["#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#F0E442", "#000000"]
DASHES = ["-", "--", ":", "-."]  # for more arms than colours
EMPTY = "#E6E6E6"
LONGEST_NAME = 36
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


def shown(text):
    """A name for drawing: control and invisible characters spelled out, shortened if too long."""
    plain = "".join(c if c.isprintable() else f"\\u{{{ord(c):X}}}" for c in text)
    return plain if len(plain) <= LONGEST_NAME else plain[:LONGEST_NAME - 1] + "…"


def title(task, arm, seed):
    """Title of a panel that shows one run; long names take two lines."""
    run = f"{shown(arm)}, seed {seed}"
    one_line = f"{shown(task)}, {run}"
    return one_line if len(one_line) <= LONGEST_NAME else f"{shown(task)}\n{run}"


def short(label):
    """Shortens '[0.1308, 0.342)' to '0.13–0.34'; keeps other labels."""
    try:
        low, high = (float(end) for end in label.strip("[])").split(", "))
    except ValueError:
        return shown(label)
    return f"{low:.2g}–{high:.2g}"


class Arms:
    """One colour per arm, the same in all figures of a call."""

    def __init__(self, names):
        self.names = list(names)

    def line(self, name):
        at = self.names.index(name)
        return {"color": COLOURS[at % len(COLOURS)], "linestyle": DASHES[at // len(COLOURS) % len(DASHES)],
                "label": shown(name)}

    def colour(self, name):
        return self.line(name)["color"]

    def in_order(self, rows):
        """(arm, its rows), in the sweep's order of arms."""
        for name in self.names:
            own = [row for row in rows if row["arm"] == name]
            if own:
                yield name, own


def footer(figure, text):
    """Writes the configurations below the figure, so that it is identifiable without its paper."""
    width = int(figure.get_figwidth() * 26)
    lines = textwrap.wrap("".join(c if c.isprintable() else " " for c in text), width)[:4]
    figure.set_figheight(figure.get_figheight() + 0.08 * len(lines))
    figure.supxlabel("\n".join(lines), fontsize=4.5, color="#666666", x=0.01, ha="left")


def save(figure, path, formats):
    for form in formats:
        figure.savefig(f"{path}.{form}", format=form, metadata=METADATA[form])
