#!/usr/bin/env python3
"""The pages of verbs match the program's declarations, none is missing or left over, and each
example runs, in the order of the list. Examples of reports or drawings are left out, with a
message, if this machine cannot make them."""
import json
import os
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from drawing import can_draw  # noqa: E402

SOURCE, BUILD, BINARY = pathlib.Path(os.environ["KE_SOURCE"]), pathlib.Path(os.environ["KE_BUILD"]), os.environ["KERNELEVOLVE"]
DOCS = SOURCE / "experiments/docs"
BY_HAND = ["several_hosts.md", "slurm.md"]
SERVERS = {"watch", "mock-llm"}  # they run until Ctrl-C
WHEN_INTERRUPTED = "timeout --foreground --preserve-status -s INT 1 "


def pages_are_up_to_date():
    shutil.rmtree("pages", ignore_errors=True)
    os.mkdir("pages")
    subprocess.run([DOCS / "write.py", BINARY, "pages"], check=True)
    written = {path.name: path.read_text() for path in pathlib.Path("pages").iterdir()}
    kept = {path.name: path.read_text() for path in DOCS.glob("*.md") if path.name not in BY_HAND}
    stale = sorted(name for name in written.keys() | kept.keys() if written.get(name) != kept.get(name))
    assert not stale, f"out of date: {stale}; run experiments/docs/write.py {BINARY}"


def scratch_tree():
    """A folder with the files that examples name, and with this build in PATH."""
    tree = pathlib.Path("tree").resolve()
    shutil.rmtree(tree, ignore_errors=True)
    tree.mkdir()
    (tree / "configs").symlink_to(SOURCE / "configs")
    return tree


def left_out():
    page = (BUILD / "experiments/page_text.cpp").exists()
    torch = subprocess.run(["python3", "-c", "import torch"], capture_output=True).returncode == 0
    newer = "import torch; assert tuple(map(int, torch.__version__.split('.')[:2])) >= (2, 5)"
    exports = subprocess.run(["python3", "-c", newer], capture_output=True).returncode == 0
    lacking = ([] if page else ["report", "watch"]) + ([] if can_draw() else ["plot"]) + ([] if torch else ["import"]) \
        + ([] if exports else ["needs"])
    if lacking:
        print("this build or machine cannot run the examples of:", ", ".join(lacking))
    return lacking


def examples_run(verbs):
    tree, lacking = scratch_tree(), left_out()
    environment = {**os.environ, "PATH": f"{pathlib.Path(BINARY).parent}:{os.environ['PATH']}"}
    for verb in verbs:
        if verb["name"] in lacking:
            continue
        script = (WHEN_INTERRUPTED if verb["name"] in SERVERS else "") + verb["example"]
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", script], cwd=tree, env=environment, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
        assert done.returncode == 0, (verb["name"], done.returncode, script, done.stdout[-1000:], done.stderr[-1000:])


def main():
    pages_are_up_to_date()
    listed = subprocess.run([BINARY, "list", "verbs", "--json"], check=True, capture_output=True, text=True)
    verbs = json.loads(listed.stdout)["verbs"]
    assert all(verb["example"] and verb["summary"] for verb in verbs)
    examples_run(verbs)
    print(f"{len(verbs)} pages, examples run")


main()
