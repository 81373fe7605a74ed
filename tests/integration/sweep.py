#!/usr/bin/env python3
# Times nothing: may run beside others.
"""A sweep of function runs is killed at random moments and goes on to the histories of one that never was; compare
says what it shows and what it cannot; bad documents are refused with file, line and column."""

import csv
import itertools
import json
import random
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, sys.path[0] + "/../support")
from program import SOURCE, call, carry_out, fresh_folder, histories, json_of, must, refused, start, write  # noqa: E402

FOLDER = fresh_folder("sweep")
BASE = """budget: {evaluations: 80}
device: {kind: function, function: sphere, dimensions: 4, delay_us: 500}
archive: {axes: [{measure: m0, bins: 4}, {measure: m1, bins: 4}]}
operators: {knob_step: 4, knob_crossover: 2, random_restart: 1}
"""
SWEEP = """schema: kernelevolve-sweep/1
base: base.yaml
tasks: [sphere, rastrigin]
seeds: 1..8
arms:
  default: {}
  random: {strategy: random, operators!: {random_restart: 1}}
  lag: {islands.lag: 0}
analysis: {endpoint: best_seen, reference: default, unit: seed}
"""


def killed_sweep_goes_on():
    whole = json_of("sweep", "s.yaml", "-o", "whole", "-q", "-j", "2")
    assert (whole["planned"], whole["done"], whole["failures"]) == (48, 48, []), whole
    kills = 0
    rng = random.Random(1)
    while True:
        process = start("sweep", "s.yaml", "-o", "killed", "-q", "-j", "2", stderr=subprocess.PIPE, text=True)
        try:
            if process.wait(rng.uniform(0.2, 0.8)) == 0:
                break
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
            kills += 1
            assert kills < 300, "it makes no progress"
            json.loads((FOLDER / "killed/sweep.json").read_text() if (FOLDER / "killed/sweep.json").exists() else "0")
            continue
        raise AssertionError(process.stderr.read())
    assert kills >= 2, kills
    assert histories("killed") == histories("whole") and len(histories("whole")) == 48
    print(f"killed {kills} times, equal histories of 48 runs", flush=True)


def interrupted_sweep_says_so():
    process = start("sweep", "s.yaml", "-o", "signal", "-q", "device.delay_us=3000", stderr=subprocess.PIPE, text=True)
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    assert process.wait(30) == 130
    assert "the same command goes on" in process.stderr.read()
    code, _, err = call("compare", "signal")
    assert code in (0, 2), err  # may be incomplete


def another_sweep_is_refused():
    refused(("sweep", "s.yaml", "-o", "whole", "analysis.alpha=0.01"), "its analysis was fixed before its first run")
    refused(("sweep", "s.yaml", "-o", "whole", "seeds=[1, 2]"), "its matrix of arms, tasks and seeds")


def compare_says_what_it_shows():
    report = json_of("compare", "whole", "--csv", "c.csv", "--latex", "c.tex")
    assert report["analysis"]["declared"] and not report["exploratory"], report
    by_arm = {c["arm"]: c for c in report["contrasts"]}
    runs = json_of("status", "whole")["runs"]
    best = {}
    for run in runs:
        arm, task, seed = run["file"].rsplit("/", 1)[-1].split(".")[:3]
        best[arm, task, seed] = run["champion"]["seen"]["speedup"]
    seeds = sorted({seed for _, _, seed in best})
    # Computed from the runs' own figures: the mean over tasks of each seed's difference.
    units = [sum(best["random", t, s] - best["default", t, s] for t in ("sphere", "rastrigin")) / 2 for s in seeds]
    assert abs(by_arm["random"]["effect"]["value"] - sum(units) / len(units)) < 1e-9, (units, by_arm["random"])
    assert by_arm["random"]["units"] == 8 and by_arm["random"]["pairs"] == 16
    # The p-value is never below that of all 2^8 sign changes.
    flips = [abs(sum(s * u for s, u in zip(signs, units))) for signs in itertools.product((1, -1), repeat=len(units))]
    exact = sum(f >= abs(sum(units)) - 1e-9 for f in flips) / len(flips)
    assert by_arm["random"]["p"] >= exact - 1e-12, (exact, by_arm["random"])
    significant = by_arm["random"]["p_adjusted"] < 0.05
    assert significant == (by_arm["random"]["conclusion"] in ("better", "worse")), by_arm["random"]
    assert len(report["provenance"]["config_ids"]) == 3 and "8 seeds (1..8)" in report["caption"], report["caption"]
    rows = list(csv.DictReader((FOLDER / "c.csv").open()))
    assert [row["arm"] for row in rows] == ["default", "random", "lag"], rows
    assert float(rows[1]["effect"]) == by_arm["random"]["effect"]["value"]
    tex = (FOLDER / "c.tex").read_text()
    for part in ("\\toprule", "\\caption{Mean best objective seen by arm", "p_{\\mathrm{Holm}}", "budget 80 evaluations", "lag 2/0", "simulated"):
        assert part in tex, (part, tex)
    explored = json_of("compare", "whole", "endpoint=auc")
    assert "differs from the one that was hashed" in explored["exploratory"]
    index = FOLDER / "whole/sweep.json"
    kept = index.read_text()
    index.write_text(kept.replace("analysis.alpha = 0.05", "analysis.alpha = 0.3"))
    assert "changed after it was hashed" in json_of("compare", "whole")["exploratory"]
    index.write_text(kept)


def three_seeds_are_too_few():
    files = [FOLDER / f"whole/{arm}.sphere.s{seed}.kev" for arm in ("default", "random") for seed in (1, 2, 3)]
    for test in ("paired_hierarchical_bootstrap", "mann_whitney"):
        code, out, err = call("compare", *files, "unit=seed", f"test={test}")
        assert code == 0 and "p < 0.05 is out of reach" in out and "EXPLORATORY" in out, (out, err)
        assert "*" not in out


def different_limits_are_refused():
    must("sweep", "s.yaml", "-o", "short", "-q", "budget.evaluations=40", "seeds=1..6")
    (FOLDER / "mixed").mkdir()
    for seed in range(1, 7):
        shutil.copy(FOLDER / f"whole/default.sphere.s{seed}.kev", FOLDER / f"mixed/long.sphere.s{seed}.kev")
        shutil.copy(FOLDER / f"short/default.sphere.s{seed}.kev", FOLDER / f"mixed/short.sphere.s{seed}.kev")
    refused(("compare", "mixed"), "different limits", "--carry-forward")
    assert json_of("compare", "mixed", "--carry-forward")["carried_forward"]


def failures_are_recorded():
    (FOLDER / "broken").mkdir()
    (FOLDER / "broken/random.sphere.s2.kev").write_bytes(b"no run" * 100)
    code, out, err = call("sweep", "s.yaml", "-o", "broken", "-q", "seeds=1..3", "--json")
    failures = json.loads(out)["failures"]
    assert code == 7 and len(failures) == 1 and failures[0]["file"] == "random.sphere.s2.kev", (code, out)
    assert json.loads(out)["done"] == 17
    missing = json_of("compare", "broken")["missing"]
    assert len(missing) == 1 and "failed" in missing[0], missing
    (FOLDER / "broken/random.sphere.s2.kev").unlink()
    again = json_of("sweep", "s.yaml", "-o", "broken", "-q", "seeds=1..3")
    assert again["done"] == 18 and not again["failures"], again


def bad_documents_are_refused():
    for text, message in (
            ("arms: {a: {islands.count: 0}}", "bad.yaml:3:27: 'islands.count' = 0 is outside [1, 1024]"),
            ("armz: {}", "bad.yaml:3:1: unknown key 'armz'; did you mean 'arms'?"),
            ("arms: {a: {}, a: {}}", "bad.yaml:3:15: duplicate key 'a'"),
            ("arms: {a: {}, b: {budget.evaluations: 9}}", "arms are compared at equal budgets"),
            ("analysis: {unit: kernel}", "bad.yaml:3:18: 'analysis.unit' = kernel is not one of")):
        write({"bad.yaml": f"schema: kernelevolve-sweep/1\nbase: base.yaml\n{text}\n"})
        for verb in ("sweep", "check"):
            refused((verb, "bad.yaml"), message)


def arms_are_diffed():
    out = must("check", "s.yaml", "--diff-arms")
    assert "-islands.lag = 2\n+islands.lag = 0\n" in out, out
    write({"hidden.yaml": SWEEP.replace("lag: {islands.lag: 0}", "lag: {islands.lag: 0}\nfactor: strategy")})
    out = must("check", "hidden.yaml", "--diff-arms", codes=(1,))
    assert "# not declared:\n-islands.lag = 2" in out, out


def shipped_ablations_are_clean():
    for path in sorted((SOURCE / "configs/ablations").glob("*.yaml")):
        if "kernelevolve-sweep/1" in path.read_text():
            must("check", path, "--diff-arms")
            must("sweep", path, "--dry-run")


if __name__ == "__main__":
    write({"base.yaml": BASE, "s.yaml": SWEEP})
    carry_out(killed_sweep_goes_on, interrupted_sweep_says_so, another_sweep_is_refused, compare_says_what_it_shows,
              three_seeds_are_too_few, different_limits_are_refused, failures_are_recorded, bad_documents_are_refused,
              arms_are_diffed, shipped_ablations_are_clean)
