"""The process of a reference in Python: loads it and calls it when the judge says so.

    serve_reference.py REFERENCE.py SIGNATURE.json

The judge's side is fitness/reference/process.cpp, and what both say to each other fitness/reference/wire.hpp. REFERENCE.py
defines `reference(*inputs, **axes)`: inputs in the order of the signature, as torch tensors where the file imports torch,
else as NumPy arrays; float64 for every floating type, others in their own type. It returns one tensor, or a tuple of
them, in the order of the outputs.
"""
import json
import mmap
import os
import runpy
import struct
import sys
import warnings

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

SOCKET_FD, MEMORY_FD = 3, 4
SLOT_BYTES = 1 << 36
MOST_ARGUMENTS, MOST_DIMENSIONS = 16, 8
WORDS = 2 + 3 * MOST_ARGUMENTS + MOST_ARGUMENTS * (1 + MOST_DIMENSIONS)
ANSWER = struct.Struct("<QqqQ256s")
READY, NOT_LOADED, NO_SYMBOL, DONE, FAULT, THREW, NO_MEMORY = range(7)


class Request:
    """One call, as wire.hpp lays it out."""

    def __init__(self, message):
        words = struct.unpack(f"<{WORDS}Q", message)
        self.tensors, self.axes = words[:2]
        lists = [words[2 + i * MOST_ARGUMENTS:2 + (i + 1) * MOST_ARGUMENTS] for i in range(4)]
        self.bytes, self.writable, self.values, ranks = lists
        dims = words[2 + 4 * MOST_ARGUMENTS:]
        self.shapes = [dims[t * MOST_DIMENSIONS:t * MOST_DIMENSIONS + ranks[t]] for t in range(self.tensors)]


class TorchTensors:
    def __init__(self):
        import torch
        self.torch = torch
        torch.set_grad_enabled(False)
        torch.set_default_dtype(torch.float64)

    def view(self, memory, offset, count, dtype, shape):
        return self.torch.frombuffer(memory, dtype=getattr(self.torch, dtype), count=count, offset=offset).reshape(shape)

    def own(self, view):
        return view.clone()

    def plain(self, value):
        return value if self.torch.is_tensor(value) else self.torch.as_tensor(value)

    def write(self, view, value):
        view.copy_(value)


class NumpyTensors:
    def __init__(self):
        import numpy
        self.numpy = numpy

    def view(self, memory, offset, count, dtype, shape):
        return self.numpy.frombuffer(memory, dtype=dtype, count=count, offset=offset).reshape(shape)

    def own(self, view):
        return view.copy()

    def plain(self, value):
        return self.numpy.asarray(value)

    def write(self, view, value):
        view[...] = value


def answer(kind, text=""):
    os.write(SOCKET_FD, ANSWER.pack(kind, -1, 0, 0, text.encode(errors="replace")[:255]))


def end_with(kind, text=""):
    answer(kind, text)
    os._exit(1)


def words_of(error):
    text = " ".join(f"{type(error).__name__}: {error}".split())
    if isinstance(error, ModuleNotFoundError):
        text += f" in {sys.executable}, the first python3 in PATH"
    return text


def load(path):
    namespace = runpy.run_path(path, run_name="reference")
    if not callable(namespace.get("reference")):
        end_with(NO_SYMBOL)
    return namespace["reference"]


def mapped(t, request):
    pages = -(-request.bytes[t] // mmap.PAGESIZE) * mmap.PAGESIZE
    access = mmap.PROT_READ | (mmap.PROT_WRITE if request.writable[t] else 0)
    return mmap.mmap(MEMORY_FD, pages, flags=mmap.MAP_SHARED, prot=access, offset=t * SLOT_BYTES), pages


def check_output(tensor, value, shape):
    if tuple(value.shape) != tuple(shape):
        raise ValueError(f"output '{tensor['name']}' has shape {list(value.shape)}, the task says {list(shape)}")
    if "complex" in str(value.dtype):
        raise ValueError(f"output '{tensor['name']}' is complex")


def call(reference, tensors, signature, request):
    inputs, outputs = [], []
    for t, tensor in enumerate(signature["tensors"]):
        memory, pages = mapped(t, request)
        dtype = tensor["dtype"]
        shape = request.shapes[t]
        count = 1
        for length in shape:
            count *= length
        view = tensors.view(memory, pages - request.bytes[t], count, dtype, tuple(shape))
        outputs.append(view) if tensor["output"] else inputs.append(tensors.own(view))
    axes = dict(zip(signature["axes"], request.values))
    values = reference(*inputs, **axes)
    values = tuple(values) if isinstance(values, (tuple, list)) else (values,)
    if len(values) != len(outputs):
        raise ValueError(f"{len(values)} outputs, the task has {len(outputs)}")
    expected = [tensor for tensor in signature["tensors"] if tensor["output"]]
    for tensor, view, value in zip(expected, outputs, values):
        value = tensors.plain(value)
        if value.ndim == 0 and tuple(view.shape) == (1,):  # a task writes [] and the judge sees one element
            value = value.reshape(1)
        check_output(tensor, value, tuple(view.shape))
        tensors.write(view, value)


def serve(path, signature):
    try:
        reference = load(path)
        tensors = TorchTensors() if "torch" in sys.modules else NumpyTensors()
    except BaseException as error:
        end_with(NOT_LOADED, words_of(error))
    answer(READY)
    while True:
        message = os.read(SOCKET_FD, 8 * WORDS)
        if len(message) != 8 * WORDS:
            return
        try:
            call(reference, tensors, signature, Request(message))
        except MemoryError:
            end_with(NO_MEMORY)
        except BaseException as error:
            end_with(THREW, words_of(error))
        answer(DONE)


if __name__ == "__main__":
    warnings.filterwarnings("ignore", message="The given buffer is not writable")
    with open(sys.argv[2], encoding="utf-8") as file:
        described = json.load(file)
    serve(sys.argv[1], described)
