"""What the tests of the importer share: a Python that has its packages, its modules, and files with class Model."""

import importlib
import os
import pathlib
import subprocess
import sys
import traceback

DEBIAN = "/usr/bin/python3"  # which has Debian's PyTorch
ROOT = pathlib.Path(__file__).resolve().parents[2]
HEAD = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"
sys.path[:0] = [str(ROOT / "experiments/run/import"), str(ROOT / "experiments/run/needs"),
                str(ROOT / "fitness/reference/python")]


def need(*packages):
    """Goes on with a Python that has these, first this one; else ends with exit code 77. Children take it as python3."""
    try:
        for name in packages:
            importlib.import_module(name)
    except ImportError as error:
        if os.path.realpath(sys.executable) != os.path.realpath(DEBIAN):
            os.execv(DEBIAN, [DEBIAN, *sys.argv])
        print(f"skipped: {error}")
        sys.exit(77)
    os.environ["PATH"] = os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])


def module(arguments, body, inputs, parts="", before=""):
    """A file with class Model. parts: lines of its constructor; before: lines ahead of the class."""
    lines = [HEAD, before, "class Model(nn.Module):", "    def __init__(self):", "        super().__init__()"]
    lines += [f"        {line}" for line in parts.splitlines()]
    lines += [f"    def forward(self, {arguments}):", *(f"        {line}" for line in body.splitlines())]
    return "\n".join([*lines, f"def get_inputs(): return {inputs}", "def get_init_inputs(): return []", ""])


def expect(got, wanted, what=""):
    if got != wanted:
        raise AssertionError(f"{what}: got {got!r}, expected {wanted!r}")


def kernelevolve(*words, code=0, **options):
    """Standard output of a call that ends with that code."""
    done = subprocess.run([os.environ["KERNELEVOLVE"], *map(str, words)], capture_output=True, text=True, **options)
    if code is not None and done.returncode != code:
        raise AssertionError(f"{' '.join(map(str, words))}: exit code {done.returncode}, expected {code}\n{done.stdout}"
                             f"{done.stderr}")
    return done.stdout


def carry_out(tests):
    """Runs the tests that the command line names, or all; returns the exit code."""
    wanted, failed = sys.argv[1:], 0
    for test in [one for one in tests if not wanted or one.__name__ in wanted]:
        try:
            test()
            print(f"ok {test.__name__}", flush=True)
        except Exception:
            failed += 1
            print(f"FAILED {test.__name__}\n{traceback.format_exc()}", flush=True)
    return 1 if failed else 0
