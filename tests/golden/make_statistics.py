#!/usr/bin/env python3
"""Writes statistics.json: SciPy's results for 200 random data sets, most with ties and zeros.

Run with Debian 12's python3-scipy (1.10.1):  python3 tests/golden/make_statistics.py
SciPy's own exact tests ignore ties, so tied exact values come from scipy.stats.permutation_test,
which enumerates every sign or assignment. Values are multiples of 1/4, hence exact in binary."""
import json
import pathlib
import warnings

import numpy as np
from scipy import stats

warnings.simplefilter("ignore")
ALTERNATIVES = ("two-sided", "less", "greater")
ALL = np.inf


def sample(rng, size, tied, shift):
    if tied:
        return (rng.integers(0, 8, size) + shift) / 4.0
    return rng.permutation(4 * size + 40)[:size] ** 1.5 // 0.25 / 4.0 + shift / 4.0


def signed_ranks(d, zeros):
    kept = d if zeros == "pratt" else d[d != 0]
    ranks = np.where(kept == 0, 0.0, stats.rankdata(abs(kept)))
    return ranks * np.sign(kept)


def exact_wilcoxon(d, zeros):
    signed = signed_ranks(d, zeros)
    statistic = lambda x, axis=-1: np.where(x > 0, x, 0.0).sum(axis=axis)
    return [float(stats.permutation_test((signed,), statistic, permutation_type="samples",
                                         n_resamples=ALL, vectorized=True, alternative=a).pvalue)
            for a in ALTERNATIVES]


def scipy_wilcoxon(d, mode, zeros, correction):
    return [float(stats.wilcoxon(d, mode=mode, zero_method=zeros, correction=correction,
                                 alternative=a).pvalue) for a in ALTERNATIVES]


def wilcoxon(d):
    out = {"statistic": float(stats.wilcoxon(d, mode="approx").statistic)}
    for zeros, name in (("wilcox", "drop"), ("pratt", "pratt")):
        out["normal_" + name] = scipy_wilcoxon(d, "approx", zeros, False)
        signed = signed_ranks(d, zeros)
        if abs(signed.sum()) / 2 >= 0.5:  # SciPy overshoots the mean when it corrects a smaller gap
            out["continuity_" + name] = scipy_wilcoxon(d, "approx", zeros, True)
        if len(d) <= 9 and len(signed[signed != 0]) > 1:
            out["exact_" + name] = exact_wilcoxon(d, zeros)
    if len(set(abs(d))) == len(d) and 0 not in d and len(d) <= 50:
        out["exact_drop"] = scipy_wilcoxon(d, "exact", "wilcox", False)
    return out


def mann_whitney(x, y):
    test = lambda a, **k: float(stats.mannwhitneyu(x, y, alternative=a, **k).pvalue)
    out = {"statistic": float(stats.mannwhitneyu(x, y).statistic),
           "normal": [test(a, method="asymptotic", use_continuity=False) for a in ALTERNATIVES],
           "continuity": [test(a, method="asymptotic") for a in ALTERNATIVES]}
    pooled = np.concatenate([x, y])
    if len(set(pooled)) == len(pooled):
        out["exact"] = [test(a, method="exact") for a in ALTERNATIVES]
    elif len(pooled) <= 15:
        ranks = stats.rankdata(pooled)
        parts = (ranks[:len(x)], ranks[len(x):])
        statistic = lambda a, b, axis=-1: a.sum(axis=axis)
        out["exact"] = [float(stats.permutation_test(parts, statistic, n_resamples=ALL,
                                                     vectorized=True, alternative=a).pvalue)
                        for a in ALTERNATIVES]
    return out


def sign_flip(d):
    """All sign changes: SciPy's paired permutation test of the mean."""
    mean = lambda x, axis=-1: x.mean(axis=axis)
    return float(stats.permutation_test((d,), mean, permutation_type="samples", n_resamples=ALL,
                                        vectorized=True).pvalue)


def tost(low, high, test):
    return max(float(test(low, "greater")), float(test(high, "less")))


def data_set(i):
    rng = np.random.default_rng([20230, i])
    small, tied = i % 2 == 0, i % 5 != 0
    n = int(rng.integers(4, 10) if small else rng.integers(10, 41))
    m = int(rng.integers(3, 7) if small else rng.integers(8, 31))
    shift = int(rng.integers(0, 4))
    x, y, z = sample(rng, n, tied, shift), sample(rng, n, tied, 0), sample(rng, m, tied, 1)
    if not tied:
        z = z + 0.125 if set(x) & set(z) else z
    d = x - y
    if np.all(d == 0) or len(set(x)) == 1:
        d, x = d + 1.0, x + np.arange(n)
    q25 = lambda v: float(stats.trim_mean(v, 0.25))
    paired = tost(-0.5, 0.75, lambda v, a: stats.ttest_1samp(d, v, alternative=a).pvalue)
    welch = tost(-0.5, 0.75, lambda v, a: stats.ttest_ind(x - v, z, equal_var=False,
                                                         alternative=a).pvalue)
    a12 = float(np.mean([(a > b) + 0.5 * (a == b) for a in x for b in z]))
    flips = {"sign_flip": sign_flip(d)} if len(d) <= 14 else {}
    return {"x": list(x), "d": list(d), "z": list(z), "wilcoxon": wilcoxon(d), **flips,
            "mann_whitney": mann_whitney(x, z), "iqm": q25(x), "a12": a12,
            "tost_paired": paired, "tost_independent": welch}


def rank_set(i):
    rng = np.random.default_rng([4711, i])
    k, n = int(rng.integers(3, 8)), int(rng.integers(5, 13))
    scores = [list(sample(rng, n, True, int(rng.integers(0, 3)))) for _ in range(k)]
    test = stats.friedmanchisquare(*scores)
    ranks = np.mean(stats.rankdata(-np.array(scores), axis=0), axis=1)
    return {"scores": scores, "friedman": float(test.statistic), "p": float(test.pvalue),
            "ranks": list(ranks)}


def main():
    ranges = [{"k": k, "p": p, "q": float(stats.studentized_range.ppf(p, k, np.inf))}
              for k in (2, 3, 5, 10) for p in (0.9, 0.95, 0.99)]
    ranges_cdf = [{"k": k, "q": q, "p": float(stats.studentized_range.cdf(q, k, np.inf))}
                  for k in (2, 4, 8, 20) for q in (0.5, 2.0, 3.5, 5.0)]
    parts = {"data": [data_set(i) for i in range(200)], "ranks": [rank_set(i) for i in range(30)],
             "range_quantiles": ranges, "range_probabilities": ranges_cdf}
    text = ",\n".join(f'"{name}": [\n' + ",\n".join(json.dumps(r, separators=(",", ":")) for r in rows)
                      + "\n]" for name, rows in parts.items())
    pathlib.Path(__file__).with_name("statistics.json").write_text("{\n" + text + "\n}\n")


if __name__ == "__main__":
    main()
