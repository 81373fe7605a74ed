"""Shared by the tests of the importer: a path to its modules, and files with class Model."""
import sys

from program import SOURCE

HEAD = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"
sys.path[:0] = [str(SOURCE / name) for name in ("experiments/run/import", "experiments/run/needs", "fitness/reference/python")]


def module(arguments, body, inputs, parts="", before=""):
    """A file with class Model. parts: lines of its constructor; before: lines ahead of the class."""
    lines = [HEAD, before, "class Model(nn.Module):", "    def __init__(self):", "        super().__init__()"]
    lines += [f"        {line}" for line in parts.splitlines()]
    lines += [f"    def forward(self, {arguments}):", *(f"        {line}" for line in body.splitlines())]
    return "\n".join([*lines, f"def get_inputs(): return {inputs}", "def get_init_inputs(): return []", ""])


def expect(got, wanted, what=""):
    if got != wanted:
        raise AssertionError(f"{what}: got {got!r}, expected {wanted!r}")
