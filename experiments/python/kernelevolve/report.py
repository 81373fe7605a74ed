"""A comparison as text for a terminal and as CSV."""
import math

from . import captions
from .compare import programs_warning
from .text import csv_text, interval, p_text, short, table


def figure_cells(figure):
    low, high = figure["ci"]
    if figure["value"] is None:
        return ["-", "-"]
    return [short(figure["value"]), interval(-math.inf if low is None else low, math.inf if high is None else high)]


def has_sol(document):
    return any(arm["sol"] is not None for arm in document["arms"])


def fast_names(document):
    return [f"fast_{name}" for name in document["arms"][0]["fast"]] if document["arms"] else []


def percent(shares):
    return [f"{100 * share:.0f} %" for share in shares.values()]


def arms_text(comparison):
    document, arms = comparison.document, comparison.document["arms"]
    to_target, scored, lost = comparison.analysis.endpoint == "evaluations_to_target", has_sol(document), any(arm["found"] < arm["runs"] for arm in arms)
    head = ["arm", "tasks", "runs", *(["found"] if lost else []), captions.mean_words(comparison.analysis), "interval", "median", "iqm",
            *(["censored", "ert"] if to_target else []), *fast_names(document), *(["sol"] if scored else [])]
    lines = [[arm["name"], arm["tasks"], arm["runs"], *([f"{arm['found']} of {arm['runs']}"] if lost else []), *figure_cells(arm["mean"]),
              short(arm["median"]), short(arm["iqm"]), *([arm["censored"], short(arm["expected_running_time"])] if to_target else []),
              *percent(arm["fast"]), *(["-" if arm["sol"] is None else f"{arm['sol']:.3f}"] if scored else [])] for arm in arms]
    sol = (f"sol: SOL score, 0.5 at the speed of {comparison.analysis.opponent()}, 1 at what the measured bandwidth and peak allow; "
           f"{sum(arm['sol_runs'] for arm in arms)} of {sum(arm['runs'] for arm in arms)} runs have one\n") if scored else ""
    return table(head, lines) + sol


def groups_text(comparison):
    """Speedups by group of tasks, where there are several."""
    arms = comparison.document["arms"]
    lines = [[group["name"], arm["name"], group["tasks"], short(group["mean"]), *percent(group["fast"])]
             for several in zip(*(arm["groups"] for arm in arms)) for arm, group in zip(arms, several)]
    head = ["group", "arm", "tasks", captions.mean_words(comparison.analysis), *fast_names(comparison.document)]
    return "\nBy category of the tasks:\n" + table(head, lines) if lines else ""


def scale_word(analysis):
    return "ratio" if analysis.log_scale else "difference"


def contrasts_text(comparison):
    head = [f"arm against {comparison.analysis.reference}", "units", scale_word(comparison.analysis), "interval", "p", "p adjusted", "p equal", "A12",
            "conclusion"]
    return table(head, [[c["arm"], c["units"], *figure_cells(c["effect"]), p_text(c["p"]), p_text(c["p_adjusted"]), p_text(c["p_equivalence"]),
                         "-" if c["a12"] is None else f"{c['a12']:.2f}", c["conclusion"]] for c in comparison.document["contrasts"]])


def ranks_text(ranks):
    if not ranks:
        return ""
    return (f"\nRanks over tasks (Friedman p {p_text(ranks['p'])}; less than {ranks['critical_difference']:.2f} apart: not told apart)\n"
            + table(["arm", "average rank"], [[arm, f"{rank:.2f}"] for arm, rank in zip(ranks["arms"], ranks["average"])]))


def effects_text(comparison):
    lines = [[factor["factor"], c["arm"], factor["reference"], c["units"], *figure_cells(c["effect"]), p_text(c["p_adjusted"]), c["conclusion"]]
             for factor in comparison.document["main_effects"] or [] for c in factor["contrasts"]]
    head = ["factor", "level", "against", "units", scale_word(comparison.analysis), "interval", "p adjusted", "conclusion"]
    return "\nMain effects: each level with the runs of all arms that have it\n" + table(head, lines) if lines else ""


def held_out_text(comparison):
    held, scale = comparison.document["leave_one_out"], scale_word(comparison.analysis)
    if not held:
        return ""
    return (f"\nEach task left out of the choice of an arm: mean {scale} {short(held['effect'])} against {comparison.analysis.reference}\n"
            + table(["task", "best arm on the others", f"{scale} on this one"], [[one["task"], one["arm"], short(one["effect"])] for one in held["tasks"]]))


def power_text(plan, analysis):
    if plan["missing"]:
        return plan["missing"] + "\n"
    lines = [[row["arm"], row["pilot_units"], f"{row['power']:.2f}", row["units_needed"] or ">1000"] for row in plan["rows"]]
    return (f"Power to find {'a ratio of 1 +' if analysis.log_scale else 'a difference of'} {analysis.min_effect:g} of {analysis.endpoint} over "
            f"{analysis.unit}s at alpha {plan['alpha']:.4g}{f' with {plan_units} units' if (plan_units := plan['units']) else ''}\n"
            + table(["arm", "units of the pilot", "power", "units for power 0.8"], lines))


def repeats_text(arms):
    def with_interval(part):
        return f"{part['value']:.4g} [{part['ci'][0]:.4g}, {part['ci'][1]:.4g}]"
    head = ["arm", "prompts", "answers", "variance between prompts", "within, the model's", "share of the prompts"]
    return ("Gains of one step, ln(objective over the best parent's), at least 0; 95 % intervals that count\neffects as normal\n" + table(head, [
        [one["arm"], one["prompts"], one["answers"], *(with_interval(one[name]) for name in ("between", "within", "share"))] for one in arms]))


def made_by_text(makers):
    return table(["made by", "runs", "hardware", "device", "program"], [
        [maker["host"], maker["runs"], maker["hardware"], maker["device"] or "-", maker["program"][:12]] for maker in makers])


def pairs_text(comparison):
    """Means over the pairs alone, where other runs count in the means of the arms."""
    runs = {arm["name"]: arm["runs"] for arm in comparison.document["arms"]}
    reference = comparison.analysis.reference
    for c in comparison.document["contrasts"]:
        if c["means_of_pairs"] and c["pairs"] < max(runs[c["arm"]], runs[reference]):
            own, other = c["means_of_pairs"]
            yield f"over the {c['pairs']} pairs of {c['arm']} and {reference} the {captions.mean_words(comparison.analysis)}s are {own:.4g} and {other:.4g}"


def text(comparison):
    document, makers = comparison.document, comparison.document["provenance"]["made_by"]
    parts = [document["caption"], "\n", captions.configurations_text(document["provenance"]), "\n",
             f"EXPLORATORY: {document['exploratory']}\n" if document["exploratory"] else "",
             "Arms with different limits, each at its own end.\n" if document["carried_forward"] else "",
             "\n", arms_text(comparison), groups_text(comparison), "\n", contrasts_text(comparison), ranks_text(document["ranks"]),
             effects_text(comparison), held_out_text(comparison)]
    if document["power"]:
        parts += ["\n", power_text(document["power"], comparison.analysis)]
    if document["repeats"]:
        parts += ["\n", repeats_text(document["repeats"])]
    parts += ["\n", made_by_text(makers)]
    if warning := programs_warning(makers):
        parts.append(f"\nwarning: {warning}\n")
    notes = [f"\nnote: {note}" for note in [*document["notes"], *pairs_text(comparison)]] + [f"\nmissing: {line}" for line in document["missing"]]
    return "".join(parts + notes + (["\n"] if notes else []))


def csv(comparison):
    """One line an arm: its figures and its contrast with the reference."""
    document, scored = comparison.document, has_sol(comparison.document)
    head = ["arm", "tasks", "runs", "censored", "mean", "low", "high", "median", "iqm", "units", "effect", "effect_low", "effect_high", "p",
            "p_adjusted", "p_equivalence", "a12", "conclusion", *fast_names(document), *(["sol"] if scored else []), "found"]
    contrasts = {c["arm"]: [c["units"], c["effect"]["value"], *c["effect"]["ci"], c["p"], c["p_adjusted"], c["p_equivalence"], c["a12"],
                            c["conclusion"]] for c in document["contrasts"]}
    return csv_text(head, [[arm["name"], arm["tasks"], arm["runs"], arm["censored"], arm["mean"]["value"], *arm["mean"]["ci"], arm["median"],
                            arm["iqm"], *contrasts.get(arm["name"], [None] * 9), *arm["fast"].values(), *([arm["sol"]] if scored else []), arm["found"]]
                           for arm in document["arms"]])
