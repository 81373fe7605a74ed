#!/usr/bin/env python3
# Times nothing: may run beside others.
"""Packs a tiny study with its runs, unpacks it in a clean folder, and judges its claims there in
every tier. All claims pass, and fail after a change. sha256sum checks the hashes. Wrong requests
get one clear error."""
import json
import shutil
import sys

import yaml

sys.path.insert(0, sys.path[0] + "/../support")
from landscape import landscape  # noqa: E402
from program import SOURCE, STORE, call, edit, fresh_folder, json_of, must, outcome, refused, write  # noqa: E402

FOLDER = fresh_folder("artifact")
BASE = """schema: kernelevolve/1
budget: {evaluations: 20}
device: {kind: landscape, files: [landscape.json]}
islands: {count: 2, lag: 0}
archive: {axes: [{measure: first_half, bins: 3}, {measure: second_half, bins: 3}]}
operators: {knob_step: 4, knob_crossover: 2, random_restart: 1}
"""
SWEEP = """schema: kernelevolve-sweep/1
base: base.yaml
seeds: [1, 2]
arms:
  default: {}
  random: {strategy: random, operators!: {random_restart: 1}}
analysis: {endpoint: best_seen, reference: default, unit: seed}
"""
FUNCTION = "schema: kernelevolve/1\nbudget: {evaluations: 30}\nseed: [1, 2]\ndevice: {kind: function, dimensions: 3}\n"
CLAIMS = """study: tiny
kind: new
hash: unknown
claims:
  - id: two
    claim: "one and one"
    command: "expr 1 + 1"
    low: 2
    high: 2
    tiers: "smoke replay full"
    minutes: 0
"""


def ran(*words, **how):
    """Standard output of a command that succeeds."""
    code, out, err = outcome(*words, **how)
    assert code == 0, (words, code, out, err)
    return out


def make_study():
    """Makes papers/tiny with a claim, next to the scripts that studies share."""
    study = FOLDER / "papers/tiny"
    write({"claims.yaml": CLAIMS, "report.py": "#!/bin/sh\necho a table\n"}, study)
    (study / "report.py").chmod(0o755)
    for name in ("check_claims.py", "reproduce.sh"):
        shutil.copy2(SOURCE / "papers" / name, FOLDER / "papers" / name)
    digest = ran("papers/check_claims.py", study, "hash").strip()
    (study / "claims.yaml").write_text(CLAIMS.replace("unknown", digest))


def make_runs():
    times = landscape({"a": range(6), "b": range(5)}, lambda a, b: 1 + (a - 2) ** 2 + 0.5 * (b - 3) ** 2)
    write({"landscape.json": json.dumps(times), "base.yaml": BASE, "s.yaml": SWEEP, "f.yaml": FUNCTION})
    must("sweep", "s.yaml", "-o", "sweep", "-q")
    must("run", "f.yaml", "-o", "function", "-q")


def unpack(name):
    """Unpacks the package in a clean folder, where its sources are out of reach."""
    clean = FOLDER / "clean"
    shutil.rmtree(clean, ignore_errors=True)
    clean.mkdir()
    ran("tar", "-xf", FOLDER / f"{name}.tar", "-C", clean)
    assert [path.name for path in clean.iterdir()] == [name]
    return clean / name


def judged(package, tier):
    """{claim: PASS or FAIL}, and the exit code."""
    code, out, err = outcome("./reproduce.sh", tier, cwd=package, OUT=str(FOLDER / f"out.{tier}"), HOME=str(FOLDER))
    words = [line.split() for line in out.splitlines() if line.startswith(("PASS", "FAIL"))]
    return {word[1].rstrip(":"): word[0] for word in words}, code, out + err


def citation_is_complete(package, authors):
    """The keys that the Citation File Format 1.2.0 requires, read by PyYAML."""
    cited = yaml.safe_load((package / "CITATION.cff").read_text())
    assert cited["cff-version"] == "1.2.0" and cited["message"] and package.name in cited["title"], cited
    assert [one["name"] for one in cited["authors"]] == authors, cited
    version = must("--version").split()[-1]
    assert cited["references"][0]["version"] == version and cited["references"][0]["authors"], cited
    own = yaml.safe_load((SOURCE / "CITATION.cff").read_text())
    assert {"cff-version", "message", "title", "authors"} <= set(own) and str(own["version"]) == version, own


def every_tier_passes_in_a_clean_folder(package):
    ran("sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS", cwd=package)
    listed = {line.split("  ")[1] for line in (package / "SHA256SUMS").read_text().splitlines()}
    there = {str(path.relative_to(package)) for path in package.rglob("*") if path.is_file()}
    assert there == listed | {"SHA256SUMS"}, there ^ listed
    (FOLDER / "landscape.json").unlink()
    counts = {"smoke": 4, "full": 10}  # files, one or four of each folder of runs, and the study's
    for tier, count in counts.items():
        claims, code, text = judged(package, tier)
        assert code == 0 and len(claims) == count and set(claims.values()) == {"PASS"}, (tier, claims, text)
        assert "a table" in text
    for name, tables in (("sweep", {"archive.csv", "curves.csv", "ablation.csv", "compare.csv"}), ("function", {"curves.csv"})):
        assert tables <= {path.name for path in (package / "expected" / name).iterdir()}
    citation_is_complete(package, ["A. Author", "B: \"quoted\" Author"])
    text = (package / "README.md").read_text()
    for line in ("| Licence of the program |", "| Hardware |", "| Experiments | `runs/sweep`, `runs/function`", "| Publicly available"):
        assert line in text, line
    for fact in ("`runs/sweep`: 4 ", "default; random", "landscape", "function", "`sweep_replayed`", "papers/tiny", " 80 |"):
        assert fact in text, (fact, text)
    assert "{" not in text and str(FOLDER) not in "".join(path.read_text() for path in package.rglob("*.[jmy]*"))


def what_is_changed_fails(package):
    table = package / "expected/function/curves.csv"
    table.write_text(table.read_text().replace("sphere", "ball", 1))
    edit(package / "runs/function/f.sphere.s1.kev", "UPDATE evaluation SET objective = objective + 1 WHERE candidate_id = 5")
    claims, code, text = judged(package, "smoke")
    assert code == 1 and claims == {"files": "FAIL", "sweep_hashes": "PASS", "function_hashes": "FAIL", "two": "PASS"}, text
    counts = {words: ran("./claim.py", *words, cwd=package, OUT=str(FOLDER / "out.changed")).strip()
              for words in (("changed",), ("figures", "function"), ("replayed", "sweep"), ("replayed", "function"))}
    assert int(counts.pop(("figures", "function"))) > 0 and list(counts.values()) == ["2", "0", "1"], counts
    assert outcome("./reproduce.sh", "quick", cwd=package)[0] == 2
    code, _, err = outcome("./reproduce.sh", "smoke", cwd=package, KERNELEVOLVE="", PATH="/usr/bin:/bin")
    assert code == 2 and "KERNELEVOLVE names it" in err, (code, err)


def numeric_runs_claim_no_replay():
    """They record no facts to run again from; all other claims hold."""
    write({"numeric.yaml": "device: {kind: function, function: sphere, dimensions: 10}\n"
                           "strategy: {kind: cma_mae, iterations: 5}\n"
                           "archive: {axes: [{measure: m0, bins: 10}, {measure: m1, bins: 12}]}\n"})
    must("run", "numeric.yaml", "-o", "vectors", "-q")
    must("ae", "pack", "vectors", "-o", "vectors.tar")
    claims, code, text = judged(unpack("vectors"), "full")
    assert code == 0 and claims == dict.fromkeys(("files", "vectors_hashes", "vectors_figures", "vectors_again"), "PASS"), text


def sources_come_along():
    write({"kept.txt": "kept", "left.txt": "left"}, "tree")
    ran("git", "init", "-q", ".", cwd="tree")
    ran("git", "add", "kept.txt", cwd="tree")
    (FOLDER / "again").mkdir()
    for out in ("with.tar", "again/with.tar"):
        must("ae", "pack", "papers/tiny", "--source", "tree", "-o", out)
    assert (FOLDER / "with.tar").read_bytes() == (FOLDER / "again/with.tar").read_bytes()
    package = unpack("with")
    citation_is_complete(package, ["The authors of with"])
    assert [path.name for path in (package / "source").iterdir()] == ["kept.txt"]
    assert judged(package, "smoke")[:2] == ({"files": "PASS", "two": "PASS"}, 0)


def wrong_requests_get_one_error():
    (FOLDER / "empty").mkdir()
    shutil.copytree(FOLDER / "papers/tiny", FOLDER / "other")
    shutil.copytree(FOLDER / "function", FOLDER / "papers/function")
    shutil.copytree(FOLDER / "function", FOLDER / "two words")
    shutil.copytree(FOLDER / "function", FOLDER / "begun")
    shutil.copytree(FOLDER / "function", FOLDER / "unnamed")
    (FOLDER / "unnamed/index.json").unlink()
    edit("begun/f.sphere.s1.kev", "DELETE FROM stop")
    for words, error in [
            (["pack"], "needs pack FOLDER"),
            (["unpack", "sweep"], "'unpack' is not 'pack'"),
            (["pack", "nowhere"], "nowhere: no such folder"),
            (["pack", "empty"], "empty: holds neither claims.yaml nor run files (*.kev)"),
            (["pack", "papers/tiny", "other"], "an artifact holds one study"),
            (["pack", "function", "papers/function"], "two folders of runs are called 'function'"),
            (["pack", "two words"], "two words: the name of a folder"),
            (["pack", "begun"], "'kernelevolve resume' goes on with it"),
            (["pack", "unnamed"], "unnamed: has no index.json"),
            (["pack", "sweep"], "landscape.json: the task of a run is no longer there"),
            (["pack", "function", "-o", "tiny.tar"], "tiny.tar exists and is not overwritten"),
            (["pack", "function", "-o", "a.zip"], "a.zip does not end in .tar"),
            (["pack", "function", "--source", "empty/no"], "git knows no tree there")]:
        code, out, err = call("ae", *words)
        assert code == 2 and not out and error in err and err.count("\n") == 1, (words, code, out, err)
    err = refused(("ae", "pack", "papers/tiny", "-o", "no/such/folder.tar"), "cannot be written", code=STORE)
    assert err.count("\n") == 1, err
    assert not (FOLDER / "artifact.tar").exists()


def main():
    make_study()
    make_runs()
    packed = json_of("ae", "pack", "papers/tiny", "sweep", "function", "-o", "tiny.tar", "--authors", 'A. Author; B: "quoted" Author')
    assert packed["runs"] == 6 and packed["bytes"] == (FOLDER / "tiny.tar").stat().st_size
    package = unpack("tiny")
    every_tier_passes_in_a_clean_folder(package)
    what_is_changed_fails(package)
    numeric_runs_claim_no_replay()
    sources_come_along()
    wrong_requests_get_one_error()
    print(f"{packed['files']} files packed; all tiers pass, what is changed fails")


main()
