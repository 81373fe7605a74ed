"""Sentences that tables and figures must state next to their numbers."""


SIMULATED = "a simulated device, where compiling and timing cost nothing"


def plural(count):
    return "" if count == 1 else "s"


def seeds_text(seeds):
    seeds = sorted(seeds)
    if len(seeds) > 1 and seeds[-1] - seeds[0] + 1 == len(seeds):
        return f"{len(seeds)} seeds ({seeds[0]}..{seeds[-1]})"
    return f"{len(seeds)} seed{plural(len(seeds))} ({', '.join(map(str, seeds))})"


def runs_text(provenance):
    """Tasks, seeds, lag, budget, devices; no full stop. Numeric searches have neither lag nor budget."""
    tasks = provenance["tasks"]
    names = ", ".join(tasks) if len(tasks) <= 20 else f"{', '.join(tasks[:20])} and {len(tasks) - 20} more"
    text = f"{len(tasks)} task{plural(len(tasks))} ({names}), {seeds_text(provenance['seeds'])}"
    if provenance["lag"]:
        text += f", lag {'/'.join(provenance['lag'])}"
    if provenance["budgets"]:
        text += f", budget {' / '.join(provenance['budgets'])}"
    devices = [SIMULATED if name == "simulated" else name for name in provenance["hardware"]]
    return f"{text}, measured on: {'; '.join(devices)}"


def exploratory_text(document):
    return "Exploratory, not as declared before the runs. " if document["exploratory"] else ""


def mean_words(analysis):
    """The mean of every table and figure: geometric where effects are ratios."""
    return "geometric mean" if analysis.log_scale else "mean"


def test_words(analysis):
    return analysis.test.replace("_", " ")


def caption_of(comparison, reference=""):
    """`reference`: what it is called; '' = by its name."""
    analysis, document = comparison.analysis, comparison.document
    count = len(document["contrasts"])
    family = f", adjusted by Holm's method for {count} comparison{plural(count)}" if analysis.holm else ""
    return (f"{exploratory_text(document)}{mean_words(analysis).capitalize()} {analysis.words()} by arm and its "
            f"{'ratio to that of' if analysis.log_scale else 'difference from that of'} {reference or analysis.reference}, with "
            f"{100 * (1 - analysis.alpha):g} % intervals; p-values by the {test_words(analysis)} over {analysis.unit}s{family}. "
            f"{runs_text(document['provenance'])}.")


def configurations_text(provenance):
    return f"Configurations: {', '.join(arm + ' ' + '+'.join(ids) for arm, ids in provenance['config_ids'].items())}."
