#!/usr/bin/env python3
"""Packs runs, or a study, as an artifact: one tar archive with what is needed to check it elsewhere.

    pack.py --kernelevolve BINARY --out FILE.tar [--source TREE] [--authors NAMES] -- FOLDER ...

Called by `kernelevolve ae pack`. Prints a JSON object of what was packed, or one line that says what is wrong: exit code 2
for a wrong request, 7 for files that cannot be read or written.
"""
import argparse
import hashlib
import json
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

import appendix
import configs

HERE = pathlib.Path(__file__).resolve().parent
PAPERS = HERE.parents[2] / "papers"  # in a source tree
NAME = re.compile(r"[\w.-]+")  # allowed in commands of claims
PARTS = ("claim.py", "configs.py", "reproduce.sh")  # parts of the package itself


class Wrong(Exception):
    """A request that cannot be met."""


def check_claims():
    """Finds the judge of claims, which an installation keeps next to this file."""
    return next(path for path in (HERE / "check_claims.py", PAPERS / "check_claims.py") if path.exists())


def ask(kernelevolve, *words, folder="."):
    """JSON answer of a verb of that program."""
    done = subprocess.run([kernelevolve, *map(str, words), "--json"], capture_output=True, text=True, cwd=folder)
    if done.returncode != 0:
        raise Wrong(done.stderr.strip().removeprefix("error: ").splitlines()[0])
    return json.loads(done.stdout)


def sort_folders(folders):
    """(the study or None, folders of runs); requires existing folders with distinct names."""
    studies, runs = [], []
    for folder in map(pathlib.Path, folders):
        if not folder.is_dir():
            raise Wrong(f"{folder}: no such folder")
        if not NAME.fullmatch(folder.resolve().name):
            raise Wrong(f"{folder}: the name of a folder may hold letters, digits, '.', '_' and '-' alone")
        is_study = (folder / "claims.yaml").exists()
        if not is_study and not any(folder.glob("*.kev")):
            raise Wrong(f"{folder}: holds neither claims.yaml nor run files (*.kev)")
        (studies if is_study else runs).append(folder.resolve())
    if len(studies) > 1:
        raise Wrong(f"{studies[1]}: an artifact holds one study, and {studies[0]} is one")
    names = [folder.name for folder in runs]
    for name in names:
        if names.count(name) > 1:
            raise Wrong(f"two folders of runs are called '{name}'")
    return studies[0] if studies else None, runs


def copy_run(source, target):
    """Copies a run file without its journal, as it is between two transactions."""
    with sqlite3.connect(f"file:{source}?mode=ro", uri=True) as run, sqlite3.connect(target) as copy:
        run.backup(copy)
        copy.execute("PRAGMA journal_mode = DELETE")


def pack_landscape(path, package):
    """Copies a landscape; its folder is part of its name, unless that is `landscapes`."""
    below = pathlib.Path("landscapes") / ("" if path.parent.name == "landscapes" else path.parent.name) / path.name
    target = package / below
    if target.exists() and target.read_bytes() != path.read_bytes():
        raise Wrong(f"{path}: another landscape has the same name")
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, target)
    return str(below)


def pack_task(origin, package):
    """Copies a landscape's file, or the folder `tasks` that contains a task, because tasks share
    sources. Returns the path relative to the package."""
    if not origin:
        return ""
    path = pathlib.Path(origin)
    if not path.exists():
        raise Wrong(f"{path}: the task of a run is no longer there")
    if path.is_file():
        return pack_landscape(path, package)
    root = next((parent for parent in path.parents if parent.name == "tasks"), path.parent)
    shutil.copytree(root, package / "tasks", dirs_exist_ok=True)
    return f"tasks/{path.relative_to(root)}"


def refuse_unfinished(kernelevolve, folder):
    for run in ask(kernelevolve, "status", folder)["runs"]:
        if run["state"] != "done":
            raise Wrong(f"{run['file']}: is {run['state']}, not done; 'kernelevolve resume' goes on with it")


def copy_index(path, target, package):
    """Copies the index of a folder of runs, and its tasks, with their paths in the package."""
    index = json.loads(path.read_text())
    for run in index["runs"]:
        run["task_folder"] = pack_task(run["task_folder"], package)
    (target / path.name).write_text(json.dumps(index, indent=2) + "\n")


def write_configs(kernelevolve, runs, folder, package):
    """Writes the configurations of runs as files; reads each back and requires it to equal the
    runs' own."""
    for path, own in configs.groups_of(runs, package / "configs" / folder.name).items():
        configs.write(path, own[0].config_text)
        said = ask(kernelevolve, "check", path, *configs.task_words(folder, own[0]), folder=package)
        if said["config_id"] != own[0].config_id:
            raise Wrong(f"{own[0].name}: its configuration is not one of this version")


def pack_runs(kernelevolve, folder, package):
    """Copies a folder's runs, tasks and configurations; returns the runs' provenance."""
    target = package / "runs" / folder.name
    target.mkdir(parents=True)
    refuse_unfinished(kernelevolve, folder)
    if not (folder / "index.json").exists():
        raise Wrong(f"{folder}: has no index.json, which says where the tasks of its runs lie")
    for path in sorted(folder.glob("*.kev")):
        copy_run(path, target / path.name)
    for path in filter(pathlib.Path.exists, (folder / "index.json", folder / "sweep.json")):
        copy_index(path, target, package)
    runs = [configs.read_run(path) for path in sorted(target.glob("*.kev"))]
    write_configs(kernelevolve, runs, target, package)
    return runs


def write_expected(kernelevolve, folder, package):
    """Writes the tables and figures of a folder's runs, as computed here."""
    expected = package / "expected" / folder
    environment = dict(os.environ, KERNELEVOLVE=str(kernelevolve), OUT=str(package / "drawn"))
    done = subprocess.run([sys.executable, "-B", package / "claim.py", "figures", folder], env=environment, cwd=package,
                          capture_output=True, text=True)
    if done.returncode != 0:
        raise Wrong(f"{folder}: its tables cannot be made: {done.stderr.strip().splitlines()[-1]}")
    shutil.copytree(package / "drawn" / folder, expected)
    shutil.rmtree(package / "drawn")


def pack_study(study, package):
    """Copies the study and the scripts that studies share, keeping their places in the tree."""
    target = package / "papers" / study.name
    shutil.copytree(study, target, ignore=shutil.ignore_patterns("__pycache__", "*.kev*"))
    for path in [*study.parent.glob("*.py"), *study.parent.glob("*.sh")]:
        shutil.copy2(path, package / "papers" / path.name)


def pack_source(tree, package):
    listed = subprocess.run(["git", "-C", tree, "ls-files", "-z"], capture_output=True, text=True)
    if listed.returncode != 0:
        raise Wrong(f"--source = {tree}: git knows no tree there")
    for name in filter(None, listed.stdout.split("\0")):
        (package / "source" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(pathlib.Path(tree) / name, package / "source" / name)


def write_sums(package):
    """Writes SHA256SUMS in the format of `sha256sum -c`; returns the number of files."""
    paths = sorted(path for path in package.rglob("*") if path.is_file())
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(package)}\n" for path in paths]
    (package / "SHA256SUMS").write_text("".join(lines))
    return len(paths) + 1


def write_tar(package, out):
    """Writes a reproducible archive: equal packages give equal files, without times and user
    names."""
    done = subprocess.run(["tar", "--sort=name", "--mtime=@0", "--owner=0", "--group=0", "--numeric-owner", "--mode=go=rX,u+rw",
                           "--format=ustar", "-cf", out, "-C", package.parent, package.name],
                          capture_output=True, text=True)
    if done.returncode != 0:
        raise OSError(f"{out}: cannot be written: {done.stderr.splitlines()[0]}")


def pack(arguments, scratch):
    out = pathlib.Path(arguments.out)
    if out.suffix != ".tar":
        raise Wrong(f"--out = {out} does not end in .tar")
    if not NAME.fullmatch(out.name):
        raise Wrong(f"--out = {out}: the name of a file may hold letters, digits, '.', '_' and '-' alone")
    if out.exists():
        raise Wrong(f"{out} exists and is not overwritten")
    study, folders = sort_folders(arguments.folders)
    kernelevolve = arguments.kernelevolve
    package = scratch / out.stem
    package.mkdir()
    for name in PARTS:
        shutil.copy2(HERE / name, package / name)
    (package / "papers").mkdir()
    shutil.copy2(check_claims(), package / "papers/check_claims.py")
    if study:
        pack_study(study, package)
    if arguments.source:
        pack_source(arguments.source, package)
    runs = {folder.name: pack_runs(kernelevolve, folder, package) for folder in folders}
    for name in runs:
        write_expected(kernelevolve, name, package)
    appendix.write(package, study.name if study else None, runs, kernelevolve, arguments.authors)
    files = write_sums(package)
    write_tar(package, out)
    return {"file": str(out), "files": files, "runs": sum(map(len, runs.values())), "bytes": out.stat().st_size,
            "sha256": hashlib.sha256(out.read_bytes()).hexdigest()}


def main():
    parser = argparse.ArgumentParser()
    for name in ("--kernelevolve", "--out"):
        parser.add_argument(name, required=True)
    parser.add_argument("--source")
    parser.add_argument("--authors", default="")
    parser.add_argument("folders", nargs="+")
    with tempfile.TemporaryDirectory() as scratch:
        try:
            print(json.dumps(pack(parser.parse_args(), pathlib.Path(scratch))))
        except Wrong as error:
            print(f"ae: {error}")
            return 2
        except (OSError, sqlite3.Error, shutil.Error) as error:
            print(f"ae: {error}")
            return 7
    return 0


if __name__ == "__main__":
    sys.exit(main())
