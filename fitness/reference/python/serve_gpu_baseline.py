"""The process of the baselines in Python on a GPU: runs what a task's reference computes as its users would there.

    serve_gpu_baseline.py REFERENCE.py LAYOUT.json

Talks over descriptor 3 [fitness/gpu/python_server.cpp]: the descriptor of the judge's memory comes first, then frames of
JSON, each behind its length in 8 bytes. A call is timed by events on the GPU, behind a read of other memory that empties
the caches and behind a wait that lets the host get ahead: as of kernels, what the host does costs no time of the span.
PyTorch allocates outputs of its own, so they are copied after it, and inputs that a module changes are copied before.
"""
import ctypes
import json
import os
import runpy
import signal
import socket
import struct
import sys
import time
import warnings

signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in a terminal; the judge ends this process

import torch  # noqa: E402

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from serve_baseline import Function, Module, shape_of  # noqa: E402

WARM_UPS = 3
CYCLES_PER_NS = 2  # an upper bound on the GPU's clock
SPARE_NS = 200_000
JUDGE = 3  # descriptor of the judge's socket


class Stretch:
    """Memory of the GPU that other code has mapped, for torch.as_tensor."""

    def __init__(self, address, size):
        self.__cuda_array_interface__ = {"shape": (size,), "typestr": "|u1", "data": (address, False), "version": 3}


class Location(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("id", ctypes.c_int)]


class Access(ctypes.Structure):
    _fields_ = [("location", Location), ("flags", ctypes.c_int)]


def checked(status):
    if status:
        raise RuntimeError(f"CUresult {status}")


def shared_memory(descriptor, size, gpu):
    """The judge's memory as bytes [CUDA driver API, virtual memory management]."""
    driver, handle, address = ctypes.CDLL("libcuda.so.1"), ctypes.c_ulonglong(), ctypes.c_ulonglong()
    length, device, read_and_write, file_descriptor = ctypes.c_size_t(size), 1, 3, 1
    checked(driver.cuMemImportFromShareableHandle(ctypes.byref(handle), ctypes.c_void_p(descriptor), file_descriptor))
    checked(driver.cuMemAddressReserve(ctypes.byref(address), length, ctypes.c_size_t(0), ctypes.c_ulonglong(0),
                                       ctypes.c_ulonglong(0)))
    checked(driver.cuMemMap(address, length, ctypes.c_size_t(0), handle, ctypes.c_ulonglong(0)))
    access = Access(Location(device, gpu), read_and_write)
    checked(driver.cuMemSetAccess(address, length, ctypes.byref(access), ctypes.c_size_t(1)))
    return torch.as_tensor(Stretch(address.value, size), device=f"cuda:{gpu}")


def views_of(memory, tensors, request):
    """The tensors at the request's offsets, in its shapes."""
    made = []
    for tensor, shape, offset in zip(tensors, request["dims"], request["offsets"]):
        dtype = getattr(torch, tensor["dtype"])
        size = torch.Size(shape).numel() * torch.empty((), dtype=dtype).element_size()
        made.append(memory[offset:offset + size].view(dtype).view(shape))
    return made


def nanoseconds(begin, end):
    return int(begin.elapsed_time(end) * 1e6)


class Form:
    """A way to compute the reference, with modules and compiled functions of its own."""

    def __init__(self, path, compile_mode, tf32, tensors):
        self.tf32, self.tensors = tf32, tensors
        reference = runpy.run_path(path, run_name="reference")["reference"]
        self.baseline = (Module if hasattr(reference, "model") else Function)(reference, compile_mode)
        self.ahead_ns = {}  # by shape, how long the host takes for a call

    def prepare(self, inputs, axes):
        """The baseline for this shape, with the parameters among the inputs; at a new shape also calls that warm it."""
        self.baseline.prepare([view for view, t in zip(inputs, self.tensors) if t["unchanging"]], axes)
        # Afterwards, since the file of a module may set it too.
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = self.tf32
        if shape_of(axes) in self.ahead_ns:
            return
        for _ in range(WARM_UPS):
            copied = self.baseline.copied(inputs)
            torch.cuda.synchronize()
            begin = time.perf_counter_ns()
            self.baseline.call(copied, axes)
            self.ahead_ns[shape_of(axes)] = 2 * (time.perf_counter_ns() - begin) + SPARE_NS


class Baselines:
    def __init__(self, path, layout, memory):
        self.path, self.memory, self.tensors = path, memory, layout["tensors"]
        self.forms = {}  # by mode of torch.compile, and whether it multiplies in TF32
        self.flushed = None
        self.ahead, self.begin, self.end = (torch.cuda.Event(enable_timing=True) for _ in range(3))

    def form(self, request):
        key = request["compile_mode"], request["tf32"]
        if key not in self.forms:
            self.forms[key] = Form(self.path, *key, self.tensors)
        return self.forms[key]

    def flush(self, size):
        if self.flushed is None or self.flushed.numel() < size // 8:
            self.flushed = torch.ones(size // 8, dtype=torch.int64, device=self.memory.device)
        self.flushed.sum()

    def call(self, request):
        views = views_of(self.memory, self.tensors, request)
        inputs = [view for view, t in zip(views, self.tensors) if not t["output"]]
        outputs = [view for view, t in zip(views, self.tensors) if t["output"]]
        form = self.form(request)
        form.prepare(inputs, request["axes"])
        inputs = form.baseline.copied(inputs)
        torch.cuda.synchronize()
        torch.cuda._sleep(CYCLES_PER_NS * form.ahead_ns[shape_of(request["axes"])])
        self.ahead.record()
        if request["flush_bytes"]:
            self.flush(request["flush_bytes"])
        self.begin.record()
        result = form.baseline.call(inputs, request["axes"])
        self.end.record()
        torch.cuda.synchronize()
        for view, value in zip(outputs, form.baseline.outputs(result), strict=True):
            view.copy_(value.reshape(view.shape))
        torch.cuda.synchronize()
        return {"event_ns": nanoseconds(self.begin, self.end), "host_ns": nanoseconds(self.ahead, self.end)}


def serve(path, layout, server_class):
    """Answers the judge with server_class(path, layout, its memory).call(request)."""
    judge = socket.socket(fileno=JUDGE)
    _, descriptors, _, _ = socket.recv_fds(judge, 1, 1)
    server = None
    while (head := judge.recv(8, socket.MSG_WAITALL)) and len(head) == 8:
        request = json.loads(judge.recv(struct.unpack("<Q", head)[0], socket.MSG_WAITALL))
        try:
            with torch.no_grad(), torch.device("cuda", layout["gpu"]):
                if server is None:
                    torch.cuda.set_device(layout["gpu"])
                    torch.zeros(1)  # makes the context
                    memory = shared_memory(descriptors[0], layout["bytes"], layout["gpu"])
                    server, answer = server_class(path, layout, memory), {}
                else:
                    answer = server.call(request)
        except Exception as error:
            answer = {"failure": " ".join(f"{type(error).__name__}: {error}".split())[:2000]}
        text = json.dumps(answer).encode()
        judge.sendall(struct.pack("<Q", len(text)) + text)


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    with open(sys.argv[2], encoding="utf-8") as file:
        described = json.load(file)
    serve(sys.argv[1], described, Baselines)
