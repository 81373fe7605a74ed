#!/usr/bin/env python3
# Times nothing: may run beside others.
"""Each file of configs/examples begins with three lines: what it shows, what to type, what is seen. The command is typed
from a folder of its own as it stands there; configs/README.md lists all of them. The simulated chip needs clang-19."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

BINARY, SOURCE = os.environ["KERNELEVOLVE"], pathlib.Path(os.environ["KE_SOURCE"])
FOLDER = pathlib.Path("examples").resolve()
SEEN = {"kernel": "naive", "chip": "naive", "landscape": "coverage", "sweep": "runs/sweep", "vectors": "QD score"}


def call(words):
    return subprocess.run(words, cwd=FOLDER, capture_output=True, text=True, timeout=300)


def words_of(path):
    """The command of the second line, for this binary and tree."""
    lines = path.read_text().splitlines()[:4]
    assert all(line.startswith("# ") for line in lines[:3]) and not lines[3].startswith("#"), path
    verb, config, *rest = re.fullmatch(r"#   kernelevolve (.*)", lines[1])[1].split()
    assert config == f"configs/examples/{path.name}", config
    return [BINARY, verb, str(SOURCE / config), *rest]


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    listed = set(re.findall(r"\(examples/(\w+)\.yaml\)", (SOURCE / "configs/README.md").read_text()))
    examples = {path.stem: path for path in sorted((SOURCE / "configs/examples").iterdir())}
    assert listed == set(examples) == set(SEEN), (listed, set(examples))
    for name, path in examples.items():
        done = call(words_of(path))
        if name == "chip" and done.returncode != 0 and not shutil.which("clang-19"):
            print(f"{name}: not run, clang-19 is missing: {done.stderr.splitlines()[-1]}")
            continue
        assert done.returncode == 0 and SEEN[name] in done.stdout, (name, done.returncode, done.stdout[-2000:], done.stderr[-2000:])
        files = list((FOLDER / "runs" / name).glob("*.kev"))
        assert files, name
        print(f"{name}: {len(files)} runs", flush=True)
    effects = json.loads(call([BINARY, "compare", "runs/sweep", "--json"]).stdout)["main_effects"]
    assert [one["factor"] for one in effects] == ["islands.count", "operators.knob_crossover.weight"], effects
    return 0


if __name__ == "__main__":
    sys.exit(main())
