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
import signal
import struct
import sys
import warnings

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from array_libraries import array_library  # noqa: E402

os.environ["USER"] = "kernelevolve"  # the sandbox's user has no name, for which PyTorch asks
ANSWER = struct.Struct("<QqqQ256s")


def leave_uncompiled(path):
    """Makes torch.compile give back what it gets: compiling takes seconds and folders to write to, which the sandbox has not."""
    with open(path, encoding="utf-8") as file:
        if "torch" not in file.read():
            return
    import torch

    def same(model=None, *_, **__):
        return same if model is None else model
    torch.compile = same


class Request:
    """One call, as wire.hpp lays it out."""
    HEAD = 3  # numbers before the lists

    def __init__(self, message, wire):
        most, dimensions = wire["max_arguments"], wire["max_dimensions"]
        words = struct.unpack(f"<{len(message) // 8}Q", message)
        self.tensors, self.axes, self.as_written = words[:self.HEAD]
        lists = [words[self.HEAD + i * most:self.HEAD + (i + 1) * most] for i in range(4)]
        self.bytes, self.writable, self.values, ranks = lists
        dims = words[self.HEAD + 4 * most:]
        self.shapes = [dims[t * dimensions:t * dimensions + ranks[t]] for t in range(self.tensors)]

    @staticmethod
    def size(wire):
        """In bytes."""
        return 8 * (Request.HEAD + wire["max_arguments"] * (4 + wire["max_dimensions"]))


class Judge:
    """The other end of the socket."""

    def __init__(self, wire):
        self.wire = wire

    def answer(self, kind, text=""):
        message = ANSWER.pack(self.wire["answers"][kind], self.wire["no_tensor"], 0, 0, text.encode(errors="replace")[:255])
        os.write(self.wire["socket_fd"], message)

    def end_with(self, kind, text=""):
        self.answer(kind, text)
        os._exit(1)

    def next_request(self):
        """None when the judge is gone."""
        size = Request.size(self.wire)
        message = os.read(self.wire["socket_fd"], size)
        return Request(message, self.wire) if len(message) == size else None


def words_of(error):
    text = " ".join(f"{type(error).__name__}: {error}".split())
    if isinstance(error, ModuleNotFoundError):
        text += f" in {sys.executable}, the first python3 in PATH"
    return text


def mapped(t, request, wire):
    pages = -(-request.bytes[t] // mmap.PAGESIZE) * mmap.PAGESIZE
    access = mmap.PROT_READ | (mmap.PROT_WRITE if request.writable[t] else 0)
    place = t * wire["slot_bytes"]
    return mmap.mmap(wire["memory_fd"], pages, flags=mmap.MAP_SHARED, prot=access, offset=place), pages


def check_output(tensor, value, shape):
    if tuple(value.shape) != tuple(shape):
        raise ValueError(f"output '{tensor['name']}' has shape {list(value.shape)}, the task says {list(shape)}")
    if "complex" in str(value.dtype):
        raise ValueError(f"output '{tensor['name']}' is complex")


def call(reference, tensors, signature, request):
    inputs, outputs = [], []
    for t, tensor in enumerate(signature["tensors"]):
        memory, pages = mapped(t, request, signature["wire"])
        dtype = tensor["dtype"]
        shape = request.shapes[t]
        view = tensors.view(memory, pages - request.bytes[t], dtype, tuple(shape))
        outputs.append(view) if tensor["output"] else inputs.append(tensors.own(view))
    axes = dict(zip(signature["axes"], request.values))
    if request.as_written:
        reference = reference.as_written() if hasattr(reference, "as_written") else reference
        inputs = [tensors.single(array) for array in inputs]
    tensors.compute_in_double(not request.as_written)
    values = reference(*inputs, **axes)
    values = tuple(values) if isinstance(values, (tuple, list)) else (values,)
    if len(values) != len(outputs):
        raise ValueError(f"{len(values)} outputs, the task has {len(outputs)}")
    expected = [tensor for tensor in signature["tensors"] if tensor["output"]]
    for tensor, view, value in zip(expected, outputs, values):
        value = tensors.plain(value)
        if value.ndim == 0 and tuple(view.shape) == (1,):  # the shape [] is one element to the judge
            value = value.reshape(1)
        check_output(tensor, value, tuple(view.shape))
        tensors.write(view, value)


def serve(path, signature):
    judge = Judge(signature["wire"])
    try:
        leave_uncompiled(path)
        reference = runpy.run_path(path, run_name="reference").get("reference")
        tensors = array_library()
    except BaseException as error:
        judge.end_with("not_loaded", words_of(error))
    if not callable(reference):
        judge.end_with("no_symbol")
    judge.answer("ready")
    while (request := judge.next_request()) is not None:
        try:
            call(reference, tensors, signature, request)
        except MemoryError:
            judge.end_with("no_memory")
        except BaseException as error:
            judge.end_with("threw", words_of(error))
        judge.answer("done")


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in a terminal; the judge ends this process
    warnings.filterwarnings("ignore", message="The given buffer is not writable")
    with open(sys.argv[2], encoding="utf-8") as file:
        described = json.load(file)
    serve(sys.argv[1], described)
