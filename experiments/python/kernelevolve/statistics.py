"""Rank tests, bootstrap intervals, effect sizes and power: functions of numbers alone, on SciPy and statsmodels.

What SciPy 1.10 lacks stands here: exact rank tests with ties, and resampling whose random numbers are the same on every
machine and with every version of NumPy.
"""
import dataclasses
import functools
import math

import numpy as np
import scipy.special
import scipy.stats
import statsmodels.stats.multitest

LEAST_UNITS = 10  # from which on intervals have the coverage that they claim
LEAST_TASKS_FOR_RANKS = 5
MOST_EXACT_PAIRS, MOST_EXACT_VALUES, MOST_EXACT_FLIPS = 50, 20, 18
BOOTSTRAP_SEED, POWER_SEED = 0x6B65, 0x706F
MOST_DRAWS = 2_000_000  # random numbers held at a time


class Stream:
    """Philox 4x32-10 in counter mode [Salmon2011]: the stream of a number and a use, as in core/random_stream.hpp."""

    def __init__(self, seed, number=0, use=0):
        self.key, self.words, self.at = (seed & 0xFFFFFFFF, seed >> 32), (use, number << 8, 4), 0

    def _blocks(self, first, count):
        low, high = np.uint64(0xFFFFFFFF), np.uint64(32)
        c = [np.arange(first, first + count, dtype=np.uint64), *(np.full(count, word, dtype=np.uint64) for word in self.words)]
        k = list(self.key)
        for _ in range(10):
            a, b = np.uint64(0xD2511F53) * c[0], np.uint64(0xCD9E8D57) * c[2]
            c = [(b >> high) ^ c[1] ^ np.uint64(k[0]), b & low, (a >> high) ^ c[3] ^ np.uint64(k[1]), a & low]
            k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
        return np.stack([c[0] << high | c[1], c[2] << high | c[3]], axis=1).ravel()

    def draw(self, *shape):
        """The next 64-bit numbers."""
        count, first = math.prod(shape), self.at // 2
        words = self._blocks(first, (self.at + count + 1) // 2 - first)[self.at - 2 * first:][:count]
        self.at += count
        return words.reshape(shape)

    def below(self, bound, *shape):
        return scaled(self.draw(*shape), bound)


def scaled(words, bound):
    """64-bit numbers as indices below a bound [Lemire2019]; its bias of 1e-18 is left in."""
    bound = np.asarray(bound, dtype=np.uint64)
    low = (words & np.uint64(0xFFFFFFFF)) * bound >> np.uint64(32)
    return ((words >> np.uint64(32)) * bound + low >> np.uint64(32)).astype(np.int64)


def t_quantile(probability, degrees):
    """Upper quantile of Student's t; that of SciPy 1.10 is wrong from the tenth digit on."""
    x = scipy.special.betaincinv(degrees / 2, 0.5, 2 * (1 - probability))
    return math.sqrt(degrees * (1 - x) / x)


def iqm(values):
    """Interquartile mean: floor(n / 4) values cut from each end [Agarwal2021]. NaN does not count."""
    ordered = np.sort(values)
    count = np.sum(~np.isnan(ordered), axis=-1, keepdims=True)
    place = np.arange(ordered.shape[-1])
    kept = (place >= count // 4) & (place < count - count // 4)
    return np.where(kept, np.nan_to_num(ordered), 0).sum(-1) / kept.sum(-1)


# Along the last axis; NaN does not count.
REDUCTIONS = {"mean": functools.partial(np.nanmean, axis=-1), "median": functools.partial(np.nanmedian, axis=-1), "iqm": iqm}


@dataclasses.dataclass
class Interval:
    """`units`: independent units, whose values have the mean `value`. Infinite bounds: nothing is known on that side."""
    value: float
    low: float = -math.inf
    high: float = math.inf
    p: float = 1.0  # two-sided, of a mean of 0, from the same resamples
    unit_values: np.ndarray = dataclasses.field(default_factory=lambda: np.empty(0))


def padded(hierarchy):
    """values[unit, device, seed] with NaN for what there is not, devices of each unit, seeds of each device."""
    devices = np.array([len(unit) for unit in hierarchy])
    seeds = np.zeros((len(hierarchy), devices.max()), dtype=np.int64)
    for u, unit in enumerate(hierarchy):
        seeds[u, :len(unit)] = [len(device) for device in unit]
    values = np.full((*seeds.shape, seeds.max()), np.nan)
    for u, unit in enumerate(hierarchy):
        for d, device in enumerate(unit):
            values[u, d, :len(device)] = device
    return values, devices, seeds


def lifted(hierarchy):
    """With one unit its devices are the units; with one device its seeds are."""
    if len(hierarchy) > 1:
        return hierarchy
    return [[device] for device in hierarchy[0]] if len(hierarchy[0]) > 1 else [[[seed]] for seed in hierarchy[0][0]]


def mean_and_error(units):
    """Units that differ by rounding alone have no error."""
    mean = units.mean(-1)
    error = units.std(-1, ddof=1) / math.sqrt(units.shape[-1]) if units.shape[-1] > 1 else np.zeros_like(mean)
    return mean, np.where(error > 1e-13 * np.abs(mean), error, 0.0)


def resampled(hierarchy, stream, repetitions, reduce):
    """Unit values of each resample: units are drawn with replacement, in each its devices, in each its seeds."""
    values, devices, seeds = padded(hierarchy)
    units, most_devices, most_seeds = values.shape
    width = 1 + most_devices * (1 + most_seeds)
    step = max(1, MOST_DRAWS // (units * width))
    for first in range(0, repetitions, step):
        words = stream.draw(min(step, repetitions - first), units, width)
        unit = scaled(words[..., 0], units)[..., None]
        inner = words[..., 1:].reshape(*words.shape[:2], most_devices, 1 + most_seeds)
        device = scaled(inner[..., 0], devices[unit])
        count = seeds[unit, device][..., None]
        drawn = values[unit[..., None], device[..., None], scaled(inner[..., 1:], count)]
        reduced = reduce(np.where(np.arange(most_seeds) < count, drawn, np.nan)) if most_seeds > 1 else drawn[..., 0]
        kept = np.arange(most_devices) < devices[unit]
        yield np.where(kept, reduced, 0).sum(-1) / kept.sum(-1)


def hierarchical_bootstrap(hierarchy, stream, repetitions=2000, level=0.95, percentile=False, reduction="mean"):
    """Interval of the mean over units of hierarchy[unit][device][seed], which may be ragged. Studentised [Efron1993, ch. 12],
    never inside Student's t, since it is slightly narrow itself for heavy tails; `percentile` needs no spread."""
    reduce, hierarchy = REDUCTIONS[reduction], lifted(hierarchy)
    unit_values = np.array([np.mean([reduce(np.asarray(device, dtype=float)) for device in unit]) for unit in hierarchy])
    mean, error = mean_and_error(unit_values)
    result = Interval(float(mean), unit_values=unit_values)
    if len(unit_values) < 2:
        return result
    pivots = []
    for units in resampled(hierarchy, stream, repetitions, reduce):
        drawn, own = mean_and_error(units)
        gap = drawn - mean
        with np.errstate(divide="ignore", invalid="ignore"):
            pivots.append(drawn if percentile else np.where(own > 0, gap / own, np.where(gap == 0, 0, np.copysign(np.inf, gap))))
    pivots, degrees = np.sort(np.concatenate(pivots)), len(unit_values) - 1
    low, high = (quantile(pivots, tail) for tail in ((1 - level) / 2, (1 + level) / 2))
    result.p = p_of_zero(pivots, mean, error, degrees, percentile)
    if percentile:
        result.low, result.high = low, high
        return result
    t = t_quantile((1 + level) / 2, degrees)
    result.low, result.high = (float(mean - bound * error) if error else float(mean) for bound in (max(high, t), min(low, -t)))
    return result


def quantile(ordered, probability):
    """Type 7, of sorted values that may be infinite."""
    place = probability * (len(ordered) - 1)
    below, part = int(place), place - int(place)
    above = min(below + 1, len(ordered) - 1)
    a, b = float(ordered[below]), float(ordered[above])
    return a if part == 0 or a == b else a + part * (b - a)


def p_of_zero(pivots, mean, error, degrees, percentile):
    """Twice the smaller tail beyond 0, with the observed sample among the resamples."""
    if not percentile and error == 0:
        return float(mean == 0)
    zero = 0 if percentile else mean / error
    tail = 1 + min(np.count_nonzero(pivots <= zero), np.count_nonzero(pivots >= zero))
    p = min(1.0, 2 * tail / (len(pivots) + 1))
    return p if percentile else max(p, 2 * scipy.stats.t.sf(abs(zero), degrees))


def bootstrap_of_columns(values, stream, repetitions, level):
    """Percentile intervals of the mean of each column over its rows, all from the same resamples of rows."""
    count = len(values)
    if count < 2:
        return np.full(values.shape[1], -np.inf), np.full(values.shape[1], np.inf)
    means = np.empty((repetitions, values.shape[1]))
    # Three numbers a draw, as hierarchical_bootstrap takes them for a unit, its device and its seed.
    chosen = scaled(stream.draw(repetitions, count, 3)[..., 0], count)
    for i, row in enumerate(chosen):
        means[i] = values[row].mean(axis=0)
    return np.quantile(means, [(1 - level) / 2, (1 + level) / 2], axis=0)


def sign_flip(differences, stream, draws=10_000):
    """Two-sided p-value of the mean under all changes of sign [Fisher1935, sec. 21]; above MOST_EXACT_FLIPS of some."""
    threshold = abs(differences.sum()) - 1e-13 * np.abs(differences).sum()  # sums that differ by rounding are ties
    if len(differences) <= MOST_EXACT_FLIPS:
        sums = np.zeros(1)
        for value in differences:
            sums = np.concatenate([sums + value, sums - value])
        return float(np.mean(np.abs(sums) >= threshold))
    signs = np.where(stream.below(2, draws - 1, len(differences)) == 0, 1.0, -1.0)
    return (1 + np.count_nonzero(np.abs(signs @ differences) >= threshold)) / draws


def wilcoxon(differences):
    """Two-sided p-values of Wilcoxon's signed-rank test of each row, zeros dropped [Wilcoxon1945]. Up to MOST_EXACT_PAIRS
    differences it is exact, given their ties; beyond, normal."""
    rows = np.atleast_2d(np.asarray(differences, dtype=float))
    zero = rows == 0
    ranks = np.where(zero, 0, scipy.stats.rankdata(np.abs(rows), axis=1) - zero.sum(axis=1, keepdims=True))
    positive = np.where(rows > 0, ranks, 0).sum(axis=1)
    mean, deviation = ranks.sum(axis=1) / 2, np.sqrt((ranks ** 2).sum(axis=1)) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        p = np.where(deviation > 0, 2 * scipy.stats.norm.sf(np.abs(positive - mean) / deviation), 1.0)
    exact = (~zero).sum(axis=1) <= MOST_EXACT_PAIRS
    if exact.any():
        p[exact] = signed_rank_p(np.rint(2 * ranks[exact]).astype(int), np.rint(2 * positive[exact]).astype(int))
    return np.minimum(1.0, p)


def signed_rank_p(steps, observed):
    """From the distribution of doubled rank sums under random signs; `steps` are doubled ranks by row."""
    observed = np.minimum(observed, steps.sum(axis=1) - observed)  # the smaller of both rank sums
    sums = np.arange(observed.max() + 1)
    chance = np.zeros((len(steps), len(sums)))
    chance[:, 0] = 1
    for step in steps.T[:, :, None]:
        chance = 0.5 * chance + 0.5 * np.where(sums >= step, np.take_along_axis(chance, np.maximum(sums - step, 0), axis=1), 0)
    return 2 * (chance * (sums <= observed[:, None])).sum(axis=1)


def mann_whitney(x, y):
    """Two-sided p-value; exact given the ties where no side has more than MOST_EXACT_VALUES values."""
    if max(len(x), len(y)) > MOST_EXACT_VALUES:
        p = scipy.stats.mannwhitneyu(x, y, method="asymptotic").pvalue
        return 1.0 if np.isnan(p) else float(p)
    steps = np.rint(2 * scipy.stats.rankdata(np.concatenate([x, y]))).astype(int)
    ways = np.zeros((len(x) + 1, steps.sum() + 1))  # of choosing so many ranks with that sum
    ways[0, 0] = 1
    for step in steps:
        ways[1:, step:] += ways[:-1, :ways.shape[1] - step]
    chance, observed = ways[-1] / ways[-1].sum(), steps[:len(x)].sum()
    return float(min(1.0, 2 * min(chance[:observed + 1].sum(), chance[observed:].sum())))


def a12(x, y):
    """P(X > Y) + P(X = Y) / 2 [Vargha2000]."""
    x, y = np.asarray(x)[:, None], np.asarray(y)
    return float(np.mean((x > y) + 0.5 * (x == y)))


def equivalence(difference, error, degrees, margin, alpha):
    """(p, low, high) of two one-sided t-tests [Schuirmann1987] that the difference lies within the margin; the interval has
    the level 1 - 2 alpha."""
    def one_sided(gap):
        return float(gap <= 0) if error == 0 else scipy.stats.t.cdf(-gap / error, degrees)
    width = 0 if error == 0 else t_quantile(1 - alpha, degrees) * error
    return max(one_sided(difference + margin), one_sided(margin - difference)), difference - width, difference + width


def paired_equivalence(differences, margin, alpha=0.05):
    return equivalence(np.mean(differences), np.std(differences, ddof=1) / math.sqrt(len(differences)), len(differences) - 1, margin, alpha)


def independent_equivalence(x, y, margin, alpha=0.05):
    """Welch's."""
    a, b = np.var(x, ddof=1) / len(x), np.var(y, ddof=1) / len(y)
    shares = a * a / (len(x) - 1) + b * b / (len(y) - 1)
    degrees = (a + b) ** 2 / shares if shares > 0 else len(x) + len(y) - 2
    return equivalence(np.mean(x) - np.mean(y), math.sqrt(a + b), degrees, margin, alpha)


def holm(p_values):
    """Adjusted by Holm's step-down method [Holm1979]."""
    return statsmodels.stats.multitest.multipletests(p_values, method="holm")[1].tolist() if len(p_values) else []


@functools.cache
def studentized_range(probability, groups):
    return float(scipy.stats.studentized_range.ppf(probability, groups, np.inf))


def compare_ranks(scores, alpha):
    """Average ranks over tasks of scores[arm][task], larger is better, with Friedman's test and Nemenyi's critical
    difference [Demsar2006]; `groups` are the largest ranges of places, by average rank, that cannot be told apart."""
    scores = np.asarray(scores)
    arms, tasks = scores.shape
    average = scipy.stats.rankdata(-scores, axis=0).mean(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = np.nan_to_num(scipy.stats.friedmanchisquare(*scores).statistic)
    difference = studentized_range(1 - alpha, arms) / math.sqrt(2) * math.sqrt(arms * (arms + 1) / (6 * tasks))
    ordered, groups, reached = np.sort(average), [], -1
    for first in range(arms):
        last = first + np.count_nonzero(ordered[first + 1:] - ordered[first] < difference)
        if last > max(first, reached):
            groups.append([first, int(last)])
        reached = max(reached, last)
    return {"average": average.tolist(), "friedman": max(0.0, float(statistic)), "p": float(scipy.stats.chi2.sf(max(0.0, statistic), arms - 1)),
            "critical_difference": difference, "groups": groups}


def performance_profile(costs, factors):
    """Share of tasks on which each arm's cost is within a factor of the best arm's [Dolan2002]; infinite costs are failures."""
    costs = np.asarray(costs)
    best = costs.min(axis=0)
    return [[float(np.mean(np.isfinite(own) & (own <= factor * best))) for factor in factors] for own in costs]


def expected_running_time(evaluations, reached):
    """Evaluations of all runs over the number that reached the target [Hansen2021]; None if none did."""
    return float(np.sum(evaluations) / np.sum(reached)) if np.any(reached) else None


def least_pairs_p(pairs):
    """Smallest p-value that Wilcoxon's and the sign-flip test can give."""
    return min(1.0, 2.0 ** (1 - pairs))


def least_values_p(n, m):
    """Smallest exact p-value of Mann and Whitney's test."""
    return min(1.0, 2 / math.comb(n + m, n))


def out_of_reach(alpha, family, pairs=None, values=None):
    """Why no p-value of so many pairs, or of so many values against each other, can be below alpha; '' if one can."""
    least = least_pairs_p(pairs) if values is None else least_values_p(*values)
    if least * family < alpha:
        return ""
    enough = 1
    while (least_pairs_p(enough) if values is None else least_values_p(enough, enough)) * family >= alpha:
        enough += 1
    size, more = (f"{pairs} pairs", f"{enough} pairs") if values is None else (f"{values[0]} against {values[1]} values", f"{enough} against {enough} values")
    return (f"{size}{f' in a family of {family}' if family > 1 else ''}: the smallest reachable p is {min(1.0, least * family):.3g}, "
            f"so p < {alpha:g} is out of reach; {more} reach it")


def paired_power(pilot, pairs, shift, alpha, stream, studies=500):
    """Share of studies of so many pairs, drawn from the pilot's differences moved to the median `shift`, with p <= alpha."""
    drawn = (pilot + (shift - np.median(pilot)))[stream.below(len(pilot), studies, pairs)]
    return float(np.mean(wilcoxon(drawn) <= alpha))


def pairs_for_power(pilot, power, most, shift, alpha, stream):
    """Fewest pairs with that power; 0 if `most` do not have it. Doubles, then bisects."""
    enough = 1
    while paired_power(pilot, enough, shift, alpha, stream) < power:
        if enough >= most:
            return 0
        enough = min(2 * enough, most)
    below = enough // 2
    while enough - below > 1:
        middle = (below + enough) // 2
        if paired_power(pilot, middle, shift, alpha, stream) >= power:
            enough = middle
        else:
            below = middle
    return enough


def variance_components(groups):
    """Variances between and within groups, and the share of the first, by one-way analysis of variance [Searle1992]; each
    (value, low, high) at 95 %: within by chi-square, share by F, between by [Williams1962], sizes by their harmonic mean
    [Thomas1978]."""
    tail, means = 0.025, np.array([np.mean(group) for group in groups])
    between, within = len(groups) - 1, sum(len(group) - 1 for group in groups)
    size = len(groups) / sum(1 / len(group) for group in groups)
    noise = sum(np.sum((np.asarray(group) - mean) ** 2) for group, mean in zip(groups, means)) / within
    scatter = np.var(means, ddof=1)
    low_f, high_f = scipy.stats.f.ppf([tail, 1 - tail], between, within)

    def excess(f):
        return max(0.0, scatter - f * noise / size)

    def share(f):
        return excess(f) / (excess(f) + f * noise)
    chi = scipy.stats.chi2.ppf([1 - tail, tail], [[between], [within]])
    return {"groups": len(groups), "values": int(sum(map(len, groups))),
            "between": (excess(1), between * excess(high_f) / chi[0, 0], between * excess(low_f) / chi[0, 1]),
            "within": (noise, within * noise / chi[1, 0], within * noise / chi[1, 1]),
            "share": (share(1), share(high_f), share(low_f)) if scatter or noise else (0.0, 0.0, 1.0)}


def value_at(spent, values, grid, before):
    """Of the last step that cost no more, `before` until the first."""
    place = np.searchsorted(spent.to_numpy(), grid, side="right")
    return np.concatenate([[before], values.to_numpy()])[place]
