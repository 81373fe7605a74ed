#!/usr/bin/env python3
"""Runs every command of the tutorials and how-tos, each page as one bash script with -e in an empty folder, and prints
how long each page takes. Blocks that need PyTorch, and lines that call `plot`, are left out where it cannot run; the test
says so."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

sys.path.insert(0, sys.path[0] + "/../support")
from markdown_blocks import blocks  # noqa: E402
from needs import can_draw, has_torch  # noqa: E402
from program import BUILD, SOURCE  # noqa: E402

DOCS = SOURCE / "experiments/docs"
# Debian's python3 first: it has the packages that tests install.
ENVIRONMENT = {**os.environ, "TREE": str(SOURCE), "PATH": f"{BUILD}:/usr/bin:{os.environ['PATH']}"}


def script_of(page, left_out):
    parts = []
    for line, script, needs in blocks(page.read_text()):
        if needs in left_out:
            print(f"{page.name}:{line}: left out, {needs} is missing")
            continue
        parts.append(f"echo '== {page.name}:{line}' >&2\n{script}")
    text = "\n".join(parts).replace("verify_time: 500ms", "verify_time: 250ms, verify_clusters: 4")  # no figure is kept
    return re.sub(r"^kernelevolve plot .*\nls figures\n", "", text, flags=re.MULTILINE) if "plot" in left_out else text


def run(page, left_out):
    folder = pathlib.Path(page.stem).resolve()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
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
