#!/usr/bin/env python3
"""clang-tidy with the checks of .clang-tidy over the sources of all rooms but tests/.

usage: tidy.py BUILD_FOLDER [FILE...]
The build folder holds compile_commands.json. A file that passed is not read again until it, a header of the
tree, .clang-tidy or the compiler changes: passes are remembered in BUILD_FOLDER/tidy-passed.
"""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys

import tree

ROOMS = ("core",)


def compile_database(build):
    """A copy of compile_commands.json without the launcher, which clang-tidy takes for the compiler."""
    commands = json.loads((build / "compile_commands.json").read_text())
    for entry in commands:
        words = entry["command"].split(" ")
        if words[0].endswith("ccache"):
            entry["command"] = " ".join(words[1:])
    folder = build / "tidy"
    folder.mkdir(exist_ok=True)
    (folder / "compile_commands.json").write_text(json.dumps(commands))
    return folder, {os.path.relpath(entry["file"], tree.ROOT): entry["command"] for entry in commands}


def shared_state():
    """Identity of what every file depends on: all headers, the checks and the tool."""
    version = subprocess.run(["clang-tidy", "--version"], capture_output=True, text=True, check=True).stdout
    digest = hashlib.sha256((version.split("Host CPU")[0] + tree.text(".clang-tidy")).encode())
    for path in tree.files(".hpp", ".def", rooms=ROOMS):
        digest.update(f"{path}\0{tree.text(path)}".encode())
    return digest.hexdigest()


def tidy(path, folder):
    done = subprocess.run(["clang-tidy", "--quiet", "--extra-arg=-Wno-unknown-warning-option", "-p", str(folder), str(tree.ROOT / path)],
                          capture_output=True, text=True, cwd=tree.ROOT)
    text = done.stdout.replace(f"{tree.ROOT}/", "").strip()
    return None if done.returncode == 0 else (text or done.stderr.strip())


def main():
    if not shutil.which("clang-tidy"):
        print("SKIP: clang-tidy is not installed")
        return 77
    build = pathlib.Path(sys.argv[1])
    folder, commands = compile_database(build)
    paths = [pathlib.Path(name) for name in sys.argv[2:]] or tree.files(".cpp", rooms=ROOMS)
    paths = [path for path in paths if str(path) in commands]
    memory, state = build / "tidy-passed", shared_state()
    passed = set(memory.read_text().split()) if memory.exists() else set()
    keys = {path: hashlib.sha256(f"{state}{path}{commands[str(path)]}{tree.text(path)}".encode()).hexdigest()
            for path in paths}
    todo = [path for path in paths if keys[path] not in passed]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        answers = dict(zip(todo, pool.map(lambda path: tidy(path, folder), todo)))
    passed = {keys[path] for path in paths if not answers.get(path)}
    memory.write_text("\n".join(sorted(passed)))
    findings = [text for text in answers.values() if text]
    if not paths:
        findings.append(f"{folder}/compile_commands.json names no source of the tree")
    tree.report(findings, f"{len(paths)} sources, {len(todo)} of them read")


if __name__ == "__main__":
    sys.exit(main())
