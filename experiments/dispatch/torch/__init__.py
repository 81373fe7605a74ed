"""PyTorch operators with kernels found by a search. README.md describes them and their calls."""

import pathlib
import sys

import torch

if tuple(int(part) for part in torch.__version__.split(".")[:2]) < (2, 4):
    raise ImportError(f"{__name__} needs PyTorch 2.4 or later; this is PyTorch {torch.__version__}")

for _part in [name for name in sys.modules if name.startswith(f"{__name__}.")]:
    del sys.modules[_part]  # importlib.reload: the package may have been deployed anew

from .kernel_operator import KernelOperator  # noqa: E402
from .registry import namespace  # noqa: E402

_folder = pathlib.Path(__file__).parent
_package = __name__.replace(".", "_")  # torch.ops.<package>
_operators = {folder.name: KernelOperator(_package, folder) for folder in sorted((_folder / "operators").iterdir())}


def forget_prepared():
    """Makes the next call of each operator prepare its unchanging inputs again.

    Needed after writes that PyTorch does not count: through tensor.data, NumPy or foreign code.
    """
    for operator in _operators.values():
        operator.forget_prepared()


def benchmark():
    """Measures the operators; see benchmarks.py."""
    from . import benchmarks
    return benchmarks.benchmark(_operators)


__all__ = [*_operators, "benchmark", "forget_prepared"]
globals().update({name: namespace(_package).add(operator) for name, operator in _operators.items()})

if (_folder / "model_forward.py").exists():
    from .whole_model import install, load_model  # noqa: E402, F401
    install()
    __all__.append("load_model")


def __getattr__(name):
    if name == "load_model":
        raise AttributeError(f"{__name__} holds no model: 'kernelevolve deploy --torch {__name__} --model NEEDS' puts "
                             "one into it")
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
