"""One operator of PyTorch: its contract, its calls of the compiled library, and what stands in for it elsewhere.

An operator's folder holds operator.json (the task's tensors and axes), the library with its kernels, and the task's
reference, which computes shapes outside of those at which the kernels were verified.
"""

import collections
import ctypes
import threading
import warnings

import torch

from .references import load_reference

NAMESPACE = "kernelevolve"
MOST_PLANS = 4096  # remembered shapes

_library = torch.library.Library(NAMESPACE, "FRAGMENT")
_this_thread = threading.local()
_CPU, _STRIDED = torch.device("cpu"), torch.strided

_FUNCTIONS = {"__builtins__": {}, "min": torch.sym_min, "max": torch.sym_max,
              "ceil_div": lambda a, b: -(-a // b), "round_up": lambda a, b: -(-a // b) * b}

Plan = collections.namedtuple("Plan", "lengths outputs ranges outside simple")
Plan.__doc__ = """What a call at one shape needs: lengths of the axes, shapes and types of the outputs, bounds of integer
inputs, what lies outside of the verified shapes, and whether the kernel may be called without further ado."""


def expression(text):
    """Compiles a text to a function of {axis: length}; `/` divides integers, as in the task."""
    code = compile(text.replace("/", "//"), text, "eval")
    return lambda axes: eval(code, _FUNCTIONS, axes)


class Tensor:
    """A tensor of the contract."""

    def __init__(self, described):
        self.name, self.dtype = described["name"], getattr(torch, described["dtype"])
        self.align, self.output, self.changes = described["align"], described["output"], described["changes"]
        self.text = f"[{', '.join(described['shape'])}]"
        self.rank = len(described["shape"])
        self._shape = [expression(text) for text in described["shape"]]
        self.bounds = [expression(text) for text in described.get("range", ())]

    def shape(self, axes):
        return [length(axes) for length in self._shape]


def aligned_empty(shape, dtype, align, device=_CPU):
    """Allocates an uninitialised tensor whose data begin at a multiple of `align` bytes."""
    tensor = torch.empty(shape, dtype=dtype, device=device)
    if tensor.data_ptr() % align == 0:
        return tensor
    size = tensor.numel() * tensor.element_size()
    memory = torch.empty(size + align, dtype=torch.uint8, device=device)
    start = -memory.data_ptr() % align
    return memory[start:start + size].view(dtype).view(shape)


def aligned(tensor, align):
    """Returns the tensor if it is dense and aligned, else a copy that is."""
    if tensor.is_contiguous() and tensor.data_ptr() % align == 0:
        return tensor
    return aligned_empty(tensor.shape, tensor.dtype, align, tensor.device).copy_(tensor)


class Prepared:
    """Inputs and axes of the library's last preparation, and its thread."""

    def __init__(self, lengths, given, dense):
        self._lengths, self.dense, self._thread = lengths, dense, self._here()
        # Inference tensors count no writes, so changes are unknown.
        self._given = None if any(t.is_inference() for t in given) else [(t, t._version, t.data_ptr()) for t in given]

    @staticmethod
    def _here():
        """An object that identifies this thread: a kernel may prepare thread-local variables."""
        if not hasattr(_this_thread, "token"):
            _this_thread.token = object()
        return _this_thread.token

    def holds(self, lengths, given):
        return (self._given is not None and self._thread is self._here() and self._lengths == lengths
                and all(t is known and not t.is_inference() and t._version == version and t.data_ptr() == data
                        for t, (known, version, data) in zip(given, self._given)))


class KernelOperator:
    """kernelevolve::NAME for tensors in CPU memory; no gradients."""

    device = "cpu"

    def __init__(self, folder, described):
        self.name = f"{NAMESPACE}::{described['symbol']}"
        tensors = [Tensor(one) for one in described["tensors"]]
        self.inputs = [one for one in tensors if not one.output]
        self.outputs = [one for one in tensors if one.output]
        self._axes, self._constants, self._ordered = described["axes"], described["constants"], described["ordered"]
        self._given_axes = [axis["name"] for axis in self._axes if axis["tensor"] is None]
        self._count = len(self.inputs)
        self._dtypes = [one.dtype for one in self.inputs]
        self._aligns = [one.align for one in self.inputs]
        self._ranged = [i for i, one in enumerate(self.inputs) if one.bounds]
        self._unchanging = [i for i, one in enumerate(self.inputs) if not one.changes]
        self._plans, self._warned, self._prepared = {}, False, None
        self._reference = load_reference(folder / described["reference"], described["reference_uses_torch"], self.name)
        self._lock = threading.Lock() if described["serial"] else None
        self._take_functions(ctypes.CDLL(str(folder / f"lib{described['symbol']}.so")), described)

    def _take_functions(self, library, described):
        self._kernel = self._function(library, described["symbol"], len(self.inputs) + len(self.outputs))
        self._prepare = None
        if described["prepares"]:
            self._prepare = self._function(library, described["symbol"] + "_prepare", len(self._unchanging))

    def _function(self, library, symbol, pointers):
        function = getattr(library, symbol)
        function.restype = None
        function.argtypes = [ctypes.c_void_p] * pointers + [ctypes.c_size_t] * len(self._axes)
        return function

    def define(self):
        """Registers the operator and returns it, torch.ops.kernelevolve.NAME.default."""
        parameters = [f"Tensor {one.name}" for one in self.inputs] + [f"SymInt {axis}" for axis in self._given_axes]
        answer = "Tensor" if len(self.outputs) == 1 else f"({', '.join(['Tensor'] * len(self.outputs))})"
        name = self.name.partition("::")[2]
        _library.define(f"{name}({', '.join(parameters)}) -> {answer}", tags=torch.Tag.pt2_compliant_tag)
        _library.impl(name, self._call, "CompositeExplicitAutograd")  # on any device
        torch.library.register_fake(self.name, self._fake, lib=_library)
        return getattr(getattr(torch.ops, NAMESPACE), name).default

    def forget_prepared(self):
        self._prepared = None

    def _refuse(self, kind, text):
        raise kind(f"{self.name}: {text}")

    def _accept(self, tensors, device):
        """Raises an error for the first tensor of the wrong type or device, or that needs a
        gradient."""
        for tensor, one in zip(tensors, self.inputs):
            if tensor.dtype is not one.dtype:
                self._refuse(TypeError, f"'{one.name}' is {tensor.dtype}, expected {one.dtype}")
            if tensor.device.type != device:
                self._refuse(ValueError, f"'{one.name}' is on device {tensor.device}, expected {device}")
            if tensor.layout is not _STRIDED:
                self._refuse(ValueError, f"'{one.name}' has layout {tensor.layout}, expected {_STRIDED}")
            if tensor.requires_grad and torch.is_grad_enabled():
                self._refuse(RuntimeError, f"'{one.name}' requires a gradient, and this operator has none: call it "
                                           "under torch.no_grad(), or with a detached tensor")

    def _lengths(self, tensors, given):
        """{axis: length}, including constants. Raises an error for the first tensor that does not
        fit."""
        for tensor, one in zip(tensors, self.inputs):
            if tensor.dim() != one.rank:
                self._refuse(ValueError, f"'{one.name}' has {tensor.dim()} dimensions, expected {one.rank}: {one.text}")
        axes, given = dict(self._constants), iter(given)
        for axis in self._axes:
            place = axis["tensor"]
            axes[axis["name"]] = next(given) if place is None else tensors[place].shape[axis["dimension"]]
        for name in self._given_axes:
            torch._check_value(axes[name] >= 0, lambda: f"{self.name}: '{name}' is {axes[name]}, expected a length")
        for tensor, one in zip(tensors, self.inputs):
            for length, expected in zip(tensor.shape, one.shape(axes)):
                torch._check_value(length == expected, lambda: self._contradiction(one, tensor, axes))
        return axes

    def _contradiction(self, one, tensor, axes):
        sources = [f"{axis['name']}={axes[axis['name']]}" + self._source(axis) for axis in self._axes]
        return (f"{self.name}: '{one.name}' has shape {list(tensor.shape)}, expected {one.text} = {one.shape(axes)} "
                f"where {', '.join(sources)}")

    def _source(self, axis):
        return "" if axis["tensor"] is None else f" (from '{self.inputs[axis['tensor']].name}')"

    def _fake(self, *arguments):
        tensors, given = arguments[:self._count], arguments[self._count:]
        self._accept(tensors, "meta" if tensors[0].device.type == "meta" else self.device)
        axes = self._lengths(tensors, given)
        made = [torch.empty(one.shape(axes), dtype=one.dtype, device=tensors[0].device) for one in self.outputs]
        return made[0] if len(made) == 1 else tuple(made)

    def _outside(self, axes):
        """Describes the axes outside of the verified shapes; "" if there are none."""
        for axis in self._axes:
            length, name = axes[axis["name"]], axis["name"]
            if not axis["low"] <= length <= axis["high"]:
                return f"{name}={length} outside of [{axis['low']}, {axis['high']}]"
            if length % axis["multiple_of"]:
                return f"{name}={length} no multiple of {axis['multiple_of']}"
        for shorter, longer in self._ordered:
            if axes[shorter] > axes[longer]:
                return f"{shorter}={axes[shorter]} longer than {longer}={axes[longer]}"
        return ""

    def _new_plan(self, tensors, given):
        """Makes the plan of a new shape."""
        axes = self._lengths(tensors, given)
        outputs = [(torch.Size(one.shape(axes)), one.dtype) for one in self.outputs]
        ranges = [(i, *(bound(axes) for bound in self.inputs[i].bounds)) for i in self._ranged]
        outside = self._outside(axes)
        simple = not outside and not ranges and any(shape.numel() > 0 for shape, _ in outputs)
        plan = Plan(tuple(axes[axis["name"]] for axis in self._axes), outputs, ranges, outside, simple)
        if len(self._plans) >= MOST_PLANS:
            self._plans.clear()
        self._plans[(*[tensor.shape for tensor in tensors], *given)] = plan
        return plan

    def _check_values(self, tensors, ranges):
        """Checks indices: those outside of a table would read foreign memory."""
        for i, low, high in ranges:
            if tensors[i].numel() == 0:
                continue
            least, most = (int(value) for value in torch.aminmax(tensors[i]))
            if least < low or most >= high:
                self._refuse(IndexError, f"'{self.inputs[i].name}' holds values from {least} to {most}, "
                                         f"expected values in [{low}, {high})")

    def _call(self, *arguments):
        """Checks, allocates outputs and calls the kernel. To limit the overhead, the common case
        (dense, aligned inputs of a known shape) is one function."""
        tensors, given = arguments[:self._count], arguments[self._count:]
        pointers, dense = [], self._lock is None
        for tensor, dtype, align in zip(tensors, self._dtypes, self._aligns):
            if (tensor.dtype is not dtype or not tensor.is_cpu or tensor.layout is not _STRIDED
                    or tensor.requires_grad):
                self._accept(tensors, self.device)
            pointer = tensor.data_ptr()
            pointers.append(pointer)
            if pointer % align or not tensor.is_contiguous():
                dense = False
        plan = self._plans.get((*[tensor.shape for tensor in tensors], *given)) or self._new_plan(tensors, given)
        outputs = [torch.empty(shape, dtype=dtype, device=_CPU) for shape, dtype in plan.outputs]
        for i, output in enumerate(outputs):
            pointer = output.data_ptr()
            if pointer % self.outputs[i].align:
                outputs[i] = output = aligned_empty(output.shape, output.dtype, self.outputs[i].align)
                pointer = output.data_ptr()
            pointers.append(pointer)
        if dense and plan.simple:
            self._kernel(*pointers, *plan.lengths)
        else:
            self._call_other(plan, tensors, outputs)
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    def _call_other(self, plan, tensors, outputs):
        if all(output.numel() == 0 for output in outputs):
            return
        self._check_values(tensors, plan.ranges)
        if plan.outside:
            self._warn_once(plan.outside)
            self._reference(tensors, outputs, dict(zip((axis["name"] for axis in self._axes), plan.lengths)))
        elif self._lock is None:
            self._run(plan.lengths, self._dense(tensors), outputs)
        else:
            with self._lock:
                self._run(plan.lengths, self._dense_and_prepared(plan.lengths, tensors), outputs)

    def _warn_once(self, outside):
        if not self._warned:
            self._warned = True
            warnings.warn(f"{self.name}: {outside}, where its kernels were not verified: the task's reference computes "
                          "such shapes")

    def _run(self, lengths, dense, outputs):
        self._kernel(*[tensor.data_ptr() for tensor in (*dense, *outputs)], *lengths)

    def _dense(self, tensors):
        return [aligned(tensor, align) for tensor, align in zip(tensors, self._aligns)]

    def _dense_and_prepared(self, lengths, tensors):
        """Prepares the library and returns the inputs in the kernel's layout."""
        if self._prepare is None:
            return self._dense(tensors)
        unchanging = [tensors[i] for i in self._unchanging]
        if self._prepared is None or not self._prepared.holds(lengths, unchanging):
            self._prepared = None
            dense = [aligned(tensors[i], self._aligns[i]) for i in self._unchanging]
            self._prepare(*[tensor.data_ptr() for tensor in dense], *lengths)
            self._prepared = Prepared(lengths, unchanging, dense)
        prepared = dict(zip(self._unchanging, self._prepared.dense))
        return [prepared[i] if i in prepared else aligned(tensor, self._aligns[i]) for i, tensor in enumerate(tensors)]
