"""PyTorch operators with kernels found by a search. README.md describes them and their calls."""

import json
import pathlib

import torch

if tuple(int(part) for part in torch.__version__.split(".")[:2]) < (2, 4):
    raise ImportError(f"{__name__} needs PyTorch 2.4 or later; this is PyTorch {torch.__version__}")

from .cuda_operator import CudaOperator  # noqa: E402
from .kernel_operator import KernelOperator  # noqa: E402


def _load(folder):
    described = json.loads((folder / "operator.json").read_text(encoding="utf-8"))
    return {"cpu": KernelOperator, "cuda": CudaOperator}[described["device"]](folder, described)


_operators = {folder.name: _load(folder) for folder in sorted((pathlib.Path(__file__).parent / "operators").iterdir())}
globals().update({name: operator.define() for name, operator in _operators.items()})


def forget_prepared():
    """Makes the next call of each operator prepare its unchanging inputs again.

    Needed after writes that PyTorch does not count: through tensor.data, NumPy or foreign code.
    """
    for operator in _operators.values():
        operator.forget_prepared()


def load_model():
    """The model that `deploy --model` put into this package, with its operators; see
    whole_model.py."""
    from . import whole_model
    return whole_model.load_model()


__all__ = [*_operators, "forget_prepared", "load_model"]
