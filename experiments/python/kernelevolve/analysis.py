"""The declared analysis of a comparison: its options, and the canonical text that is hashed before the runs begin.

A sweep is read by the program; the options here are those that `kernelevolve list sweep` prints (a test compares both).
"""
import difflib
import types

from .runs import RunError, sha256

ENDPOINTS = ["best_seen", "best_verified_speedup", "qd_score", "coverage", "auc", "evaluations_to_target", "common_qd_score", "common_coverage"]
# Name -> (default, range of a number or words to choose from).
OPTIONS = {
    "alpha": (0.05, (1e-6, 0.4)), "arms": ([], None), "baseline": ("strongest", None), "endpoint": ("best_seen", ENDPOINTS),
    "family": ("holm", ["holm", "none"]), "min_effect": (0, (0, 1e9)), "reduce": ("mean", ["mean", "median", "iqm"]), "reference": ("", None),
    "repetitions": (2000, (200, 1_000_000)), "role": ("bench", ["bench", "validation", "holdout"]), "scale": ("auto", ["auto", "log", "linear"]),
    "target": (0, (0, 1e12)), "test": ("paired_hierarchical_bootstrap", ["paired_hierarchical_bootstrap", "wilcoxon", "mann_whitney"]),
    "unit": ("task", ["task", "device", "seed", "chain"])}


class Analysis(types.SimpleNamespace):
    """The OPTIONS as attributes, `text`: their canonical lines, and `log_scale`: whether effects are ratios."""
    log_scale = False

    @property
    def holm(self):
        return self.family == "holm"

    @property
    def larger_is_better(self):
        return self.endpoint != "evaluations_to_target"

    @property
    def hash(self):
        return sha256(self.text)

    def words(self):
        """The endpoint in words."""
        return {"best_seen": "best objective seen", "best_verified_speedup": f"best verified speedup over {self.opponent()}",
                "qd_score": "QD score", "coverage": "coverage", "auc": "best objective so far, averaged over the budget",
                "evaluations_to_target": f"evaluations to an objective of {self.target:g}", "common_qd_score": "QD score of the common archive",
                "common_coverage": "coverage of the common archive"}[self.endpoint]

    def opponent(self):
        return "the strongest baseline" if self.baseline == "strongest" else self.baseline


def near(word, known):
    found = difflib.get_close_matches(word, known, 1)
    return f"; did you mean '{found[0]}'?" if found else ""


def value_of(name, text):
    """An option's value from its text; RunError where it is not allowed."""
    default, allowed = OPTIONS[name]
    if isinstance(default, list):
        return [word.strip().strip("'\"") for word in text.strip("[]").split(",") if word.strip()]
    if isinstance(default, str):
        word = text.strip("'\"")
        if allowed and word not in allowed:
            raise RunError(f"analysis: 'analysis.{name}' = {word} is not one of {' | '.join(allowed)}{near(word, allowed)}")
        return word
    try:
        value = int(text) if isinstance(default, int) and name == "repetitions" else float(text)
    except ValueError:
        raise RunError(f"analysis: 'analysis.{name}' = {text} is no number") from None
    if not allowed[0] <= value <= allowed[1]:
        raise RunError(f"analysis: 'analysis.{name}' = {text} is outside [{allowed[0]:g}, {allowed[1]:g}]")
    return value


def plain(number):
    """The shortest text of a number, as the program writes it: 2 for 2.0."""
    text = repr(float(number))
    return text[:-2] if text.endswith(".0") else text


def text_of(value):
    if isinstance(value, list):
        return f"[{', '.join(value)}]"
    return value if isinstance(value, str) else plain(value)


def read_analysis(declared="", overrides=()):
    """From canonical lines, then `key=value`."""
    values = {name: text_of(default) for name, (default, _) in OPTIONS.items()}
    for line in [*declared.splitlines(), *overrides]:
        name, equals, value = line.partition("=")
        name = name.strip().removeprefix("analysis.")
        if not equals or name not in OPTIONS:
            raise RunError(f"analysis: no option '{name}'{near(name, list(OPTIONS))}; there are: {', '.join(OPTIONS)}")
        values[name] = value.strip()
    read = {name: value_of(name, text) for name, text in values.items()}
    if read["endpoint"] == "evaluations_to_target" and read["target"] <= 0:
        raise RunError("analysis: 'analysis.target' is missing; evaluations_to_target needs it")
    return Analysis(**read, text="".join(f"analysis.{name} = {text_of(read[name])}\n" for name in sorted(read)))
