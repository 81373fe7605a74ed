"""A comparison as booktabs tables that pdflatex typesets without further packages."""
import math
import re
import unicodedata

from . import captions
from .text import p_text

# Limits with which a table fits a page of two columns, even if names wrap; a line of a name holds about LETTERS_OF_LINE.
MOST_LINES, LETTERS_OF_LINE = 42, 14
WIDEST_LETTERS, WIDEST_HEADING = 8, 4  # so many "W" fit into one line of a name, and of a column's heading
MOST_TASKS, MOST_NARROW_ARMS, MOST_COLUMNS, MOST_NOTES = 24, 4, 10, 3

SIGNS = {"\\": "\\textbackslash{}", "~": "\\~{}", "^": "\\^{}", "<": "\\textless{}", ">": "\\textgreater{}", "|": "\\textbar{}", '"': "''",
         "[": "{[}", "*": "{*}",  # behind the end of a row, an option would begin
         "–": "--", "—": "---", "‘": "`", "’": "'", "“": "``", "”": "''", "…": "\\ldots{}", "−": "$-$", "≤": "$\\leq$", "≥": "$\\geq$", "≠": "$\\neq$",
         "≈": "$\\approx$", "→": "$\\rightarrow$", "←": "$\\leftarrow$", "↔": "$\\leftrightarrow$", "∞": "$\\infty$", "∈": "$\\in$", "√": "$\\surd$",
         "∘": "$\\circ$", "ο": "o", "ς": "$\\varsigma$", **{letter: f"\\{letter}" for letter in "&%$#_{}"}}
SAME_AS_LATIN = set("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ")
# Letters below U+0180 that LaTeX's oldest encoding cannot compose.
NOT_COMPOSED = set("ªº«»ÐÞðþĄąĐđĘęĦħĮįĸĿŀŉŊŋŦŧŲųſ")


def greek(letter):
    name = unicodedata.name(letter, "")
    found = re.fullmatch(r"GREEK (SMALL|CAPITAL) LETTER (\w+)", name)
    if not found or letter in SAME_AS_LATIN or ord(letter) > 0x3C9:
        return ""
    word = found[2].lower().replace("lamda", "lambda")
    return f"$\\{word if found[1] == 'SMALL' else word.capitalize()}$"


def escaped(letter):
    code = ord(letter)
    if code < 0x20 or code == 0x7F:
        return " "
    if letter in SIGNS:
        return SIGNS[letter]
    if code < 0x80 or 0xA0 <= code < 0x180 and letter not in NOT_COMPOSED:
        return letter
    code = 0xFFFD if 0xD800 <= code < 0xE000 else code  # a byte that is no text
    return greek(letter) or f"{{[}}U+\\penalty5000 {code:04X}{{]}}"


def latex_text(text):
    """Letters of European languages stay, Greek and common signs become mathematics, others '[U+65E5]'."""
    return "".join("`" if letter == "'" and before in " (" else escaped(letter) for before, letter in zip(" " + text, text))


def latex_cell(text, letters):
    """Of a narrow column: words may break behind an underscore and, if there is no other way, behind so many letters."""
    out, length = "", 0
    for letter in text:
        if length >= letters and letter not in " -":
            out += "\\penalty5000 "  # rather behind a space
            length = 0
        shown = escaped(letter)
        length += letters if shown.startswith("{[}U+") else 1
        out += shown + ("\\allowbreak " if letter in "_/.:" else "")
        length = 0 if letter in " -_/.:" else length
    return out


class Format:
    """Of the numbers of a column or row: divided by a power of ten if they are very large or small; the largest has three
    significant digits."""

    def __init__(self, values):
        largest = max([abs(value) for value in values if value is not None], default=0.0)
        self.exponent = 3 * math.floor(math.log10(largest) / 3) if largest >= 10_000 or 0 < largest < 0.01 else 0
        largest /= 10.0 ** self.exponent
        self.decimals = 0 if largest >= 99.95 else 1 if largest >= 9.995 else 2 if largest >= 0.9995 else 3

    @staticmethod
    def of_figures(figures):
        """Intervals far wider than the values cost them all but one of their further decimals."""
        every = [value for figure in figures for value in (figure["value"], *figure["ci"])]
        found, narrow = Format(every), Format([figure["value"] for figure in figures])
        if found.exponent == 0 and narrow.exponent == 0:
            thousands = any(value is not None and abs(value) >= 999.5 for value in every)
            found.decimals = min(narrow.decimals, found.decimals + (0 if thousands else 1))
        return found

    def text(self, value):
        """With a true minus sign; zero has none."""
        if value is None:
            return "--"
        text = f"{value / 10.0 ** self.exponent:.{self.decimals}f}"
        if not text.startswith("-"):
            return text
        return "$-$" + text[1:] if text.strip("-0.") else text[1:]

    def unit(self):
        return f" / $10^{{{self.exponent}}}$" if self.exponent else ""

    def interval(self, figure):
        low, high = figure["ci"]
        if figure["value"] is None:
            return ""
        if low is None and high is None:
            return small("unbounded")
        return small(f"{'' if low is None else '[' + self.text(low)} .. {'' if high is None else self.text(high) + ']'}".strip()
                     if low is None or high is None else f"[{self.text(low)}, {self.text(high)}]")


def small(text):
    return f"{{\\scriptsize {text}}}"


def label(comparison, arm):
    return comparison.runs.labels.get(arm, arm)


def with_labels(comparison, text):
    """Sentences name arms; readers of the table know their labels."""
    for arm, name in comparison.runs.labels.items():
        text = re.sub(rf"(?<![\w-])'?{re.escape(arm)}'?(?![\w-])", lambda found: found[0].replace(arm, name), text)
    return text


def remark(text):
    return "% " + "".join(" " if ord(letter) < 0x20 else letter for letter in text) + "\n"


def head(comparison):
    return remark("needs \\usepackage{booktabs}") + remark(captions.configurations_text(comparison.document["provenance"]))


def table(star, columns, rows, caption, notes=""):
    below = f"\\par\\smallskip\\parbox{{\\linewidth}}{{\\scriptsize {notes}}}\n" if notes else ""
    return (f"\\begin{{table{star}}}\n\\centering\\footnotesize\n\\setlength{{\\tabcolsep}}{{3pt}}\n\\begin{{tabular}}{{@{{}}{columns}@{{}}}}\n"
            f"\\toprule\n{rows}\\bottomrule\n\\end{{tabular}}\n{below}\\caption{{{caption}}}\n\\end{{table{star}}}\n")


def notes_of(comparison):
    document = comparison.document
    notes = [with_labels(comparison, note) + "." for note in document["notes"][:MOST_NOTES]]
    if len(document["notes"]) > MOST_NOTES:
        notes.append(f"{len(document['notes']) - MOST_NOTES} more notes are left out.")
    if document["missing"]:
        notes.append(f"{len(document['missing'])} planned runs are missing.")
    lost = [f"{arm['found']} of {arm['runs']} of {label(comparison, arm['name'])}" for arm in document["arms"] if arm["found"] < arm["runs"]]
    if lost and not any(note.startswith("runs that found") for note in document["notes"][:MOST_NOTES]):
        notes.append(f"Runs that found a valid kernel: {', '.join(lost)}.")
    return latex_text(" ".join(note[:1].upper() + note[1:] for note in notes))


def p_cell(contrast):
    return "--" if contrast["p_adjusted"] is None else re.sub("^<", "$<$", p_text(contrast["p_adjusted"]))


def arm_rows(name, arm, contrast, mean, effect):
    """Values, and below them in small type their intervals and the conclusion."""
    first, below = f"{name} & {mean.text(arm['mean']['value'])}", f" & {mean.interval(arm['mean'])}"
    if contrast is None:
        return f"{first} & -- & -- \\\\\n{below} & & {small('reference')} \\\\\n"
    return (f"{first} & {effect.text(contrast['effect']['value'])} & {p_cell(contrast)} \\\\\n"
            f"{below} & {effect.interval(contrast['effect'])} & {small(contrast['conclusion'])} \\\\\n")


def parts_of(names):
    """Lists of positions of names that fit one table each."""
    parts, lines = [[]], 0
    for i, name in enumerate(names):
        own = 2 + len(name) // LETTERS_OF_LINE
        if lines + own > MOST_LINES:
            parts.append([])
            lines = 0
        parts[-1].append(i)
        lines += own
    return parts


def arms(comparison):
    """A table of the arms, as wide as one column of two; more arms than fit a page go on in further tables."""
    document, analysis = comparison.document, comparison.analysis
    figures, contrasts = document["arms"], {contrast["arm"]: contrast for contrast in document["contrasts"]}
    mean = Format.of_figures([arm["mean"] for arm in figures])
    effect = Format.of_figures([contrast["effect"] for contrast in document["contrasts"]])
    words = ("geom. mean", "ratio") if analysis.log_scale else ("mean", "difference")
    p_head = "$p_{\\mathrm{Holm}}$" if analysis.holm else "$p$"
    first = f"arm & {words[0]}{mean.unit()} & {words[1]}{effect.unit()} & {p_head} \\\\\n\\midrule\n"
    caption = latex_text(captions.caption_of(comparison, label(comparison, analysis.reference)))
    text = head(comparison)
    for number, part in enumerate(parts_of([label(comparison, arm["name"]) for arm in figures])):
        rows = first + "".join(arm_rows("\\raggedright " + latex_cell(label(comparison, figures[i]["name"]), WIDEST_LETTERS), figures[i],
                                        contrasts.get(figures[i]["name"]), mean, effect) for i in part)
        text += table("", "p{0.3\\columnwidth}rrr", rows, "The table before, continued." if number else caption, "" if number else notes_of(comparison))
    return text


def task_row(comparison, task, means, arms_shown):
    """Cells of one task; the best of them, as shown, in bold."""
    values = [None if math.isnan(value) else value for value in means]
    form = Format(values)
    known = [value for value in values if value is not None]
    best = form.text((max if comparison.analysis.larger_is_better else min)(known)) if known else None
    cells = [form.text(value) for value in values]
    shown = " & ".join(f"\\textbf{{{cells[i]}}}" if cells[i] == best else cells[i] for i in arms_shown)
    return f"\\raggedright {latex_cell(task, WIDEST_LETTERS)}{form.unit()} & {shown} \\\\\n"


def tasks(comparison):
    """Each arm's mean on each task, the best of a task in bold; as wide as both columns from five arms on."""
    analysis, document, means = comparison.analysis, comparison.document, comparison.by_task
    names = list(means.columns)
    narrow = len(names) <= MOST_NARROW_ARMS
    width, first = (0.145, 0.3) if narrow else (0.066, 0.2)
    order = sorted(means.index, key=document["provenance"]["tasks"].index)
    words = {"median": "Median", "iqm": "Interquartile mean"}.get(analysis.reduce, captions.mean_words(analysis).capitalize())
    caption = latex_text(f"{captions.exploratory_text(document)}{words} {analysis.words()} of the runs of each arm on each task, the best of a task in "
                         f"bold. {captions.runs_text(document['provenance'])}.")
    text, number, most = head(comparison), 0, MOST_NARROW_ARMS if narrow else MOST_COLUMNS
    for at in range(0, len(order), MOST_TASKS):
        for left in range(0, len(names), most):
            shown = list(range(left, min(len(names), left + most)))
            rows = "task" + "".join(f" & \\parbox[b]{{{width:.3f}\\linewidth}}{{\\raggedleft\\scriptsize "
                                    f"{latex_cell(label(comparison, names[i]), WIDEST_HEADING)}}}" for i in shown) + " \\\\\n\\midrule\n"
            rows += "".join(task_row(comparison, task, means.loc[task], shown) for task in order[at:at + MOST_TASKS])
            text += table("" if narrow else "*", f"p{{{first:.2f}\\linewidth}}{'r' * len(shown)}", rows,
                          "The table before, continued." if number else caption)
            number += 1
    return text
