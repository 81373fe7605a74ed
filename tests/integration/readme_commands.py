#!/usr/bin/env python3
"""Runs every command of the ```sh blocks of all README.md files, and of CONTRIBUTING.md, in a scratch copy of the tree.

In the copy, what makes figures precise, of which none is looked at, has other values. A block runs as one bash script
with -e. `<!-- test: COMMAND -->` on the line before a block runs COMMAND in its place, for blocks that take long or start
this test again. The first blocks make what the later ones read. Where npm could not fetch the page of reports, lines that
call `report` are left out, those that call `plot` where matplotlib is missing, and the test says so.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, sys.path[0] + "/../support")
from axpb import SMALLER  # noqa: E402
from markdown_blocks import blocks, lessen_work  # noqa: E402
from needs import can_draw  # noqa: E402
from program import BUILD, SOURCE  # noqa: E402

QUICK = "verify_time: 100ms, verify_clusters: 3"
LESS_WORK = {
    "README.md": {"seeds=1..6": "seeds=1..3", "verify_time: 200ms": QUICK},
    "configs/ablations/crossover.yaml": {"seeds: 1..10": "seeds: 1..3"},
    "configs/llm.yaml": {"device: cpu": f"device: {{kind: cpu, {QUICK}}}", "cells: 3}": "cells: 3, naive_flag_sets: 1}"},
    "configs/modules/gated_norm.py": {"rows = 512": "rows = 50", "features = 1024": "features = 128"},
    "configs/tasks/conformance/axpb/task.yaml": SMALLER,
    # By name, these two verbs would take the task of the tree itself; docs runs the second as it stands.
    "experiments/README.md": {"check conformance/axpb": "check ./configs/tasks/conformance/axpb",
                              "eval conformance/axpb": "eval ./configs/tasks/conformance/axpb"},
}


def tree_files():
    listed = subprocess.run(["git", "-c", "safe.directory=*", "ls-files", "-co", "--exclude-standard", "-z"],
                            cwd=SOURCE, check=True, capture_output=True, text=True).stdout
    return [name for name in listed.split("\0") if name and (SOURCE / name).is_file()]


def copy_tree(files):
    """Copies the tree to ./copy, with this build at build/release."""
    copy = pathlib.Path("copy").resolve()
    shutil.rmtree(copy, ignore_errors=True)
    for name in files:
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(SOURCE / name, copy / name)
    (copy / "build").mkdir()
    (copy / "build/release").symlink_to(BUILD)
    return copy


def readmes(files):
    """Sorts the top README.md first: its commands make the runs that others may show."""
    return sorted((name for name in files if pathlib.Path(name).name in ("README.md", "CONTRIBUTING.md")),
                  key=lambda name: (name.count("/"), name))


def left_out():
    """Verbs that this build or machine cannot run."""
    verbs = []
    if not (BUILD / "experiments/page_text.cpp").exists():
        print("this build has no page of reports: the lines that call 'report' are left out")
        verbs.append("report")
    if not can_draw():
        print("python3-matplotlib is missing: the lines that call 'plot' are left out")
        verbs.append("plot")
    return verbs


def without(verbs, script):
    for verb in verbs:
        script = re.sub(rf"^.*kernelevolve {verb} .*\n?", "", script, flags=re.MULTILINE)
    return script


def main():
    lacking = left_out()
    files = tree_files()
    copy = copy_tree(files)
    lessen_work(copy, LESS_WORK)
    environment = os.environ | {"PATH": f"{copy}/build/release:{os.environ['PATH']}"}
    ran = failed = 0
    for name in readmes(files):
        for line, script, _ in blocks((copy / name).read_text()):
            script = without(lacking, script)
            done = subprocess.run(["bash", "-euo", "pipefail", "-c", script], cwd=copy, stdin=subprocess.DEVNULL, env=environment,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
            ran += 1
            if done.returncode != 0:
                failed += 1
                print(f"{name}:{line}: exit code {done.returncode}\n{script}\n{done.stdout[-2000:]}")
    print(f"{ran} blocks, {failed} failed")
    return 1 if failed or ran == 0 else 0


sys.exit(main())
