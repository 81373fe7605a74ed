#!/usr/bin/env python3
"""The pages are those that the program's declarations give, none is missing or left over, the example of each verb runs,
in the order of the list, and the documented JSON fields are there. Where reports or drawings cannot be made on this
machine, their examples are left out, and the test says so.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, sys.path[0] + "/../support")
from axpb import SMALLER  # noqa: E402
from markdown_blocks import lessen_work, with_less_work  # noqa: E402
from needs import can_draw, has_torch  # noqa: E402
from program import BINARY, BUILD, SOURCE, call, json_of  # noqa: E402

DOCS = SOURCE / "experiments/docs"
SERVERS = {"watch"}  # they run until Ctrl-C
# Verbs whose example another test runs, which takes minutes.
RUN_ELSEWHERE = {"optimise": "README.md, by readme_commands"}
# What makes figures precise, of which none is looked at: in the examples and in the files that they name.
QUICKER = {"dispatch": {"evaluations=8": "evaluations=3", "verify_time=200ms": "verify_time=100ms device.verify_clusters=2",
                        "--draw 2": "--draw 1"}}
SMALLER_FILES = {
    "configs/modules/linear_gelu.py": {"= 512": "= 48", "= 768": "= 96", "= 1024": "= 80"},
    "configs/tasks/conformance/axpb/task.yaml": SMALLER,
    "configs/tasks/layernorm/task.yaml": {
        "rows: 9001,": "rows: 901,", "rows: 512,": "rows: 129,", "rows: 1024,": "rows: 100,", "rows: 300,": "rows: 99,",
        "rows: 128,": "rows: 30,", "rows: 9973,": "rows: 997,"},
}
WHEN_INTERRUPTED = "timeout --foreground --preserve-status -s INT 1 "
# Calls whose JSON is compared with json_fields.md, on what the examples leave behind.
JSON_CALLS = {
    # By name it would be the task of the tree itself, with its large shapes.
    "eval": "eval ./configs/tasks/conformance/axpb configs/tasks/conformance/axpb/vectorised.cpp --only correctness",
    "status": "status runs/first",
    "show": "show runs/first",
    "verify": "verify runs/first/function_base.rastrigin.s1.kev",
    "compare": "compare runs/crossover",
    "plot": "plot runs/crossover -o figures --figure curves,roofline",
    "ae": "ae pack runs/crossover -o fields.tar",
    "deploy": "deploy layernorm --torch fields_ops",
}


def pages_are_up_to_date():
    shutil.rmtree("pages", ignore_errors=True)
    os.mkdir("pages")
    subprocess.run([DOCS / "write.py", BINARY, "pages"], check=True)
    written, kept = (pages_below(folder) for folder in (pathlib.Path("pages"), DOCS))
    stale = sorted(name for name in written.keys() | kept.keys() if written.get(name) != kept.get(name))
    assert not stale, f"out of date: {stale}; run experiments/docs/write.py {BINARY}"
    return kept


def pages_below(folder):
    return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*.md")}


def no_verb_is_left_over(pages, verbs):
    named = {found[1] for page in pages.values() if (found := re.match(r"# kernelevolve (\S+)\n", page))}
    assert named == {verb["name"] for verb in verbs}, named


def scratch_tree():
    """A folder with the files that examples name, and with this build in PATH."""
    tree = pathlib.Path("tree").resolve()
    shutil.rmtree(tree, ignore_errors=True)
    tree.mkdir()
    shutil.copytree(SOURCE / "configs", tree / "configs")
    lessen_work(tree, SMALLER_FILES)
    return tree


def left_out():
    verbs = [(["report", "watch"], (BUILD / "experiments/page_text.cpp").exists()), (["plot"], can_draw()),
             (["import", "optimise"], has_torch()), (["needs"], has_torch(2, 5))]
    lacking = [name for names, there in verbs for name in names if not there]
    if lacking:
        print("this build or machine cannot run the examples of:", ", ".join(lacking))
    return lacking


def examples_run(verbs, lacking):
    tree = scratch_tree()
    environment = {**os.environ, "PATH": f"{pathlib.Path(BINARY).parent}:{os.environ['PATH']}"}
    for verb in verbs:
        if verb["name"] in lacking or verb["name"] in RUN_ELSEWHERE:
            continue
        script = with_less_work(verb["example"], QUICKER.get(verb["name"], {}))
        script = (WHEN_INTERRUPTED if verb["name"] in SERVERS else "") + script
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", script], cwd=tree, env=environment, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=300)
        assert done.returncode == 0, (verb["name"], done.returncode, script, done.stdout[-1000:], done.stderr[-1000:])


def documented_fields():
    """Verb -> paths such as runs[].champion, from the tables of json_fields.md."""
    for section in (DOCS / "json_fields.md").read_text().split("\n## ")[1:]:
        title, _, body = section.partition("\n")
        rows = re.findall(r"^\| (`.*?) \|", body, re.MULTILINE)
        for verb in title.split(", "):
            yield verb, [path for row in rows for path in re.findall(r"`([^`]+)`", row)]


def has(document, path):
    """Whether the path is there, in the first element of each list."""
    for word in path.split("."):
        name = word.removesuffix("[]")
        if name not in document:
            return False
        document = document[name][0] if word != name else document[name]
    return True


def json_fields_are_there(lacking):
    compared = 0
    for verb, paths in documented_fields():
        if verb not in JSON_CALLS or verb in lacking:
            continue
        if "needs" in lacking:  # deploy measures calls with PyTorch 2 alone
            paths = [path for path in paths if not path.startswith("calls[]")]
        _, out, _ = call(*JSON_CALLS[verb].split(), "--json", cwd="tree")
        document = json.loads(out)
        missing = [path for path in paths if not has(document, path)]
        assert paths and not missing, (verb, missing, out[:1000])
        compared += len(paths)
    return compared


def main():
    pages = pages_are_up_to_date()
    verbs = json_of("list", "verbs")["verbs"]
    assert all(verb["example"] and verb["summary"] for verb in verbs)
    no_verb_is_left_over(pages, verbs)
    lacking = left_out()
    examples_run(verbs, lacking)
    print(f"{len(pages)} pages, examples of {len(verbs)} verbs run, {json_fields_are_there(lacking)} JSON fields are there")


main()
