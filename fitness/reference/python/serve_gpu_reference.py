"""The process of a reference in Python on a GPU, for shapes too large for the host.

    serve_gpu_reference.py REFERENCE.py LAYOUT.json

Frames, and the judge's memory, as for serve_gpu_baseline.py. The inputs lie in that memory; outputs in double precision and
what the comparison needs of their rows stay here until the judge fetches them through it, piece by piece
[fitness/gpu/gpu_oracle.cpp].
"""
import json
import math
import os
import runpy
import sys
import warnings

import torch

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from kernelevolve_reference import ModuleReference  # noqa: E402
from serve_gpu_baseline import serve, views_of  # noqa: E402
from serve_reference import check_output, leave_uncompiled  # noqa: E402

PART = 2 ** 26  # elements that are looked at together
FEW_ROWS = 64  # their rms are told


def magnitudes(tensor):
    """The least that is not 0 and the largest, of the finite ones."""
    least, most = math.inf, 0.0
    for part in tensor.reshape(-1).split(PART):
        sizes = part.double().abs()
        sizes = sizes[torch.isfinite(sizes) & (sizes > 0)]
        if sizes.numel():
            least, most = min(least, sizes.min().item()), max(most, sizes.max().item())
    return [least if most else 0.0, most]


class Output:
    """The values of an output in double precision, and facts_of() of them [fitness/content/content.cpp]."""

    def __init__(self, values, dtype, row, one_scale, least_rms):
        exact = values.is_floating_point()
        self.expected = values.reshape(-1).contiguous().to(torch.float64 if exact else torch.int64)
        self.largest = max(self._finite(part).abs().max().item() for part in self.expected.split(PART))
        self.unit, self.row = 1.0, row
        if dtype == "float64" and self.largest:
            self.unit = 2.0 ** min(max(math.frexp(self.largest)[1] - 1, -1000), 1000)
        beyond = torch.finfo(getattr(torch, dtype) if exact else torch.float32).max
        self.clean, self.rms, squares = map(torch.cat, zip(*(self._of_lines(lines, beyond) for lines in self._lines(self.expected))))
        self.sum_squares = (squares * self.clean).sum().item()
        if one_scale:
            self.rms = self.rms.clamp(min=(self.rms / self.unit).square().mean().sqrt().item() * self.unit)
        if least_rms is not None:
            self.rms = self.rms.clamp(min=least_rms)
            self.sum_squares = max(self.sum_squares, row * self.rms.numel() * (least_rms / self.unit) ** 2)

    @staticmethod
    def _finite(part):
        part = part.double()
        return torch.where(torch.isfinite(part), part, torch.zeros_like(part))

    def _lines(self, values):
        """The rows, many of them at a time; the last one may be shorter."""
        for part in values.split(max(1, PART // self.row) * self.row):
            full = part.numel() // self.row * self.row
            if full:
                yield part[:full].view(-1, self.row)
            if full < part.numel():
                yield part[full:].view(1, -1)

    def _of_lines(self, lines, beyond):
        """Whether each is clean, its rms, and its squares in units."""
        lines = lines.double()
        squares = (self._finite(lines) / self.unit).square().sum(1)
        count = torch.isfinite(lines).sum(1).clamp(min=1)
        return (lines.abs() < beyond).all(1), (squares / count).sqrt() * self.unit, squares

    def largest_changes(self, others):
        """Per row, of the values and other ones."""
        pairs = zip(self._lines(self.expected), self._lines(others.reshape(-1)))
        return torch.cat([self._finite((other.double() - own).abs()).amax(1) for own, other in pairs])

    def widen(self, room, scale):
        """Admits errors of so much more in each row, by rows whose rms is so much larger."""
        self.room_squares = self.row * (room / self.unit).square().sum().item()
        self.rms = self.rms + room / scale

    def told(self):
        rms = self.rms.tolist() if self.rms.numel() <= FEW_ROWS else []
        return {"unit": self.unit, "sum_squares": self.sum_squares, "largest": self.largest, "row_rms": rms}


def shared_among_short_rows(changes, row, least):
    """Gives neighbouring rows of fewer than `least` elements their largest change."""
    rows = -(-least // row)
    groups = torch.nn.functional.pad(changes, (0, -changes.numel() % rows)).view(-1, rows)
    return groups.amax(1, keepdim=True).expand_as(groups).reshape(-1)[:changes.numel()]


class Server:
    def __init__(self, path, layout, memory):
        self.memory, self.tensors = memory, layout["tensors"]
        leave_uncompiled(path)
        self.reference = runpy.run_path(path, run_name="reference")["reference"]
        self.outputs = []

    def call(self, request):
        asked = {"compute": self._compute, "fetch": self._fetch, "widen": self._widen, "forget": self._forget}
        answer = asked[request["ask"]](request)
        if self.memory.is_cuda:
            torch.cuda.synchronize()
        return answer

    def _fetch(self, request):
        tensor = getattr(self.outputs[request["output"]], request["part"]).view(torch.uint8)
        self.memory[:request["bytes"]] = tensor[request["from"]:request["from"] + request["bytes"]]
        return {}

    def _forget(self, _=None):
        self.outputs = []
        torch.cuda.empty_cache()
        return {}

    def _inputs(self, request):
        """They come first in the signature, and offsets are of them alone."""
        return views_of(self.memory, self.tensors, request)

    def _compute(self, request):
        self._forget()
        inputs = self._inputs(request)
        sizes = [magnitudes(view) if view.is_floating_point() else [0.0, 0.0] for view in inputs]
        results = self._results(self.reference, [self._given(view) for view in inputs], request)
        described = [(t, dims) for t, dims in zip(self.tensors, request["dims"]) if t["output"]]
        if len(results) != len(described):
            raise ValueError(f"{len(results)} outputs, the task has {len(described)}")
        least = request["least_rms"] or [None] * len(results)
        for i, (tensor, dims) in enumerate(described):
            value = torch.as_tensor(results[i])
            check_output(tensor, value.reshape(dims) if value.dim() == 0 else value, dims)
            results[i] = None  # its memory is needed
            self.outputs.append(Output(value, tensor["dtype"], request["row"], request["one_scale"], least[i]))
        return {"magnitudes": sizes, "facts": [output.told() for output in self.outputs]}

    @staticmethod
    def _results(reference, inputs, request, dtype=torch.float64):
        torch.set_default_dtype(dtype)
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
        results = reference(*inputs, **request["axes"])
        return list(results) if isinstance(results, (tuple, list)) else [results]

    def _widen(self, request):
        """Adds the room that rounding needs at these contents [fitness/content/rounding_room.cpp, whose numbers the request
        repeats]."""
        self._compute(request)
        inputs = self._inputs(request)
        rooms = self._largest_changes(inputs, request, request["measured"], request["draws"])
        small = self._largest_changes(inputs, request, request["measured"] * request["far_smaller"], request["far_smaller_draws"])
        written = self._errors_as_written(inputs, request)
        for output, room, less, error in zip(self.outputs, rooms, small, written):
            room, less = (shared_among_short_rows(changes, request["row"], request["least_looked_at"]) for changes in (room, less))
            less = less / request["far_smaller"]
            jumps = (less > request["proportional"] * room) | (room > request["proportional"] * less)
            room = torch.where(jumps, torch.zeros_like(room), room * request["factor"])
            output.widen(torch.maximum(room, request["of_formula"] * error), request["scale"])
        return {"squares": [output.room_squares for output in self.outputs]}

    def _largest_changes(self, inputs, request, size, count):
        largest = [torch.zeros_like(output.rms) for output in self.outputs]
        for _ in range(count):
            moved = [self._moved(view, size) if view.is_floating_point() else view.clone() for view in inputs]
            self._raise_to(largest, self._results(self.reference, moved, request))
        return largest

    @staticmethod
    def _moved(view, size):
        moved = view.double()
        return moved.mul_(torch.rand_like(moved).mul_(2).sub_(1).mul_(size).add_(1))

    def _errors_as_written(self, inputs, request):
        errors = [torch.zeros_like(output.rms) for output in self.outputs]
        if request["single"] and hasattr(self.reference, "as_written"):
            given = [view.clone() for view in inputs]
            self._raise_to(errors, self._results(self.reference.as_written(), given, request, torch.float32))
        return errors

    def _raise_to(self, largest, results):
        for i, output in enumerate(self.outputs):
            if output.expected.is_floating_point():
                largest[i] = torch.maximum(largest[i], output.largest_changes(results[i]))
            results[i] = None

    def _given(self, view):
        """A module copies its inputs itself."""
        if isinstance(self.reference, ModuleReference):
            return view
        return view.double() if view.is_floating_point() else view.clone()


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    with open(sys.argv[2], encoding="utf-8") as file:
        described = json.load(file)
    serve(sys.argv[1], described, Server)
