#!/usr/bin/env python3
# Times nothing: may run beside others.
# Runs with the Python of build/dsls.
"""Large shapes of kernels for GPUs: which are kept as published, and what the reference's process on the GPU answers, against
NumPy; it runs on a processor here, and with the judge around it where there is a GPU.

Exit code 77: PyTorch is missing."""
import multiprocessing
import os
import pathlib
import re
import sys
import tempfile
import time

sys.path.insert(0, sys.path[0] + "/../support")
from importer import expect, module  # noqa: E402
from needs import need  # noqa: E402
from program import call, carry_out, write  # noqa: E402

need("torch")
import numpy as np  # noqa: E402
import torch  # noqa: E402

from gpu_turn import PARTS, GpuTurn  # noqa: E402
from module_workloads import GpuLimits  # noqa: E402
from serve_gpu_reference import Server  # noqa: E402

ROWS, COLS = 50, 37
REFERENCE = """import torch
def reference(x, w, rows, cols):
    return x @ w, (x > 0).sum(1), torch.where(x > 0.5, 1.0, 0.0)
"""
ROOM = {"ask": "widen", "scale": 1e-5, "draws": 3, "far_smaller_draws": 2, "far_smaller": 2.0 ** -10, "proportional": 32,
        "of_formula": 2, "least_looked_at": 64, "measured": 2.0 ** -24, "factor": 10.0, "single": True}
RELU = module("x", "return torch.relu(x)", "[torch.rand(rows, cols)]", "", "rows, cols = 2560, 8192")
KERNEL = """// @launch relu grid=(4096) block=(256) args=(x, out, rows*cols)
extern "C" __global__ void relu(const float* x, float* y, long long n) {
  for (long long i = blockIdx.x * 256ll + threadIdx.x; i < n; i += 4096ll * 256) {
    y[i] = WRONG ? x[i] : x[i] > 0.f ? x[i] : 0.f;
  }
}
"""


class Asked:
    """A server on memory of this process, and what it was asked about."""

    def __init__(self):
        self.x = torch.randn(ROWS, COLS, dtype=torch.float32)
        self.x[3, 5], self.x[7, 0], self.x[9, 1] = float("nan"), float("inf"), 0.0
        self.w = torch.randn(COLS, COLS, dtype=torch.float32)
        tensors = [("x", "float32", False), ("w", "float32", False), ("y", "float32", True), ("n", "int64", True),
                   ("step", "float32", True)]
        path = pathlib.Path(tempfile.mkdtemp()) / "reference.py"
        path.write_text(REFERENCE)
        self.memory = torch.zeros(1 << 18, dtype=torch.uint8)
        self.server = Server(str(path), {"tensors": [dict(name=n, dtype=d, output=o) for n, d, o in tensors]}, self.memory)
        self.request = {"ask": "compute", "axes": {"rows": ROWS, "cols": COLS}, "offsets": [0, 1 << 16], "row": COLS, "one_scale": False,
                        "dims": [[ROWS, COLS], [COLS, COLS], [ROWS, COLS], [ROWS], [ROWS, COLS]], "least_rms": []}

    def ask(self, **more):
        """Inputs are written anew, since answers go through the same memory."""
        for tensor, offset in ((self.x, 0), (self.w, 1 << 16)):
            self.memory[offset:offset + 4 * tensor.numel()] = tensor.view(-1).view(torch.uint8)
        return self.server.call({**self.request, **more})

    def fetched(self, part, output, kind, count):
        size = count * np.dtype(kind).itemsize
        pieces = []
        for at in range(0, size, 800):  # piece by piece, as the judge does
            taken = min(800, size - at)
            self.server.call({"ask": "fetch", "part": part, "output": output, "from": at, "bytes": taken})
            pieces.append(bytes(self.memory[:taken].numpy()))
        return np.frombuffer(b"".join(pieces), kind)


def a_server_answers_in_double_precision():
    asked = Asked()
    answer = asked.ask()
    x, w = asked.x.double().numpy(), asked.w.double().numpy()
    with np.errstate(all="ignore"):
        y = x @ w
    expect(np.allclose(asked.fetched("expected", 0, "f8", y.size), y.ravel(), rtol=1e-12, atol=1e-12, equal_nan=True), True)
    expect(list(asked.fetched("expected", 1, "i8", ROWS)), list((x > 0).sum(1)))
    finite = np.where(np.isfinite(y), y, 0)
    rms = np.sqrt((finite ** 2).sum(1) / np.maximum(np.isfinite(y).sum(1), 1))
    expect(np.allclose(asked.fetched("rms", 0, "f8", ROWS), rms, rtol=1e-12), True)
    clean = np.isfinite(y).all(1)
    expect(list(asked.fetched("clean", 0, "u1", ROWS)), list(clean.astype("u1")))
    expect(sorted(np.flatnonzero(~clean)), [3, 7])
    facts = answer["facts"][0]
    expect((facts["unit"], bool(np.isclose(facts["largest"], np.abs(finite).max(), rtol=1e-12))), (1.0, True))
    expect(bool(np.isclose(facts["sum_squares"], (finite[clean] ** 2).sum(), rtol=1e-12)), True)
    sizes = np.abs(x[np.isfinite(x)])
    expect(answer["magnitudes"][0], [sizes[sizes > 0].min(), sizes.max()])


def few_rows_are_told_and_raised():
    asked = Asked()
    told = asked.ask(least_rms=[1e6, 0.0, 0.0])["facts"]
    expect((told[0]["row_rms"], told[0]["sum_squares"]), ([1e6] * ROWS, 1e12 * ROWS * COLS))
    common = asked.ask(one_scale=True)["facts"][0]["row_rms"]
    own = asked.ask()["facts"][0]["row_rms"]
    expect(np.allclose(common, np.maximum(own, np.sqrt(np.mean(np.square(own))))), True)


def room_is_that_of_rounding_and_none_where_an_output_jumps():
    asked = Asked()
    asked.ask()
    before = [asked.fetched("rms", output, "f8", ROWS) for output in (0, 2)]
    squares = asked.ask(**ROOM)["squares"]
    after = [asked.fetched("rms", output, "f8", ROWS) for output in (0, 2)]
    room = (after[0] - before[0]) * ROOM["scale"]
    x, w = np.abs(asked.x.double().numpy()), np.abs(asked.w.double().numpy())
    finite = np.isfinite(x).all(1)
    # Each term is off by two changes at most; a sum in order rounds once a term, and twice that is admitted.
    most = 2 * max(ROOM["factor"], COLS + 1) * 2.0 ** -24 * (x[finite] @ w).max()
    expect((bool((room[finite] > 0).all()), bool((room[finite] <= most).all())), (True, True))
    expect(bool(np.allclose(after[1], before[1])), True)
    expect(bool(np.isclose(squares[0], COLS * (room ** 2).sum())), True)


def bench_shapes_are_as_published_as_far_as_the_memory_allows():
    folder = pathlib.Path(tempfile.mkdtemp(prefix="large_", dir=pathlib.Path.cwd()))
    write({"relu.py": RELU}, folder)

    def imported(memory):
        code, _, err = call("import", "module", folder / "relu.py", "-l", "cuda", "--memory", memory, "-o", folder / memory)
        expect((code, err if code else ""), (0, ""))
        text = (folder / memory / "relu" / "task.yaml").read_text()
        return tuple(map(int, re.search(r"rows: (\d+), cols: (\d+), role: bench", text).groups())), text

    shape, text = imported("80")
    expect((shape, "reduced" in text), ((2560, 8192), False))
    (rows, cols), text = imported("1")
    expect("reduced from the published rows 2560, cols 8192 to what a GPU of 1 GiB judges" in text, True)
    # Tensors, scratch, expected outputs, and the reference in double precision with one more result.
    elements = 2 * rows * cols
    used = 4 * elements + 2 ** 27 + 6 * elements + 8 * 2 * elements
    expect(2 ** 29 < used <= 2 ** 30, True)
    return folder


def memory_of_a_gpu_is_shared_and_who_waits_longest_is_next():
    held = [GpuTurn(1 / PARTS) for _ in range(PARTS)]
    expect([one.taken() for one in held], [True] * PARTS)
    large, small = GpuTurn(1), GpuTurn(1 / PARTS)
    expect((large.taken(), small.taken()), (False, False))
    held[0].give()
    expect((small.taken(), large.taken()), (False, False))  # the small one came later
    for one in held[1:]:
        one.give()
    expect((large.taken(), small.taken()), (True, False))
    large.give()
    expect(small.taken(), True)
    small.give()


def a_turn_ends_with_its_process():
    def take_and_die():
        expect(GpuTurn(1).taken(), True)
        os._exit(0)

    child = multiprocessing.get_context("fork").Process(target=take_and_die)
    child.start()
    child.join()
    turn = GpuTurn(1)
    expect(turn.taken(), True)
    turn.give()


def limits_say_why_nothing_fits():
    expect(GpuLimits(2 ** 30, 3).text(), "a GPU of 1 GiB judges, with 3 s for the reference")


def a_judge_with_a_gpu_tells_right_from_wrong():
    if not hasattr(torch, "get_default_device"):
        print("left out: this PyTorch takes seconds to find the shapes of large tensors")
        return
    folder = bench_shapes_are_as_published_as_far_as_the_memory_allows()
    if not torch.cuda.is_available():
        return
    for wrong, wanted in (("0", 0), ("n > (1ll << 24) && i > (1ll << 24)", 1)):
        kernel = folder / f"kernel{wanted}.cu"
        kernel.write_text(KERNEL.replace("WRONG", wrong))
        began = time.monotonic()
        code, out, _ = call("eval", folder / "80/relu", kernel, "--only", "correctness")
        print(f"{out[:200]} {time.monotonic() - began:.0f} s")
        expect(code, wanted)


if __name__ == "__main__":
    carry_out(a_server_answers_in_double_precision, few_rows_are_told_and_raised,
              room_is_that_of_rounding_and_none_where_an_output_jumps, a_judge_with_a_gpu_tells_right_from_wrong,
              memory_of_a_gpu_is_shared_and_who_waits_longest_is_next, a_turn_ends_with_its_process,
              limits_say_why_nothing_fits)
