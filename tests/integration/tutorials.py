#!/usr/bin/env python3
# Long: tests/run.sh --all runs it.
"""Runs every command of the tutorials and how-tos, each page as one bash script with -e in an empty folder, and prints
how long each page takes. What makes figures precise, of which none is looked at, is replaced: settings, large shapes.
Blocks that need PyTorch, and lines that call `plot`, are left out where it cannot run; the test says so."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

sys.path.insert(0, sys.path[0] + "/../support")
from axpb import copy_smaller  # noqa: E402
from markdown_blocks import blocks, with_less_work  # noqa: E402
from needs import can_draw, has_torch  # noqa: E402
from program import BUILD, SOURCE  # noqa: E402

DOCS = SOURCE / "experiments/docs"
QUICK = "verify_time: 100ms, verify_clusters: 3"
LESS_WORK = {
    "tutorial_ablation.md": {"seed: 1..10": "seed: 1..3"},
    "tutorial_kernel.md": {"verify_time: 500ms": QUICK, "evaluations: 12": "evaluations: 6",
                           "{rows: 512, cols: 1024": "{rows: 128, cols: 512", "rows: 300, cols: 1500": "rows: 100, cols: 700",
                           "rows: 2000, cols: 300": "rows: 400, cols: 150", "rows: 250, cols: 4000": "rows: 60, cols: 1000"},
    "tutorial_language_model.md": {"device: cpu\n": f"device: {{kind: cpu, {QUICK}}}\n",
                                   "naive_flag_sets: 2": "naive_flag_sets: 1"},
    "tutorial_module.md": {"verify_time: 500ms": QUICK, "rows, columns = 600, 1000": "rows, columns = 60, 100",
                           "points, centres = 400, 90": "points, centres = 80, 30",
                           "rows, features = 500, 768": "rows, features = 50, 128"},
}
# Debian's python3 first: it has the packages that tests install.
ENVIRONMENT = {**os.environ, "TREE": str(SOURCE), "PATH": f"{BUILD}:/usr/bin:{os.environ['PATH']}"}


def script_of(page, left_out):
    parts = []
    for line, script, needs in blocks(page.read_text()):
        if needs in left_out:
            print(f"{page.name}:{line}: left out, {needs} is missing")
            continue
        parts.append(f"echo '== {page.name}:{line}' >&2\n{script}")
    text = with_less_work("\n".join(parts), LESS_WORK.get(page.name, {}))
    return re.sub(r"^kernelevolve plot .*\nls figures\n", "", text, flags=re.MULTILINE) if "plot" in left_out else text


def run(page, left_out):
    folder = pathlib.Path(page.stem).resolve()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    if page.name == "extend.md":
        copy_smaller(folder)
    start = time.monotonic()
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", script_of(page, left_out)], cwd=folder, env=ENVIRONMENT,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print(f"{page.name}: {time.monotonic() - start:.0f} s, exit code {done.returncode}", flush=True)
    if done.returncode != 0:
        print(done.stdout[-3000:])
    return done.returncode == 0


def main():
    os.environ["PATH"] = ENVIRONMENT["PATH"]
    left_out = set() if has_torch() else {"torch"}
    if not can_draw():
        print("python3-matplotlib is missing: the lines that call 'plot' are left out")
        left_out.add("plot")
    pages = sorted(DOCS.glob("tutorial_*.md")) + [DOCS / "extend.md"]
    assert len(pages) >= 4, pages
    return 0 if all([run(page, left_out) for page in pages]) else 1


sys.exit(main())
