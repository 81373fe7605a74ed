#!/usr/bin/env python3
# Times nothing: may run beside others.
"""The Python package that reads, compares and draws runs: frames against SQL, statistics against SciPy, statsmodels,
enumeration and published tables, and what is said where a comparison lacks numbers. Needs the packages that it needs."""
import contextlib
import io
import itertools
import json
import math
import re
import shutil
import sys

sys.path.insert(0, sys.path[0] + "/../support")
import program  # noqa: E402
from needs import need  # noqa: E402
from program import SOURCE, carry_out, edit, fresh_folder, outcome, raises, rows, unpack_recording, write  # noqa: E402

need("matplotlib", "numpy", "pandas", "scipy.stats", "statsmodels.stats.multitest")
import matplotlib  # noqa: E402
import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402
import scipy.stats  # noqa: E402
import statsmodels.stats.multitest  # noqa: E402

matplotlib.use("agg")
sys.path.insert(0, str(SOURCE / "experiments/python"))
import kernelevolve  # noqa: E402
from kernelevolve import analysis, archives, commands, compare, figures, runs, statistics, style  # noqa: E402

FOLDER = fresh_folder("analysis")
BASE = """budget: {evaluations: 60}
device: {kind: function, function: rastrigin, dimensions: 6}
islands: {count: 1, lag: 0}
operators: {knob_step: 4, knob_crossover: 2, random_restart: 1}
"""
LANDSCAPE = BASE.replace("{kind: function, function: rastrigin, dimensions: 6}", "{kind: landscape}")


def call(*words, **variables):
    """A verb of the program; compare and plot in this process, as the program starts them, which saves imports of pandas."""
    words = list(map(str, words))
    if words[0] not in commands.VERBS or "--help" in words or variables:
        return program.call(*words, **variables)
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = commands.run(words)
    return code, *(stream.buffer.getvalue().decode() for stream in (out, err))


def must(*words):
    code, out, err = call(*words)
    assert code == 0, (words, code, out[-2000:], err[-2000:])
    return out


def json_of(*words):
    return json.loads(must(*words, "--json"))


def refused(words, *parts, code=2):
    got, _, err = call(*words)
    assert got == code and all(part in err for part in parts), (words, got, err)
    return err


def make_runs():
    write({"b.yaml": "schema: kernelevolve/1\n" + BASE, "l.yaml": "schema: kernelevolve/1\n" + LANDSCAPE})
    for arm, seeds, folder in (("map_elites", "1..3", "apart"), ("greedy", "4..6", "apart"), ("map_elites", "1..7", "seven"),
                               ("greedy", "1..3", "seven"), ("greedy", "5..7", "seven")):
        must("run", "b.yaml", f"strategy={arm}", f"name={arm}", f"seed={seeds}", "-q", "-o", folder)
    write({"z.yaml": "schema: kernelevolve/1\nbudget: {evaluations: 3}\ndevice: {kind: function, function: rastrigin, dimensions: 6, "
                     "failures: 0.5}\nislands: {count: 1, lag: 0}\noperators: {random_restart: 1}\n",
           "zf.yaml": "schema: kernelevolve-sweep/1\nbase: z.yaml\nseeds: 1..12\narms: {a: {strategy.kind: map_elites}, "
                      "b: {strategy.kind: greedy}}\nanalysis: {unit: seed, scale: log}\n",
           "s.yaml": "schema: kernelevolve-sweep/1\nbase: l.yaml\ntasks: [softmax, conv2d, layernorm, embedding_bag, "
                     "dot_interaction]\nseeds: 1..3\narms:\n  default: {}\n  random: {strategy: random, operators!: {random_restart: 1}}\n"
                     "  lag: {islands.lag: 2}\nanalysis: {endpoint: best_seen, scale: log, min_effect: 0.02}\n"})
    for name in ("zf", "s"):
        must("sweep", f"{name}.yaml", "-q", "-o", name)
    (FOLDER / "rec").mkdir()
    for name in ("cpp.layernorm", "cuda.conv1d", "riscv.softmax"):
        unpack_recording(f"languages/{name}.kev", "rec")


def near(a, b, error=1e-12):
    assert (a is None) == (b is None) and (a is None or math.isclose(a, b, rel_tol=error, abs_tol=error)), (a, b)


# ---- statistics ----

RANDOM = np.random.default_rng(7)


def rank_tests_agree_with_scipy_and_enumeration():
    for n in (3, 6, 12, 30, 49, 80):
        x = RANDOM.normal(0.3, 1, n)
        method = "exact" if n <= 50 else "approx"
        near(statistics.wilcoxon(x)[0], scipy.stats.wilcoxon(x, mode=method, correction=False).pvalue, 1e-9)
    for values in ([1, 1, -2, 3, 0, 0, 4], [0, 0, 0], [1, -1], [2, 2, 2, 2, -2], [0.5]):
        x = np.array(values, dtype=float)
        kept = x[x != 0]
        ranks = scipy.stats.rankdata(np.abs(kept))
        sums = [sum(r for r, s in zip(ranks, signs) if s) for signs in itertools.product((0, 1), repeat=len(kept))]
        seen = ranks[kept > 0].sum()
        tails = np.mean([s <= seen for s in sums]), np.mean([s >= seen for s in sums])
        near(statistics.wilcoxon(x)[0], min(1.0, 2 * min(tails)))
    for n, m in ((3, 3), (5, 9), (20, 20), (25, 8)):
        x, y = RANDOM.normal(size=n), RANDOM.normal(0.5, 1, m)
        near(statistics.mann_whitney(x, y), scipy.stats.mannwhitneyu(x, y, method="exact" if max(n, m) <= 20 else "asymptotic").pvalue, 1e-9)
    for x, y in (([1, 2, 2], [2, 3, 3, 3]), ([1, 1], [1, 1]), ([5], [1, 2])):
        pooled = np.array(x + y, dtype=float)
        ranks = scipy.stats.rankdata(pooled)
        sums = [ranks[list(chosen)].sum() for chosen in itertools.combinations(range(len(pooled)), len(x))]
        seen = ranks[:len(x)].sum()
        near(statistics.mann_whitney(np.array(x), np.array(y)), min(1.0, 2 * min(np.mean(np.array(sums) <= seen), np.mean(np.array(sums) >= seen))))
    for n in (1, 5, 11):
        x = RANDOM.normal(0.4, 1, n)
        sums = [abs(sum(s * v for s, v in zip(signs, x))) for signs in itertools.product((1, -1), repeat=n)]
        near(statistics.sign_flip(x, statistics.Stream(1)), np.mean([s >= abs(x.sum()) - 1e-12 for s in sums]))
    x = RANDOM.normal(0.3, 1, 25)
    assert abs(statistics.sign_flip(x, statistics.Stream(1)) - scipy.stats.permutation_test(
        (x,), np.mean, permutation_type="samples", n_resamples=20_000, random_state=1).pvalue) < 0.02


def families_ranks_and_intervals_agree_with_libraries():
    p = RANDOM.uniform(size=9)
    for a, b in zip(statistics.holm(p), statsmodels.stats.multitest.multipletests(p, method="holm")[1]):
        near(a, b)
    assert statistics.holm([]) == [] and statistics.holm([0.04, 0.03]) == [0.06, 0.06]
    scores = RANDOM.normal(size=(4, 9)).round(1)
    found, oracle = statistics.compare_ranks(scores, 0.05), scipy.stats.friedmanchisquare(*scores)
    near(found["friedman"], oracle.statistic, 1e-9)
    near(found["p"], oracle.pvalue, 1e-9)
    # Table 5a of Demsar 2006: q(0.05) = 2.343 and 2.569 for three and four classifiers, 1.960 for two.
    for arms, q in ((2, 1.960), (3, 2.343), (4, 2.569), (7, 2.949), (10, 3.164)):
        given = statistics.compare_ranks(np.arange(arms * 6.0).reshape(arms, 6), 0.05) if arms > 2 else None
        assert given is None or abs(given["critical_difference"] - q * math.sqrt(arms * (arms + 1) / 36)) < 2e-3, (arms, given)
    tied = statistics.compare_ranks(np.ones((3, 5)), 0.05)
    assert tied["friedman"] == 0 and tied["p"] == 1 and tied["groups"] == [[0, 2]]
    for degrees in (1, 2, 5, 9, 4.7, 120):
        near(scipy.stats.t.sf(statistics.t_quantile(0.975, degrees), degrees), 0.025, 1e-9)
    near(statistics.t_quantile(0.975, 5), 2.570581835636314)  # R: qt(0.975, 5)
    x, y = RANDOM.normal(size=12), RANDOM.normal(0.2, 2, 9)
    low = scipy.stats.ttest_1samp(x, -0.5, alternative="greater").pvalue
    high = scipy.stats.ttest_1samp(x, 0.5, alternative="less").pvalue
    near(statistics.paired_equivalence(x, 0.5)[0], max(low, high), 1e-9)
    low = scipy.stats.ttest_ind(x + 0.5, y, equal_var=False, alternative="greater").pvalue
    high = scipy.stats.ttest_ind(x - 0.5, y, equal_var=False, alternative="less").pvalue
    near(statistics.independent_equivalence(x, y, 0.5)[0], max(low, high), 1e-9)
    near(float(statistics.iqm(x)), scipy.stats.trim_mean(x, 0.25))
    near(statistics.a12(x, y), scipy.stats.mannwhitneyu(x, y).statistic / (len(x) * len(y)))
    parts = statistics.variance_components([list(group) for group in RANDOM.normal(RANDOM.normal(size=(8, 1)), 0.5, (8, 4))])
    assert all(parts[name][1] <= parts[name][0] <= parts[name][2] for name in ("between", "within", "share")), parts
    assert statistics.variance_components([[1.0, 1.0], [1.0, 1.0]])["share"] == (0.0, 0.0, 1.0)
    near(statistics.expected_running_time(np.array([10, 30, 50]), np.array([True, False, True])), 45)
    assert statistics.expected_running_time(np.array([5]), np.array([False])) is None
    assert statistics.performance_profile([[1, 2, np.inf], [2, 2, np.inf]], [1, 2]) == [[2 / 3, 2 / 3], [1 / 3, 2 / 3]]


def random_numbers_are_the_published_ones():
    """Philox 4x32-10 [Salmon2011]: known answers of the authors' own test (kat_vectors of Random123) for counter and key 0."""
    stream = statistics.Stream(0)
    stream.words = (0, 0, 0)
    assert [hex(word) for word in stream.draw(2).tolist()] == ["0x6627e8d5e169c58d", "0xbc57ac4c9b00dbd8"]
    whole, parts = statistics.Stream(9, 3, 1).draw(101), statistics.Stream(9, 3, 1)
    assert (np.concatenate([parts.draw(1), parts.draw(50), parts.draw(3), parts.draw(47)]) == whole).all()
    drawn = statistics.Stream(5).below(7, 70_000)
    assert drawn.min() == 0 and drawn.max() == 6 and scipy.stats.chisquare(np.bincount(drawn)).pvalue > 0.001


def intervals_cover_at_their_level():
    covered = {5: 0, 10: 0, 30: 0}
    for units in covered:
        for study in range(60):
            effects = RANDOM.normal(0.4, 1, units)
            values = [[list(RANDOM.normal(effect, 0.7, 5)) for _ in range(2)] for effect in effects]
            found = statistics.hierarchical_bootstrap(values, statistics.Stream(11, study), 300)
            covered[units] += found.low <= 0.4 <= found.high
    assert all(0.86 <= count / 60 <= 1 for count in covered.values()), covered
    one = statistics.hierarchical_bootstrap([[[1.0]]], statistics.Stream(1))
    assert (one.low, one.high, one.p) == (-math.inf, math.inf, 1.0)
    same = statistics.hierarchical_bootstrap([[[2.0, 2.0]], [[2.0]], [[2.0]]], statistics.Stream(1))
    assert (same.value, same.low, same.high, same.p) == (2, 2, 2, 0)
    ragged = [[[1.0, 2.0, 4.0]], [[3.0], [5.0, 6.0]], [[2.0, 2.5]]]
    near(statistics.hierarchical_bootstrap(ragged, statistics.Stream(1)).value, np.mean([7 / 3, 4.25, 2.25]))
    near(statistics.hierarchical_bootstrap(ragged, statistics.Stream(1), reduction="median").value, np.mean([2, 4.25, 2.25]))
    x = RANDOM.normal(0.5, 1, 40)
    own = statistics.hierarchical_bootstrap([[list(x)]], statistics.Stream(3), 4000, percentile=True)
    oracle = scipy.stats.bootstrap((x,), np.mean, n_resamples=9999, method="percentile", random_state=1).confidence_interval
    assert abs(own.low - oracle.low) < 0.03 and abs(own.high - oracle.high) < 0.03, (own, oracle)


def null_sweeps_reject_at_most_at_the_level():
    rejected = 0
    for study in range(60):
        p = []
        for arm in range(3):
            found = statistics.hierarchical_bootstrap([[[v]] for v in RANDOM.normal(size=12)], statistics.Stream(1, study, arm), 200)
            p.append(max(found.p, statistics.sign_flip(found.unit_values, statistics.Stream(2, study, arm))))
        rejected += min(statistics.holm(p)) < 0.05
    assert rejected / 60 <= 0.12, rejected


def power_matches_simulation():
    assert statistics.out_of_reach(0.05, 1, pairs=5) == ("5 pairs: the smallest reachable p is 0.0625, so p < 0.05 is out of reach; 6 pairs reach it")
    assert statistics.out_of_reach(0.05, 7, pairs=8) == ("8 pairs in a family of 7: the smallest reachable p is 0.0547, so p < 0.05 is out of reach; "
                                                         "9 pairs reach it")
    assert not statistics.out_of_reach(0.05, 1, values=(4, 4)) and "3 against 3" in statistics.out_of_reach(0.05, 1, values=(3, 3))
    pilot = RANDOM.normal(size=20)
    power = statistics.paired_power(pilot, 15, 0.8, 0.05, statistics.Stream(4))
    moved = pilot + 0.8 - np.median(pilot)
    oracle = np.mean([scipy.stats.wilcoxon(RANDOM.choice(moved, 15)).pvalue <= 0.05 for _ in range(500)])
    assert abs(power - oracle) < 0.1, (power, oracle)
    assert statistics.pairs_for_power(pilot + 50, 0.8, 64, 50.0, 0.05, statistics.Stream(4)) == 6
    assert statistics.pairs_for_power(pilot, 0.8, 5, 50.0, 0.05, statistics.Stream(4)) == 0


# ---- frames ----

def frames_are_what_sql_says():
    found = kernelevolve.open(FOLDER / "s")
    assert len(found) == 45 and found.arms == ["default", "random", "lag"] and not found.missing
    found.load()
    for name, columns in runs.COLUMNS.items():
        frame = getattr(found, name)
        assert list(frame.columns) == list(columns) and all(columns.values()), name
    for run, row in list(enumerate(found.runs.itertuples()))[::11]:
        best, = rows(row.file, "SELECT max(objective) FROM v_best")[0]
        near(row.best, best)
        steps = found.steps[found.steps.run == run]
        assert len(steps) == rows(row.file, "SELECT count(*) FROM step")[0][0] and steps.evaluations.iloc[-1] == row.evaluations == 60
        near(steps.best.iloc[-1], best)
        filled, score = rows(row.file, "SELECT count(*), sum(objective) FROM v_archive WHERE island = -1")[0]
        assert steps.filled.iloc[-1] == filled
        near(steps.qd_score.iloc[-1], score, 1e-9)
        own = found.archive[(found.archive.run == run) & (found.archive.archive == "configured")]
        assert list(zip(own.cell, own.candidate)) == rows(
            row.file, "SELECT cell, id FROM v_archive WHERE archive = 'island' ORDER BY island, cell")
    assert kernelevolve.open([FOLDER / "s/default.softmax.s1.kev"]).arms == ["default"]


def devices_are_those_that_ran_the_kernels():
    found = kernelevolve.open(FOLDER / "rec")
    assert dict(zip(found.runs.task, found.runs.device)) == {
        "conv1d": "NVIDIA H100 80GB HBM3", "layernorm": "Intel(R) Xeon(R) Processor", "softmax": "rv64gcv-256-qemu"}, found.runs.device
    must("plot", "rec/cuda.conv1d.kev", "-f", "archive", "--format", "", "-o", "gpu")
    caption = (FOLDER / "gpu/archive.txt").read_text()
    assert "measured on: NVIDIA H100 80GB HBM3." in caption and "Xeon" not in caption, caption
    assert "61 of 63 kernels lie outside of an axis" in caption, caption
    assert "measured on: a simulated device, where compiling and timing cost nothing." in must("compare", "s")
    champions = found.champions[(found.champions.champion == 1) & (found.champions.role == "bench")]
    layernorm = champions[champions.task == "layernorm"].set_index("baseline").speedup
    answer = json_of("compare", "rec/cpp.layernorm.kev", "endpoint=best_verified_speedup")
    near(answer["arms"][0]["mean"]["value"], layernorm.drop("anchor").min(), 1e-9)
    assert "over the strongest baseline" in answer["caption"], answer["caption"]


def unresolved_speedups_are_no_numbers():
    """In frames, `compare` and the JSON of `status` alike; the strongest baseline stays the strongest."""
    path = FOLDER / "unresolved/layernorm.kev"
    path.parent.mkdir()
    shutil.copy(FOLDER / "rec/cpp.layernorm.kev", path)
    first = rows(path, "SELECT baseline FROM verified WHERE role = 'bench' AND baseline <> 'anchor' ORDER BY speedup")[0]
    assert first == ("onednn",) and " over onednn" in must("status", path)
    edit(path, "UPDATE verified SET note = 'not resolved' WHERE baseline = 'onednn' AND role = 'bench'")
    assert "not resolved over onednn" in must("status", path)
    shown = json_of("status", path)["runs"][0]["champion"]["verified"]["roles"]
    frame = kernelevolve.open(path).champions
    for one in frame[frame.champion == 1].itertuples():
        figure = shown[one.role][one.baseline]
        for value, other in ((one.speedup, figure["speedup"]), (one.ci_low, figure["ci"][0]), (one.ci_high, figure["ci"][1])):
            assert (other is None) == (value != value) and (other is None or math.isclose(value, other)), (one, figure)
    assert frame.speedup.isna().sum() == 1
    wide = shown["bench"]["onednn"]
    assert wide["resolved"] is False and wide["estimate"]["ci"][0] < wide["estimate"]["speedup"] < wide["estimate"]["ci"][1], wide
    code, out, err = call("compare", path, "endpoint=best_verified_speedup")
    assert code == 2 and "its champion has no speedup over onednn: not resolved" in out + err, (code, out, err)


def unreadable_files_are_named():
    mix = FOLDER / "mix"
    mix.mkdir()
    shutil.copy(FOLDER / "apart/map_elites.rastrigin.s1.kev", mix / "a.kev")
    shutil.copy(mix / "a.kev", mix / "old.kev")
    edit(mix / "old.kev", "PRAGMA user_version = 1")
    for leftover in mix.glob("old.kev-*"):
        leftover.unlink()
    (mix / "text.kev").write_text("no database")
    found = kernelevolve.open(mix)
    assert len(found) == 1 and list(found.missing) == [str(mix / "old.kev"), str(mix / "text.kev")], found.missing
    assert "schema 1, this program reads 2" in found.missing[str(mix / "old.kev")]
    assert sorted(path.name for path in mix.iterdir()) == ["a.kev", "old.kev", "text.kev"]
    for words in (("compare", "mix", "unit=seed"), ("plot", "mix", "--format", "", "-f", "curves", "-o", "mix_figures"), ("report", "mix")):
        code, out, err = call(*words)
        assert code == 7 and "mix/old.kev: was written by an older version" in err and "mix/text.kev: " in err, (words, code, out, err)
        assert words[0] != "compare" or "missing: mix/old.kev: was written by an older version" in out, out
    assert (FOLDER / "mix_figures/curves.csv").exists() and "1 run," in out, out
    assert sorted(path.name for path in mix.iterdir()) == ["a.kev", "old.kev", "text.kev"]
    for path, code in ((mix / "old.kev", 7), (mix / "text.kev", 7), (mix / "none.kev", 2)):
        error = raises(kernelevolve.RunError, lambda: kernelevolve.open(path))
        assert error.code == code, error


def options_are_those_of_the_program():
    listed = {row["name"].removeprefix("analysis."): row for row in json_of("list", "sweep")["sweep"]
              if row["name"].startswith("analysis.")}
    assert set(listed) == set(analysis.OPTIONS), (set(listed), set(analysis.OPTIONS))
    for name, (default, allowed) in analysis.OPTIONS.items():
        assert listed[name]["default"] == ("" if default == [] else analysis.text_of(default)) or default in ([], ""), listed[name]
        if isinstance(allowed, list):
            assert listed[name]["range"] == " | ".join(allowed), listed[name]
    declared = json.loads((FOLDER / "s/sweep.json").read_text())["analysis"]
    assert analysis.read_analysis(declared["text"]).hash == declared["hash"]
    assert not json_of("compare", "s", "scale=log", "alpha=0.05")["exploratory"]
    for words, message in ((["alpha=2"], "is outside [1e-06, 0.4]"), (["endpoint=auk"], "did you mean 'auc'?"), (["unti=seed"], "did you mean 'unit'?"),
                           (["endpoint=evaluations_to_target"], "'analysis.target' is missing"), (["reference=x"], "no arm 'x' here"),
                           (["repetitions=many"], "is no number")):
        assert refused(("compare", "s", *words), message).count("\n") == 1, words


# ---- comparisons that lack numbers ----

def arms_without_a_common_seed_have_no_effect():
    out = must("compare", "apart", "unit=seed", "--csv", "c.csv", "--latex", "c.tex")
    assert re.search(r"map_elites +0 +- +- +- +- +- ", out), out
    assert "no pairs: 'map_elites' (seeds 1, 2, 3) and 'greedy' (seeds 4, 5, 6)" in out, out
    for scale in ("linear", "log"):
        contrast, = json_of("compare", "apart", "unit=seed", f"scale={scale}")["contrasts"]
        assert contrast["effect"] == {"value": None, "ci": [None, None]} and contrast["p"] is None, contrast
        assert contrast["conclusion"] == "out of reach" and contrast["units"] == contrast["pairs"] == 0
    row = pd.read_csv(FOLDER / "c.csv").set_index("arm").loc["map_elites"]
    assert row[["effect", "effect_low", "effect_high", "p"]].isna().all() and row.units == 0
    assert "0.00" not in (FOLDER / "c.tex").read_text().split("map")[1].split("bottomrule")[0]
    must("plot", "apart", "-f", "ablation", "unit=seed", "-o", "no_pairs", "--format", "svg")
    table = pd.read_csv(FOLDER / "no_pairs/ablation.csv")
    assert table.effect.isna().all() and "no pairs: no effect" in (FOLDER / "no_pairs/ablation.svg").read_text()


def runs_without_a_partner_are_named():
    answer = json_of("compare", "seven", "unit=seed")
    table = kernelevolve.open(FOLDER / "seven").runs.set_index(["arm", "seed"]).best
    seeds = [1, 2, 3, 5, 6, 7]
    contrast, = answer["contrasts"]
    near(contrast["effect"]["value"], np.mean([table["map_elites", s] - table["greedy", s] for s in seeds]))
    near(contrast["means_of_pairs"][0], np.mean([table["map_elites", s] for s in seeds]))
    near(contrast["means_of_pairs"][1], np.mean([table["greedy", s] for s in seeds]))
    assert "greedy has no seed 4: left out of the difference" in answer["notes"], answer["notes"]
    assert "over the 6 pairs of map_elites and greedy the means are" in must("compare", "seven", "unit=seed")
    shutil.copytree(FOLDER / "s", FOLDER / "holes")
    for name in ("random.softmax.s2", "random.conv2d.s1", "random.conv2d.s2", "random.conv2d.s3"):
        (FOLDER / f"holes/{name}.kev").unlink()
    answer = json_of("compare", "holes")
    assert "random has no conv2d seeds 1, 2, 3; softmax seed 2: left out of the difference" in answer["notes"], answer["notes"]
    assert len(answer["missing"]) == 4 and all("never started" in line for line in answer["missing"])
    best = kernelevolve.open(FOLDER / "holes").runs.pivot_table(index=["task", "seed"], columns="arm", values="best")
    logs = np.log(best.random / best.default).dropna().groupby("task").mean()
    near({c["arm"]: c for c in answer["contrasts"]}["random"]["effect"]["value"], math.exp(logs.mean()))


def runs_without_a_kernel_are_counted():
    found = kernelevolve.open(FOLDER / "zf").runs
    kept = found[found.found]
    assert 0 < len(kept) < len(found)
    answer = json_of("compare", "zf")
    for arm in answer["arms"]:
        own = kept[kept.arm == arm["name"]].best
        near(arm["mean"]["value"], math.exp(np.log(own).mean()))
        assert (arm["runs"], arm["found"]) == (12, len(own)), arm
    count = answer["arms"][0]["found"]
    out = must("compare", "zf")
    assert f"{count} of 12" in out and "geometric mean" in out and "runs that found a valid kernel" in out, out
    linear = json_of("compare", "zf", "scale=linear")
    near(linear["arms"][0]["mean"]["value"], kept[kept.arm == "a"].best.mean())
    assert answer["distribution"]["shares"]["a"][0] <= count / 12
    # On a device, such a run leaves the starting kernel in place, whose objective is 1.
    lost = kernelevolve.open(FOLDER / "rec/cpp.layernorm.kev")
    lost.runs.loc[0, ["found", "best"]] = [False, np.nan]
    for endpoint in ("best_seen", "auc"):
        figure = compare.compare(lost, endpoint=endpoint).document
        near(figure["arms"][0]["mean"]["value"], 1.0)
        assert figure["arms"][0]["found"] == 0 and "counts as the starting kernel" in " ".join(figure["notes"])
        assert figure["analysis"]["scale"] == "log"


def half_an_interval_is_shown():
    document = compare.compare(FOLDER / "seven", "unit=seed").document
    comparison = compare.compare(FOLDER / "seven", "unit=seed")
    comparison.document["contrasts"][0]["effect"]["ci"] = [0.9658, None]
    assert "0.9658 .." in comparison.text() and "[0.97 .." in comparison.latex() and ",0.9658,," in comparison.csv(), comparison.latex()
    comparison.document["contrasts"][0]["effect"]["ci"] = [None, None]
    assert "unbounded" in comparison.text()
    assert document["contrasts"][0]["effect"]["ci"][0] is not None


def means_are_called_what_they_are():
    for scale, word in (("log", "geometric mean"), ("linear", "mean")):
        out = must("compare", "s", f"scale={scale}", "--latex", "m.tex", "--latex-tasks", "t.tex")
        head = next(line for line in out.splitlines() if line.startswith("arm "))
        assert (word in head) and ("geometric" in head) == (scale == "log"), head
        for name in ("m.tex", "t.tex"):
            assert ("Geometric mean" in (FOLDER / name).read_text()) == (scale == "log"), name
    assert "\\parbox" in (FOLDER / "m.tex").read_text() and "Note:" not in (FOLDER / "m.tex").read_text()


def time_that_nobody_spent_is_refused():
    refused(("compare", "s", "--against", "device_seconds", "--curves", "c2.csv"), "no run spent any device_seconds")
    assert not (FOLDER / "c2.csv").exists()
    code, out, _ = call("plot", "s", "-f", "curves", "--against", "device_seconds", "-o", "none", "--format", "")
    assert code == 1 and "no run spent any device_seconds" in out, out
    must("compare", "s", "--curves", "c3.csv")
    table = pd.read_csv(FOLDER / "c3.csv")
    assert table.evaluations.max() == 60 and (table.dropna().best_q25 <= table.dropna().best_q75).all() and table.best_median.notna().any()


# ---- archives and figures ----

def coverage_is_that_of_the_archive_that_the_search_used():
    must("run", "b.yaml", "archive={kind: cvt, cells: 50, axes: [{measure: m0, bins: 4}, {measure: m1, bins: 4}]}", "name=cvt", "seed=1..2", "-q",
         "-o", "cvt")
    must("run", "b.yaml", "archive={kind: deep_grid, depth: 3, axes: [{measure: m0, bins: 4}, {measure: m1, bins: 5}]}", "name=deep",
         "islands.count=2", "seed=1", "-q", "-o", "deep")
    for folder, cells, depth in (("cvt", 50, 1), ("deep", 20, 3)):
        found = kernelevolve.open(FOLDER / folder)
        filled = {cell // depth for cell, in rows(found.runs.file[0], "SELECT cell FROM v_archive WHERE archive = 'island'")}
        common = rows(found.runs.file[0], "SELECT count(*) FROM v_archive WHERE archive = 'passive'")[0][0]
        configured, grid = archives.diversity(found).iloc[0], archives.diversity(found, "common").iloc[0]
        assert (configured.cells, configured.filled) == (cells, len(filled)), configured
        near(configured.coverage, len(filled) / cells)
        assert grid.filled == common
        for endpoint, value in (("coverage", configured.coverage), ("common_coverage", grid.coverage), ("qd_score", configured.qd_score)):
            table, _ = compare.observe(found, analysis.read_analysis("", [f"endpoint={endpoint}"]))
            near(table.value.iloc[0], value)
    table = archives.intervals(kernelevolve.open(FOLDER / "s"))
    own = archives.diversity(kernelevolve.open(FOLDER / "s")).groupby(["task", "arm"]).coverage.mean()
    for row in table[table.measure == "coverage"].itertuples():
        near(row.mean, own[row.task, row.arm])
        assert 0 <= row.low <= row.mean <= row.high <= 1


def axes_have_their_real_edges_and_units():
    shape = archives.shape_of(kernelevolve.open(FOLDER / "rec"), 1)
    assert [axis.measure for axis in shape.axes] == ["registers", "ptx_instructions"]
    expected = [32 * (4096 / 32) ** (i / 3) for i in range(4)]
    assert np.allclose(shape.axes[1].edges, expected, rtol=1e-12), shape.axes[1].edges
    assert style.readable(shape.axes[1].edges) == ["32", "161", "813", "4096"], style.readable(shape.axes[1].edges)
    assert style.readable([0, .125, .25, .375, .5, 130.0]) == ["0", "0.125", "0.25", "0.375", "0.5", "130"]
    found = kernelevolve.open(FOLDER / "cvt")
    figure, = archives.draw(found)
    figure.draw_without_rendering()
    panel = figure.axes[0]
    assert [text.get_text() for text in panel.get_xticklabels()] == ["-1", "-0.5", "0", "0.5", "1"]
    assert (panel.get_xlabel(), panel.get_ylabel()) == ("m1", "m0") and "median of 2" in panel.get_title()
    assert all(re.fullmatch(r"[−\d.]+", text.get_text()) for text in figure.axes[1].get_yticklabels())
    for show, limits in (("visits", None), ("share", None), ("mean", (0, 30))):
        figure, = archives.draw(found, show=show, limits=limits, cmap="magma")
        if limits:
            assert figure.axes[1].get_ylim() == limits
    figure, = archives.draw(kernelevolve.open(FOLDER / "rec/cpp.layernorm.kev"))  # one elite: its value alone stands at the bar
    assert [text.get_text() for text in figure.axes[1].get_yticklabels()] == ["1.91"]
    shares = archives.table(found)[0].share
    for ask, message in ((lambda: archives.cells(found, "nosuch"), "there is no archive 'nosuch': common, configured"),
                         (lambda: found.load("nosuch"), "there is no frame 'nosuch': candidates"),
                         (lambda: found.options("island.lag"), "no run has the option 'island.lag'; near it: islands.lag")):
        assert str(raises(kernelevolve.RunError, ask)).startswith(message), message
    cells = archives.cells(found).dropna(subset=["objective"])
    assert set(shares.unique()) <= {0, .5, 1} and np.isclose(shares.sum(), len(cells) / 2)


def panels_stand_as_tasks_by_arms():
    figure, *rest = archives.draw(kernelevolve.open(FOLDER / "s"))
    titles = [panel.get_title().replace("\n", " ") for panel in figure.axes if panel.get_title()]
    assert len(titles) == 9 and len(rest) == 1 and titles[0].startswith("softmax, default, seed") and titles[1].startswith("softmax, random"), titles
    assert "median of 3" in titles[0]
    must("plot", "s", "-f", "archive", "-o", "medians", "--format", "svg")
    assert "median run by best objective" in (FOLDER / "medians/archive.txt").read_text()
    assert (FOLDER / "medians/archive_2.svg").exists()


def lines_end_with_their_runs():
    must("run", "b.yaml", "name=long", "budget.evaluations=90", "seed=1", "-q", "-o", "mixed")
    must("run", "b.yaml", "name=short", "budget.evaluations=40", "seed=1", "-q", "-o", "mixed")
    must("plot", "mixed", "-f", "diversity,curves", "-o", "ends", "--format", "svg")
    for name in ("diversity", "curves"):
        assert pd.read_csv(FOLDER / f"ends/{name}.csv").groupby("arm").evaluations.max().to_dict() == {"long": 90, "short": 40}, name


def runs_that_found_nothing_are_not_drawn_as_0():
    must("run", "b.yaml", "device.failures=1", "name=lost", "seed=1", "-q", "-o", "lost")
    code, out, _ = call("plot", "lost", "-o", "nothing", "--format", "svg")
    for name in ("curves", "ccdf", "diversity", "lineage"):
        assert f"no {name}: No valid kernel in 1 of 1 runs of lost" in out, out
    caption = (FOLDER / "nothing/archive.txt").read_text()
    assert "0 of 100 cells of rastrigin, lost are filled" in caption and "No valid kernel in 1 of 1 runs of lost" in caption, caption


def equal_runs_are_told_apart_by_ancestors():
    found = kernelevolve.open(FOLDER / "s")
    lines = figures.lines_of(found)
    for run in figures.best_runs(found):
        row = found.runs.iloc[run]
        rivals = found.runs[(found.runs.task == row.task) & (found.runs.best == row.best)].index
        assert len(lines[run]) == max(len(lines[other]) for other in rivals), row


def lost_proposals_are_told_apart():
    table = figures.tables(FOLDER / "s", figures=["failures"])["failures"]
    reasons = {reason for reason, in rows("s/default.softmax.s1.kev",
                                          "SELECT DISTINCT no_child_reason FROM candidate WHERE outcome = 'no_child'")}
    assert reasons and reasons <= set(table.reason[table.stage == "gave a kernel"]), (reasons, set(table.reason))
    for _, own in table.groupby(["task", "arm"]):
        assert own.candidates_left.iloc[0] == own.candidates_left.iloc[-1] + own.candidates_lost.sum()


def verbs_name_their_figures():
    text = must("plot", "--help")
    for name, doc in figures.DOCS.items():
        assert re.search(rf"{name} +{re.escape(doc[:20])}", text), name
        assert doc.replace(" ", "") in re.sub(r"\s", "", text), doc


def missing_packages_are_named():
    write({"without/pandas.py": "raise ImportError('not here', name='pandas')\n"})
    for words in (["compare", "s"], ["plot", "s"], ["export", "s", "-f", "mlflow", "-o", "ml"]):
        code, _, err = call(*words, PYTHONPATH=str(FOLDER / "without"))
        assert code == 2 and "pandas" in err, (words, code, err)


def the_package_stands_alone():
    """Frames, a comparison and a figure on a machine without the program, from an installed copy."""
    target = FOLDER / "site"
    shutil.copytree(SOURCE / "experiments/python/kernelevolve", target / "kernelevolve")
    script = ("import kernelevolve, kernelevolve.compare, kernelevolve.archives\nruns = kernelevolve.open('s')\n"
              "print(len(runs), kernelevolve.compare.compare(runs).arms.shape, len(kernelevolve.archives.draw(runs)))")
    _, out, err = outcome("/usr/bin/env", "-i", "PATH=/nowhere", f"PYTHONPATH={target}", sys.executable, "-c", script)
    assert out.split() == ["45", "(3,", "11)", "2"], (out, err)


if __name__ == "__main__":
    make_runs()
    carry_out(rank_tests_agree_with_scipy_and_enumeration, families_ranks_and_intervals_agree_with_libraries,
              random_numbers_are_the_published_ones, intervals_cover_at_their_level, null_sweeps_reject_at_most_at_the_level,
              power_matches_simulation, frames_are_what_sql_says, devices_are_those_that_ran_the_kernels,
              unresolved_speedups_are_no_numbers, unreadable_files_are_named, options_are_those_of_the_program,
              arms_without_a_common_seed_have_no_effect, runs_without_a_partner_are_named, runs_without_a_kernel_are_counted,
              half_an_interval_is_shown, means_are_called_what_they_are, time_that_nobody_spent_is_refused,
              coverage_is_that_of_the_archive_that_the_search_used, axes_have_their_real_edges_and_units,
              panels_stand_as_tasks_by_arms, lines_end_with_their_runs, runs_that_found_nothing_are_not_drawn_as_0,
              equal_runs_are_told_apart_by_ancestors, lost_proposals_are_told_apart, verbs_name_their_figures,
              missing_packages_are_named, the_package_stands_alone)
