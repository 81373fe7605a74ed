#!/usr/bin/env python3
"""clang-tidy with the checks of .clang-tidy over the sources of ROOMS.

usage: tidy.py BUILD_FOLDER [FILE...]
The build folder holds compile_commands.json; where it compiles a folder's sources as one, they are read as one, too.
What passed is not read again until it, a header of the tree, .clang-tidy or the compiler changes: passes are
remembered in BUILD_FOLDER/tidy-passed.
"""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import tree

ROOMS = ("core",)
INCLUDED = re.compile(r'^#include "(.*\.cpp)"$', re.MULTILINE)


def compile_database(build):
    """A copy of compile_commands.json for clang-tidy: without the launcher, which it takes for the compiler, and
    without headers that another compiler precompiled and its parameters. Returns its folder and, of each unit, the command."""
    commands = json.loads((build / "compile_commands.json").read_text())
    for entry in commands:
        entry["command"] = re.sub(r"^\S*ccache | -include \S*cmake_pch\S*| -Winvalid-pch| --param=\S+", "", entry["command"])
    folder = build / "tidy"
    folder.mkdir(exist_ok=True)
    (folder / "compile_commands.json").write_text(json.dumps(commands))
    return folder, {pathlib.Path(entry["file"]): entry["command"] for entry in commands}


def sources_of(unit):
    """Paths, relative to the root, of the sources compiled as this unit; none if it is not the
    tree's."""
    inside = pathlib.Path(os.path.relpath(unit, tree.ROOT))
    if unit.suffix == ".cxx" and unit.parent.name == "Unity":
        return [pathlib.Path(os.path.relpath(found, tree.ROOT)) for found in INCLUDED.findall(unit.read_text())]
    return [inside]


def shared_state():
    """Identity of everything that all files depend on: headers, checks and the tool."""
    version = subprocess.run(["clang-tidy", "--version"], capture_output=True, text=True, check=True).stdout
    digest = hashlib.sha256((version.split("Host CPU")[0] + tree.text(".clang-tidy")).encode())
    for path in tree.files(".hpp", ".def", rooms=ROOMS):
        digest.update(f"{path}\0{tree.text(path)}".encode())
    return digest.hexdigest()


def tidy(unit, folder):
    done = subprocess.run(["clang-tidy", "--quiet", "--checks=-bugprone-suspicious-include" if unit.suffix == ".cxx" else "--checks=",
                           "--extra-arg=-Wno-unknown-warning-option", "-p", str(folder), str(unit)],
                          capture_output=True, text=True, cwd=tree.ROOT)
    text = done.stdout.replace(f"{tree.ROOT}/", "").strip()
    return None if done.returncode == 0 else (text or done.stderr.strip())


def main():
    if not shutil.which("clang-tidy"):
        print("SKIP: clang-tidy is not installed")
        return 77
    build = pathlib.Path(sys.argv[1])
    folder, commands = compile_database(build)
    wanted = {pathlib.Path(name) for name in sys.argv[2:]} or set(tree.files(".cpp", rooms=ROOMS))
    units = {unit: sources for unit in commands if wanted >= set(sources := sources_of(unit))}
    memory, state = build / "tidy-passed", shared_state()
    passed = set(memory.read_text().split()) if memory.exists() else set()
    keys = {unit: hashlib.sha256("\0".join([state, str(unit), commands[unit], *map(tree.text, sources)]).encode()).hexdigest()
            for unit, sources in units.items()}
    todo = [unit for unit in units if keys[unit] not in passed]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        answers = dict(zip(todo, pool.map(lambda unit: tidy(unit, folder), todo)))
    passed = {keys[unit] for unit in units if not answers.get(unit)}
    memory.write_text("\n".join(sorted(passed)))
    findings = [text for text in answers.values() if text]
    missed = wanted - {source for sources in units.values() for source in sources}
    findings += [f"{folder}/compile_commands.json does not name {source}" for source in sorted(missed)]
    tree.report(findings, f"{len(wanted)} sources in {len(units)} units, {len(todo)} of them read")


if __name__ == "__main__":
    sys.exit(main())
