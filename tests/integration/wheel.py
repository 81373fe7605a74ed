#!/usr/bin/env python3
# Times nothing: may run beside others.
"""Tests experiments/wheel.sh: an ordinary user installs the wheel into a new environment of a new folder and, with what is
in it and Debian's packages alone, searches, reads the run in Python, imports a module and finds CUDA's compiler among the
packages of that environment."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, sys.path[0] + "/../support")
from program import BUILD, SOURCE, write  # noqa: E402

NOBODY = 65534
EXPERIMENT = """schema: kernelevolve/1
name: made
seed: 1
task: conformance/axpb
budget: {evaluations: 2}
verify: {cells: 0}
device: {kind: cpu, verify_time: 100ms}
"""
READ = """import sys, kernelevolve
assert kernelevolve.__file__.startswith(sys.prefix), kernelevolve.__file__
print(len(kernelevolve.open("runs").candidates))
"""


def build(folder):
    """The wheel, made by Debian's setuptools: the registry of packages is not asked."""
    said = subprocess.check_output([SOURCE / "experiments/wheel.sh", folder, BUILD], text=True,
                                   env={**os.environ, "PATH": "/usr/bin:/bin", "PIP_NO_BUILD_ISOLATION": "false",
                                        "PIP_NO_INDEX": "1"})
    print(said.strip().splitlines()[-1])
    wheel, = folder.glob("kernelevolve-*-py3-none-manylinux2014_x86_64.whl")
    return wheel


class Environment:
    """A virtual environment that an ordinary user made in a folder of his own."""

    def __init__(self, folder, wheel):
        self.folder = folder
        self.user = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"] if os.geteuid() == 0 else []
        self.call("/usr/bin/python3", "-m", "venv", "--system-site-packages", "--without-pip", "made")  # Debian's pip is seen
        self.call("made/bin/python3", "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", wheel)

    def call(self, *words, code=0):
        done = subprocess.run([*self.user, *words], cwd=self.folder, text=True, capture_output=True, timeout=200,
                              env={"PATH": "/usr/bin:/bin", "HOME": str(self.folder)})
        assert done.returncode == code, (words, done.returncode, done.stdout, done.stderr)
        return done.stdout

    def kernelevolve(self, *words, code=0):
        return self.call("made/bin/kernelevolve", *words, code=code)


def searches(made):
    write({"made.yaml": EXPERIMENT}, made.folder)
    made.kernelevolve("run", "made.yaml", "-q", "-o", "runs")
    run, = json.loads(made.kernelevolve("show", "runs", "--json"))["runs"]
    assert run["evaluations"] == 2, run
    assert int(made.call("made/bin/python3", "-c", READ)) >= 2


def imports(made):
    shutil.copy(SOURCE / "configs/modules/linear_gelu.py", made.folder)
    said = made.kernelevolve("import", "module", "linear_gelu.py", "-o", "imported")
    assert "imported" in said and list(made.folder.glob("imported/**/task.yaml")), said


def finds_the_compiler_of_its_environment(made):
    packages = next(SOURCE.glob("build/dsls/lib/python3.*/site-packages/nvidia"), None)
    if not packages:
        print("left out: build/dsls has no compiler for CUDA")
        return
    place = next((made.folder / "made/lib").glob("python3.*")) / "site-packages/nvidia"
    place.symlink_to(packages)  # as pip install nvidia-cuda-nvrtc puts it there
    done = subprocess.run([made.folder / "made/bin/kernelevolve", "doctor", "--json"], text=True, capture_output=True,
                          env={"PATH": "/usr/bin:/bin"})
    compiler, = [one for one in json.loads(done.stdout)["findings"] if one["what"] == "cuda compiler"]
    assert compiler["ok"] and str(place) in compiler["detail"], compiler


def main():
    with tempfile.TemporaryDirectory(dir=pathlib.Path().resolve()) as name:  # kernels see no /tmp but their own
        folder = pathlib.Path(name)
        folder.chmod(0o755)
        wheel = build(folder / "dist")
        home = folder / "home"
        home.mkdir()
        if os.geteuid() == 0:
            os.chown(home, NOBODY, NOBODY)
        made = Environment(home, wheel)
        searches(made)
        imports(made)
        finds_the_compiler_of_its_environment(made)


if __name__ == "__main__":
    main()
