"""The process of a baseline in Python: runs what a task's reference computes as its users would, in single precision.

    serve_baseline.py REFERENCE.py LAYOUT.json

It is a worker of the judge as kernelevolve-worker is, for code that is trusted: orders come through a pipe, tensors lie in
memory files, a round ends when the process stops itself [fitness/host/wire.hpp, whose numbers LAYOUT.json repeats].
Results are copied to the outputs after the round that is timed, since PyTorch allocates outputs of its own.
"""
import gc
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


class Memory:
    """The tensors of all calls, as views of the memory files."""

    def __init__(self, layout, tensors):
        self.layout, self.tensors = layout, tensors
        self.pieces = [(piece["address"], piece["bytes"], self._mapped(piece)) for piece in layout["mappings"]]

    def _mapped(self, piece):
        fd = self.layout["wire"]["output_fd" if piece["writable"] else "input_fd"]
        access = mmap.PROT_READ | (mmap.PROT_WRITE if piece["writable"] else 0)
        return mmap.mmap(fd, piece["bytes"], flags=mmap.MAP_SHARED, prot=access, offset=piece["offset"])

    def view(self, address, dtype, dims):
        for begin, size, memory in self.pieces:
            if begin <= address < begin + size:
                return self.tensors.view(memory, address - begin, dtype, dims)
        raise ValueError(f"no tensor at {address}")


def compiled(function, mode):
    """What torch.compile makes of it in a mode; "" = nothing."""
    if not mode:
        return function
    import torch
    return torch.compile(function, mode=mode)


class Function:
    """A reference that is a function of its inputs and axes."""

    def __init__(self, reference, mode):
        self.reference = compiled(reference, mode)

    def prepare(self, unchanging, axes):
        pass

    def call(self, inputs, axes):
        return self.reference(*inputs, **axes)


class Module:
    """A module: built for the axes and parameters of a call's workload before that call."""

    def __init__(self, reference, mode):
        import torch
        self.reference, self.mode, self.torch = reference, mode, torch
        self.built, self.model, self.original = None, None, None

    def prepare(self, unchanging, axes, dtype=None):
        self.original = self.reference.model(axes, unchanging, dtype or self.torch.float32)
        self.model = compiled(self.original, self.mode)
        self.built = dict(axes)

    def call(self, inputs, axes):
        if self.model is None or self.built != axes:
            self.prepare([], axes)
        return self.model(*self.reference.arguments(inputs))


class Worker:
    def __init__(self, path, layout):
        self.layout, self.wire = layout, layout["wire"]
        self.order = struct.Struct(f"<3Q{self.wire['max_arguments']}Q")
        reference = runpy.run_path(path, run_name="reference")["reference"]
        self.tensors = array_library()
        self.tensors.use_threads(layout["threads"])
        self.memory = Memory(layout, self.tensors)
        is_module = hasattr(reference, "model")
        self.baseline = (Module if is_module else Function)(reference, layout["compile_mode"])
        self.shapes = {tuple(shape["axes"]): shape["dims"] for shape in layout["shapes"]}
        self.calls = {}
        self.results = []

    def views(self, message, pointers, arguments, wanted):
        """Tensors among those `wanted`, and the axes: {name: length}."""
        if (found := self.calls.get(message)) is not None:
            return found
        names = self.layout["axes"]
        lengths = arguments[pointers:pointers + len(names)]
        dims = self.shapes[lengths]
        described = [(t, dims[i]) for i, t in enumerate(self.layout["tensors"]) if wanted(t)]
        made = [(t["output"], self.memory.view(address, t["dtype"], shape))
                for (t, shape), address in zip(described, arguments)]
        answer = ([view for output, view in made if not output], [view for output, view in made if output],
                  dict(zip(names, lengths)))
        self.calls[message] = answer
        return answer

    def run_round(self):
        wire = self.wire
        while True:
            message = os.read(wire["orders_fd"], self.order.size)
            if len(message) != self.order.size:
                os._exit(5)
            kind, _, pointers, *arguments = self.order.unpack(message)
            if kind == wire["stop"]:
                return
            if kind == wire["deliver"]:
                self.deliver()
            elif kind == wire["prepare"]:
                inputs, _, axes = self.views(message, pointers, tuple(arguments), lambda t: t["unchanging"])
                self.baseline.prepare(inputs, axes)
            else:
                inputs, outputs, axes = self.views(message, pointers, tuple(arguments), lambda t: True)
                self.results.append((outputs, self.baseline.call(inputs, axes)))

    def deliver(self):
        for outputs, values in self.results:
            values = values if isinstance(values, (tuple, list)) else (values,)
            for view, value in zip(outputs, values, strict=True):
                self.tensors.write(view, self.tensors.plain(value).reshape(view.shape))
        self.results.clear()


def stop():
    os.kill(os.getpid(), signal.SIGSTOP)


def serve(path, layout):
    stop()  # the first round does nothing, the second round loads
    worker = Worker(path, layout)
    gc.disable()
    stop()
    while True:
        worker.run_round()
        stop()


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in a terminal; the judge ends this process
    warnings.filterwarnings("ignore", message="The given buffer is not writable")
    for name in ("TORCHINDUCTOR_CACHE_DIR", "TMPDIR", "HOME"):
        os.environ[name] = os.getcwd()
    os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"
    with open(sys.argv[2], encoding="utf-8") as file:
        described = json.load(file)
    try:
        serve(sys.argv[1], described)
    except BaseException as error:  # nobody reads standard error; the judge reads the file
        with open("failure", "w", encoding="utf-8") as file:
            file.write(" ".join(f"{type(error).__name__}: {error}".split()))
        os._exit(3)
