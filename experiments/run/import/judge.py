"""Draws inputs as the judge does: by `kernelevolve draw`. The environment variable KERNELEVOLVE names the program."""

import json
import math
import os
import subprocess

import torch

from shape_formulas import evaluate
from task_file import FLOATS


class Draws:
    """A process that draws; it starts at the first draw."""

    def __init__(self):
        self.process = None

    def __call__(self, tensors, lengths, seed, case=0):
        """One value for each TaskTensor: case i takes class i of every tensor, or its first where there are fewer."""
        if not tensors:
            return []
        if self.process is None:
            self.process = subprocess.Popen([os.environ["KERNELEVOLVE"], "draw"], stdin=subprocess.PIPE,
                                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        described = [_described(tensor, lengths) for tensor in tensors]
        line = json.dumps({"seed": seed, "case": case, "tensors": described})
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()
        return [self._read(tensor) for tensor in described]

    def _read(self, described):
        dtype = getattr(torch, described["dtype"])
        data = bytearray(math.prod(described["dims"]) * torch.empty((), dtype=dtype).element_size())
        if self.process.stdout.readinto(data) != len(data):
            ended, self.process = self.process, None  # the next draw starts another
            raise RuntimeError(ended.stderr.read().decode().strip() or f"kernelevolve draw ended with {ended.wait()}")
        return torch.frombuffer(data, dtype=dtype).reshape(described["dims"])


def _described(tensor, lengths):
    made = {"name": tensor.name, "dtype": tensor.dtype, "dims": tensor.lengths(lengths), "classes": list(tensor.classes),
            "numbers": list(tensor.numbers), "avoid": list(tensor.avoid or [])}
    if tensor.dtype in FLOATS:
        made["scale"] = 2.0 ** tensor.scale
    elif tensor.high:
        made.update(low=tensor.low, high=evaluate(tensor.high, lengths), marks=list(tensor.marks))
    return made
