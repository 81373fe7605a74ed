"""References of tasks for unverified shapes: slow, but right at any shape."""

import ctypes
import importlib
import runpy
import sys
import threading

import torch


def load_reference(path, uses_torch, name):
    """Returns a function of inputs, outputs to fill and {axis: length}; `name` is for messages."""
    return CompiledReference(path) if path.suffix == ".so" else PythonReference(path, uses_torch, name)


class CompiledReference:
    """extern "C" void reference(inputs, outputs, axes): doubles for every floating type."""

    def __init__(self, path):
        self._function = ctypes.CDLL(str(path)).reference
        self._function.restype = None

    @staticmethod
    def _wide(tensor):
        dtype = torch.float64 if tensor.is_floating_point() else tensor.dtype
        return tensor.to("cpu", dtype).contiguous()

    def __call__(self, inputs, outputs, axes):
        wide = [self._wide(tensor) for tensor in inputs]
        made = [torch.zeros_like(self._wide(tensor)) for tensor in outputs]
        pointers = [ctypes.c_void_p(tensor.data_ptr()) for tensor in wide + made]
        self._function(*pointers, *[ctypes.c_size_t(length) for length in axes.values()])
        for output, value in zip(outputs, made):
            output.copy_(value)


class PythonReference:
    """`reference(*inputs, **axes)` of reference.py, with PyTorch tensors if it uses PyTorch, else
    NumPy arrays. Computes in the inputs' type. The reference of a module keeps state, so calls take
    turns."""

    def __init__(self, path, uses_torch, name):
        self._path, self._uses_torch, self._name = path, uses_torch, name
        self._function, self._lock = None, threading.Lock()

    def _load(self):
        # reference.py of an imported module imports kernelevolve_reference, which is next to this
        # file.
        own = importlib.import_module(".kernelevolve_reference", __package__)
        sys.modules.setdefault("kernelevolve_reference", own)
        self._function = runpy.run_path(str(self._path), run_name="reference")["reference"]

    def _values(self, inputs, axes):
        if hasattr(self._function, "dtype"):  # imported from a module
            self._function.dtype = next((t.dtype for t in inputs if t.is_floating_point()), torch.float32)
        given = inputs if self._uses_torch else [tensor.cpu().numpy() for tensor in inputs]
        with torch.device(inputs[0].device):  # for the reference's own tensors
            values = self._function(*given, **axes)
        values = values if isinstance(values, (tuple, list)) else (values,)
        return [torch.as_tensor(value) for value in values]

    def __call__(self, inputs, outputs, axes):
        # A module's reference seeds PyTorch's generator.
        with self._lock, torch.no_grad(), torch.random.fork_rng(devices=[]):
            if self._function is None:
                self._load()
            values = self._values([tensor.clone() for tensor in inputs], axes)
        if [value.shape for value in values] != [output.shape for output in outputs]:
            raise ValueError(f"{self._name}: the task's reference answers shapes {[list(v.shape) for v in values]}, "
                             f"expected {[list(output.shape) for output in outputs]}")
        for output, value in zip(outputs, values):
            output.copy_(value)
