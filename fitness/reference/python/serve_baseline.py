"""The process of a baseline in Python: runs what a task's reference computes as its users would, in the task's types.

    serve_baseline.py REFERENCE.py LAYOUT.json

It is a worker of the judge as kernelevolve-worker is, for code that is trusted: orders come through a pipe, tensors lie in
memory files, a round ends when the process stops itself [fitness/host/wire.hpp, whose numbers LAYOUT.json repeats].
Results are copied to the outputs after the round that is timed, since PyTorch allocates outputs of its own. Inputs are
mapped read-only, so those that a module changes are copied before that round.
"""
import collections
import copy
import functools
import gc
import json
import mmap
import os
import platform
import runpy
import shutil
import signal
import struct
import sys
import time
import warnings

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from array_libraries import array_library  # noqa: E402


class Memory:
    """The tensors of all calls, as views of the memory files."""

    def __init__(self, layout, tensors):
        self.tensors, wire = tensors, layout["wire"]
        # Each file once: Python keeps a descriptor open for every mapping, and small shapes have thousands of pieces.
        files = {writable: mmap.mmap(wire["output_fd" if writable else "input_fd"], 0, flags=mmap.MAP_SHARED,
                                     prot=mmap.PROT_READ | (mmap.PROT_WRITE if writable else 0))
                 for writable in {bool(piece["writable"]) for piece in layout["mappings"]}}
        self.pieces = [(piece["address"], piece["bytes"], files[bool(piece["writable"])], piece["offset"])
                       for piece in layout["mappings"]]

    def view(self, address, dtype, dims):
        for begin, size, memory, offset in self.pieces:
            if begin <= address < begin + size:
                return self.tensors.view(memory, offset + address - begin, dtype, dims)
        raise ValueError(f"no tensor at {address}")


LONG_CALL = 0.005  # seconds
MOST_COMPILATIONS = 4096  # of one function: PyTorch leaves the ninth shape to eager, without a word


def compiled(function, mode):
    """What torch.compile makes of it in a mode, one compilation for each shape; "" = nothing.

    Left to itself, PyTorch compiles the second shape for any length, which can take twice as long a call."""
    if not mode:
        return function
    import torch
    from torch._dynamo import config
    for name in ("recompile_limit", "accumulated_recompile_limit", "cache_size_limit", "accumulated_cache_size_limit"):
        if hasattr(config, name):  # the first two since PyTorch 2.6
            setattr(config, name, MOST_COMPILATIONS)
    return torch.compile(function, mode=mode, dynamic=False)


class Function:
    """A reference that is a function of its inputs and axes."""

    def __init__(self, reference, mode):
        self.reference = compiled(reference, mode)

    def prepare(self, unchanging, axes):
        pass

    def copied(self, inputs):
        return inputs

    def call(self, inputs, axes):
        return self.reference(*inputs, **axes)

    def outputs(self, result):
        return result if isinstance(result, (tuple, list)) else (result,)


def shape_of(axes):
    return tuple(sorted(axes.items()))


class Module:
    """A module: built and filled for the axes and parameters of a call's workload before that call."""

    def __init__(self, reference, mode):
        from kernelevolve_reference import tensors_in
        import torch
        self.reference, self.mode, self.outputs = reference, mode, tensors_in
        self.full_precision = functools.partial(torch.set_float32_matmul_precision, "highest")  # whatever the file sets
        self.built = {}  # by shape: the module, and what is called
        self.shape, self.model = None, None

    def prepare(self, unchanging, axes):
        shape = shape_of(axes)
        if shape not in self.built:
            original = self.reference.model(axes, unchanging)
            self.built[shape] = (original, compiled(original, self.mode))
        elif unchanging:
            self.reference.refill(self.built[shape][0], unchanging)
        self.shape, self.model = shape, self.built[shape][1]
        self.full_precision()

    def copied(self, inputs):
        return self.reference.copied(inputs)

    def call(self, inputs, axes):
        if self.shape != shape_of(axes):
            self.prepare([], axes)
        return self.reference.call(self.model, inputs)


def order_of(layout):
    return struct.Struct(f"<3Q{layout['wire']['max_arguments']}Q")


class Worker:
    def __init__(self, path, layout):
        self.layout, self.wire = layout, layout["wire"]
        self.order = order_of(layout)
        if layout["compile_mode"]:
            use_fastest_vector_set()
        reference = runpy.run_path(path, run_name="reference")["reference"]
        self.tensors = array_library()
        self.tensors.use_threads(layout["threads"])
        self.memory = Memory(layout, self.tensors)
        self.baseline = (Module if hasattr(reference, "model") else Function)(reference, layout["compile_mode"])
        self.shapes = {tuple(shape["axes"]): shape["dims"] for shape in layout["shapes"]}
        self.calls = {}
        self.ready = collections.deque()  # of the coming calls: inputs, outputs, axes
        self.results = []
        self.warm = {}  # by shape: inputs for calls that are not timed, or None where calls are long

    def views(self, call, wanted):
        """Inputs and outputs among those `wanted`, and the axes: {name: length}."""
        if (found := self.calls.get(call)) is not None:
            return found
        _, pointers, *arguments = call
        names = self.layout["axes"]
        lengths = tuple(arguments[pointers:pointers + len(names)])
        dims = self.shapes[lengths]
        described = [(t, dims[i]) for i, t in enumerate(self.layout["tensors"]) if wanted(t)]
        made = [(t["output"], self.memory.view(address, t["dtype"], shape))
                for (t, shape), address in zip(described, arguments)]
        answer = ([view for output, view in made if not output], [view for output, view in made if output],
                  dict(zip(names, lengths)))
        self.calls[call] = answer
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
            elif kind == wire["copy_inputs"]:
                inputs, outputs, axes = self.views((kind, pointers, *arguments), lambda t: True)
                self.ready.append((self.baseline.copied(inputs), outputs, axes))
                self.warm_up(inputs, axes)
            elif kind == wire["prepare"]:
                inputs, _, axes = self.views((kind, pointers, *arguments), lambda t: t["unchanging"])
                self.baseline.prepare(inputs, axes)
            else:
                inputs, outputs, axes = self.ready.popleft()
                self.results.append((outputs, self.baseline.call(inputs, axes)))

    def warm_up(self, inputs, axes):
        """A call just before the one that is timed, on inputs of its own: after a pause, PyTorch takes up to twice as long for
        a short call, most of it in the interpreter, and its users call again and again."""
        shape = shape_of(axes)
        if shape not in self.warm:
            self.warm[shape] = copy.deepcopy(inputs)
        if self.warm[shape] is None:
            return
        begin = time.perf_counter()
        self.baseline.call(self.baseline.copied(self.warm[shape]), axes)
        if time.perf_counter() - begin > LONG_CALL:
            self.warm[shape] = None

    def deliver(self):
        for outputs, result in self.results:
            for view, value in zip(outputs, self.baseline.outputs(result), strict=True):
                self.tensors.write(view, self.tensors.plain(value).reshape(view.shape))
        self.results.clear()


def folder_of_compiled(folder):
    """A copy, owned by this process, of what earlier ones compiled, under their path, which PyTorch's keys contain: each process is
    another user, who may not write to the locks of the last one."""
    path, earlier = os.path.join(folder, "compiled"), os.path.join(folder, f"compiled-before-{os.urandom(8).hex()}")
    if os.path.isdir(path):
        os.rename(path, earlier)
        try:
            shutil.copytree(earlier, path, ignore=shutil.ignore_patterns("locks"))
        except (OSError, shutil.Error):
            pass  # what cannot be read is compiled again
    os.makedirs(path, exist_ok=True)
    return path


def use_fastest_vector_set():
    """In every process, PyTorch builds and loads a program for each set of vector instructions, half a minute in all. Here it
    believes the processor's flags, and asks for the first set of its list alone."""
    if platform.machine() != "x86_64":
        return  # it builds none there
    try:
        from torch._inductor import config, cpu_vec_isa as sets
        config.cpp.vec_isa_ok = True
        flags = sets.x86_isa_checker()
        fastest = next((one for one in sets.supported_vec_isa_list if all(flag in flags for flag in str(one).split()) and one), None)
        sets.valid_vec_isa_list = lambda: [fastest] if fastest else []
    except (ImportError, AttributeError):
        pass  # a PyTorch that asks elsewhere


def stop():
    os.kill(os.getpid(), signal.SIGSTOP)


def serve(path, layout):
    stop()
    os.read(layout["wire"]["orders_fd"], order_of(layout).size)  # the first order is to load
    worker = Worker(path, layout)
    gc.disable()
    while True:
        worker.run_round()
        stop()


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in a terminal; the judge ends this process
    warnings.filterwarnings("ignore", message="The given buffer is not writable")
    kept = folder_of_compiled(os.getcwd())
    for name in ("TORCHINDUCTOR_CACHE_DIR", "TMPDIR", "HOME"):
        os.environ[name] = kept
    os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"
    os.environ["USER"] = "kernelevolve"  # the sandbox's user has no name, for which PyTorch asks
    with open(sys.argv[2], encoding="utf-8") as file:
        described = json.load(file)
    try:
        serve(sys.argv[1], described)
    except BaseException as error:  # nobody reads standard error; the judge reads the file
        with open("failure", "w", encoding="utf-8") as file:
            file.write(" ".join(f"{type(error).__name__}: {error}".split()))
        os._exit(3)
