"""References of tasks: slow, but right at any shape. Those in PyTorch are also the operators' formulas for
derivatives."""

import ctypes
import importlib
import runpy
import sys
import threading

import torch
from torch.autograd import forward_ad
from torch.utils._python_dispatch import _disable_current_modes


def load_reference(path, uses_torch):
    """Returns a function of (inputs, {axis: length}, [(shape, dtype) of an output], whether autograd records it)."""
    return CompiledReference(path) if path.suffix == ".so" else PythonReference(path, uses_torch)


def has_derivative(tensor):
    """True if a gradient or a tangent belongs to the tensor."""
    return tensor.requires_grad or (forward_ad._current_level >= 0
                                    and forward_ad.unpack_dual(tensor).tangent is not None)


class CompiledReference:
    """extern "C" void reference(inputs, outputs, axes): doubles for every floating type."""

    differentiable = False

    def __init__(self, path):
        self._function = ctypes.CDLL(str(path)).reference
        self._function.restype = None

    @staticmethod
    def _wide(dtype):
        return torch.float64 if dtype.is_floating_point else dtype

    def __call__(self, inputs, axes, outputs, differentiable):
        wide = [tensor.to("cpu", self._wide(tensor.dtype)).contiguous() for tensor in inputs]
        made = [torch.zeros(shape, dtype=self._wide(dtype)) for shape, dtype in outputs]
        pointers = [ctypes.c_void_p(tensor.data_ptr()) for tensor in wide + made]
        self._function(*pointers, *[ctypes.c_size_t(length) for length in axes.values()])
        return made

    def eager(self, tensors, axes):
        """The formula in PyTorch as a function without arguments; None where there is none."""
        return None


class PythonReference:
    """`reference(*inputs, **axes)` of reference.py, with PyTorch tensors if it uses PyTorch, else
    NumPy arrays. Computes in the inputs' type. The reference of a module keeps state, so calls take
    turns."""

    def __init__(self, path, uses_torch):
        self._path, self._uses_torch = path, uses_torch
        self._function, self._lock = None, threading.RLock()
        self.differentiable = uses_torch

    def _load(self):
        # reference.py of an imported module imports kernelevolve_reference, which is next to this
        # file.
        own = importlib.import_module(".kernelevolve_reference", __package__)
        sys.modules.setdefault("kernelevolve_reference", own)
        self._function = runpy.run_path(str(self._path), run_name="reference")["reference"]

    def _recorded(self):
        """The function that autograd records: references of modules and functions are called without gradients."""
        return getattr(self._function, "formula", self._function)

    def eager(self, tensors, axes):
        """The formula in PyTorch as a function without arguments, with a module that is built once."""
        if not self._uses_torch:
            return None
        self._ready(tensors)
        if not hasattr(self._function, "prepared"):
            return lambda: self._function(*tensors, **axes)
        return self._function.prepared(tensors, axes)

    def _ready(self, tensors):
        """Loads the reference, and tells it the type to compute in."""
        if self._function is None:
            with _disable_current_modes():
                self._load()
        if hasattr(self._function, "dtype"):  # made from a module or a function
            self._function.dtype = next((t.dtype for t in tensors if t.is_floating_point()), torch.float32)

    def __call__(self, inputs, axes, outputs, differentiable):
        # A module's reference seeds PyTorch's generator.
        with self._lock, torch.random.fork_rng(devices=[]), torch.set_grad_enabled(differentiable):
            self._ready(inputs)
            function = self._recorded() if differentiable else self._function
            given = [t.clone() if self._uses_torch else t.cpu().numpy() for t in inputs]
            with torch.device(inputs[0].device):  # for the reference's own tensors
                values = function(*given, **axes)
        values = values if isinstance(values, (tuple, list)) else (values,)
        return [torch.as_tensor(value) for value in values]
