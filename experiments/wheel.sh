#!/usr/bin/env bash
# Makes a Python wheel of a build: `pip install` of it gives the command `kernelevolve` and the package of that name, for
# any user on any x86-64 Linux, without a compiler but the g++ that C++ kernels need. It holds what bundle.sh packs.
# usage: experiments/wheel.sh [FOLDER] [BUILD]
#   FOLDER  where the wheel is written; dist if not given
#   BUILD   a build folder, taken as it is; if not given, build/release is brought up to date
# Needs pip and, unless PIP_NO_BUILD_ISOLATION says otherwise, the registry that pip takes setuptools from.
set -euo pipefail
here=$(realpath "$(dirname "$0")")
folder=$(realpath -m "${1:-dist}")
staging=$(mktemp -d)
trap 'rm -rf "$staging"' EXIT

cp -r "$here/python" "$staging/python"
engine=$staging/python/kernelevolve/engine
"$here/bundle.sh" "$engine" "${@:2}"
cat >"$engine/__init__.py" <<'PYTHON'
"""The compiled program of this wheel, which runs Python code with the interpreter that it was installed for."""
import os
import pathlib
import sys


def main():
    os.environ["PATH"] = os.pathsep.join([os.path.dirname(sys.executable), os.environ.get("PATH", os.defpath)])
    program = pathlib.Path(__file__).resolve().parent / "bin/kernelevolve"
    os.execv(program, [str(program), *sys.argv[1:]])
PYTHON
cat >>"$staging/python/pyproject.toml" <<'TOML'

[project.scripts]
kernelevolve = "kernelevolve.engine:main"

[tool.setuptools.package-data]
kernelevolve = ["engine/**/*"]
TOML
# The oldest tag that pip takes everywhere: the bundle brings a C library of its own for machines with an older one.
printf '[bdist_wheel]\nplat_name = manylinux2014_x86_64\n' >"$staging/python/setup.cfg"
python3 -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir "$folder" "$staging/python"
ls -sh "$folder"/kernelevolve-*.whl
