"""Arrays of PyTorch and of NumPy over memory that others write too."""
import math
import sys


class TorchArrays:
    def __init__(self):
        import torch
        self.torch = torch
        torch.set_grad_enabled(False)

    def compute_in_double(self, double=True):
        self.torch.set_default_dtype(self.torch.float64 if double else self.torch.float32)

    def single(self, array):
        return array.float() if array.is_floating_point() else array

    def use_threads(self, threads):
        self.torch.set_num_threads(threads)

    def view(self, memory, offset, dtype, shape):
        """The elements from byte `offset` on, not copied."""
        flat = self.torch.frombuffer(memory, dtype=getattr(self.torch, dtype), count=math.prod(shape), offset=offset)
        return flat.reshape(shape)

    def own(self, view):
        return view.clone()

    def plain(self, value):
        """What a function returned, as an array."""
        return value if self.torch.is_tensor(value) else self.torch.as_tensor(value)

    def write(self, view, value):
        view.copy_(value)


class NumpyArrays:
    def __init__(self):
        import numpy
        self.numpy = numpy

    def compute_in_double(self, double=True):
        """NumPy computes in the type of what it is given."""

    def single(self, array):
        return array.astype("float32") if array.dtype.kind == "f" else array

    def use_threads(self, threads):
        """OMP_NUM_THREADS says so."""

    def view(self, memory, offset, dtype, shape):
        """The elements from byte `offset` on, not copied."""
        flat = self.numpy.frombuffer(memory, dtype=dtype, count=math.prod(shape), offset=offset)
        return flat.reshape(shape)

    def own(self, view):
        return view.copy()

    def plain(self, value):
        """What a function returned, as an array."""
        return self.numpy.asarray(value)

    def write(self, view, value):
        view[...] = value


def array_library():
    """PyTorch's where a program has imported it, else NumPy's."""
    return TorchArrays() if "torch" in sys.modules else NumpyArrays()
