#!/usr/bin/env python3
# Times nothing: may run beside others.
"""Each file of configs/examples begins with three lines: what it shows, what to type, what is seen. The command is typed
from a folder of its own as it stands there, with less to measure where that takes long; configs/README.md lists all of them.
The simulated chip needs clang-19."""
import re
import shutil
import sys

sys.path.insert(0, sys.path[0] + "/../support")
from program import SOURCE, call, fresh_folder, json_of  # noqa: E402

FOLDER = fresh_folder("examples")
SEEN = {"kernel": "naive", "chip": "naive", "landscape": "coverage", "sweep": "runs/sweep", "vectors": "QD score"}
LESS = {"kernel": ["budget.evaluations=3", "device={kind: cpu, verify_time: 100ms, verify_clusters: 2}", "verify.cells=1"],
        "chip": ["budget.evaluations=3"], "sweep": ["budget.evaluations=100"]}


def words_of(path):
    """The command of the second line, for this tree."""
    lines = path.read_text().splitlines()[:4]
    assert all(line.startswith("# ") for line in lines[:3]) and not lines[3].startswith("#"), path
    verb, config, *rest = re.fullmatch(r"#   kernelevolve (.*)", lines[1])[1].split()
    assert config == f"configs/examples/{path.name}", config
    return [verb, SOURCE / config, *rest]


def main():
    listed = set(re.findall(r"\(examples/(\w+)\.yaml\)", (SOURCE / "configs/README.md").read_text()))
    examples = {path.stem: path for path in sorted((SOURCE / "configs/examples").iterdir())}
    assert listed == set(examples) == set(SEEN), (listed, set(examples))
    for name, path in examples.items():
        code, out, err = call(*words_of(path), *LESS.get(name, []))
        if name == "chip" and code != 0 and not shutil.which("clang-19"):
            print(f"{name}: not run, clang-19 is missing: {err.splitlines()[-1]}")
            continue
        assert code == 0 and SEEN[name] in out, (name, code, out[-2000:], err[-2000:])
        files = list((FOLDER / "runs" / name).glob("*.kev"))
        assert files, name
        print(f"{name}: {len(files)} runs", flush=True)
    effects = json_of("compare", "runs/sweep")["main_effects"]
    assert [one["factor"] for one in effects] == ["islands.count", "operators.knob_crossover.weight"], effects


if __name__ == "__main__":
    main()
