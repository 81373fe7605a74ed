"""The part of an operator that runs in Python: the task's contract, plans of new shapes, and the reference.

An operator's folder holds operator.json (the task's tensors and axes), the library with its kernels, and the task's
reference. operator.cpp is the other part: it runs the calls.
"""

import ctypes
import json
import warnings

import torch

from .references import has_derivative, load_reference

_FUNCTIONS = {"__builtins__": {}, "min": torch.sym_min, "max": torch.sym_max,
              "ceil_div": lambda a, b: -(-a // b), "round_up": lambda a, b: -(-a // b) * b}


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

    def drawn(self, axes, device):
        """An input with random values at a shape."""
        if not self.dtype.is_floating_point:
            low, end = [bound(axes) for bound in self.bounds] or (0, 2)
            return torch.randint(low, end, self.shape(axes), device=device).to(self.dtype)
        return torch.randn(self.shape(axes), device=device).to(self.dtype)


class KernelOperator:
    """torch.ops.PACKAGE.NAME, which operator.json in `folder` describes."""

    def __init__(self, package, folder):
        described = json.loads((folder / "operator.json").read_text(encoding="utf-8"))
        self.package, self.symbol, self.device = package, described["symbol"], described["device"]
        self.name = f"{package}::{self.symbol}"
        tensors = [Tensor(one) for one in described["tensors"]]
        self.inputs = [one for one in tensors if not one.output]
        self.outputs = [one for one in tensors if one.output]
        self.axes, self._constants, self._ordered = described["axes"], described["constants"], described["ordered"]
        self.shapes, self.threads = described["shapes"], described["threads"]
        self._given_axes = [axis["name"] for axis in self.axes if axis["tensor"] is None]
        self._warned = False
        self.reference = load_reference(folder / described["reference"], described["reference_uses_torch"])
        self._library = ctypes.CDLL(str(folder / f"lib{self.symbol}.so"))
        self._prepares, self._serial = described["prepares"], described["serial"]

    # --- registration ---

    def schema(self, name, more="", answer=None):
        """Schema of an operator with the same parameters."""
        parameters = [f"Tensor {one.name}" for one in self.inputs] + [f"SymInt {axis}" for axis in self._given_axes]
        many = ", ".join(["Tensor"] * len(self.outputs))
        answer = answer or (many if len(self.outputs) == 1 else f"({many})")
        return f"{name}({', '.join([*parameters, *([more] if more else [])])}) -> {answer}"

    def _address(self, ending):
        return ctypes.cast(getattr(self._library, self.symbol + ending), ctypes.c_void_p)

    def hand_over(self, compiled):
        """Makes the operator of operator.cpp, with this library; registers it, in place of an earlier one."""
        cuda = self.device == "cuda"
        self.compiled = compiled
        self.handle = compiled.operator_new(self.package.encode(), self.symbol.encode(), cuda)
        for one in self.inputs:
            compiled.operator_add_input(self.handle, one.name.encode(), _type_name(one.dtype), one.rank, one.align,
                                        one.changes, bool(one.bounds))
        for one in self.outputs:
            compiled.operator_add_output(self.handle, _type_name(one.dtype), one.rank, one.align)
        for axis in self.axes:
            compiled.operator_add_axis(self.handle, axis["name"].encode(), axis["tensor"] is None)
        compiled.operator_set_library(
            self.handle, self._address("_call"), self._address("_call_prepare") if self._prepares else None,
            self._address("_call_workspace") if cuda else None, self._serial)
        error = compiled.operator_register(self.handle, cuda)
        if error is not None:
            raise ImportError(f"{self.name}: {error.decode()}")

    def forget_prepared(self):
        self.compiled.operator_forget_prepared(self.handle)

    def seconds_of_kernel(self, tensors, axes, clock, times):
        """Seconds of `times` calls of the library alone, with outputs of its own; for processors."""
        outputs = [torch.empty(one.shape(axes), dtype=one.dtype) for one in self.outputs]
        pointers = (ctypes.c_void_p * (len(tensors) + len(outputs)))(*[t.data_ptr() for t in (*tensors, *outputs)])
        lengths = (ctypes.c_size_t * len(self.axes))(*[axes[axis["name"]] for axis in self.axes])
        begin = clock()
        self.compiled.operator_repeat(self.handle, pointers, lengths, times)
        return clock() - begin

    # --- what does not fit ---

    def _refuse(self, kind, text):
        raise kind(f"{self.name}: {text}")

    def _split(self, arguments):
        return arguments[:len(self.inputs)], arguments[len(self.inputs):]

    def _accept(self, tensors, device, double=False):
        """Raises an error for the first tensor of the wrong type, device or layout. `double`: floating types are
        float64."""
        for tensor, one in zip(tensors, self.inputs):
            dtype = torch.float64 if double and one.dtype.is_floating_point else one.dtype
            if tensor.dtype is not dtype:
                self._refuse(TypeError, f"'{one.name}' is {tensor.dtype}, expected {dtype}")
            if tensor.device.type != device:
                self._refuse(ValueError, f"'{one.name}' is on device {tensor.device}, expected {device}")
            if tensor.device != tensors[0].device:
                self._refuse(ValueError, f"'{one.name}' is on device {tensor.device}, expected {tensors[0].device}")
            if tensor.layout is not torch.strided:
                self._refuse(ValueError, f"'{one.name}' has layout {tensor.layout}, expected {torch.strided}")

    def with_constants(self, lengths):
        return {**self._constants, **lengths}

    def lengths(self, tensors, given):
        """{axis: length}, including constants. Raises an error for the first tensor that does not fit."""
        for i, (tensor, one) in enumerate(zip(tensors, self.inputs)):
            if tensor.dim() != one.rank:
                self._refuse(ValueError, f"'{one.name}' has {tensor.dim()} dimensions, expected {one.rank}: {one.text}"
                                         f"{self._advice(i, tensor)}")
        axes, given = self.with_constants({}), iter(given)
        for axis in self.axes:
            place = axis["tensor"]
            axes[axis["name"]] = next(given) if place is None else tensors[place].shape[axis["dimension"]]
        for name in self._given_axes:
            torch._check_value(axes[name] >= 0, lambda: f"{self.name}: '{name}' is {axes[name]}, expected a length")
        for tensor, one in zip(tensors, self.inputs):
            for length, expected in zip(tensor.shape, one.shape(axes)):
                torch._check_value(length == expected, lambda: self._contradiction(one, tensor, axes))
        return axes

    def _advice(self, place, tensor):
        """The call that treats leading dimensions as rows."""
        one = self.inputs[place]
        if tensor.dim() < one.rank or one.rank == 0:
            return ""
        kept = list(tensor.shape[tensor.dim() - one.rank + 1:])
        names = [other.name for other in self.inputs] + self._given_axes
        names[place] += f".reshape({', '.join(map(str, [-1, *kept]))})"
        return (f"; where the leading dimensions are rows, call {self.symbol}({', '.join(names)}) and reshape what it "
                "returns")

    def _contradiction(self, one, tensor, axes):
        sources = [f"{axis['name']}={axes[axis['name']]}" + self._source(axis) for axis in self.axes]
        return (f"{self.name}: '{one.name}' has shape {list(tensor.shape)}, expected {one.text} = {one.shape(axes)} "
                f"where {', '.join(sources)}")

    def _source(self, axis):
        return "" if axis["tensor"] is None else f" (from '{self.inputs[axis['tensor']].name}')"

    def outside(self, axes):
        """Describes the axes outside of the verified shapes; "" if there are none."""
        for axis in self.axes:
            length, name = axes[axis["name"]], axis["name"]
            if not axis["low"] <= length <= axis["high"]:
                return f"{name}={length} outside of [{axis['low']}, {axis['high']}]"
            if length % axis["multiple_of"]:
                return f"{name}={length} no multiple of {axis['multiple_of']}"
        for shorter, longer in self._ordered:
            if axes[shorter] > axes[longer]:
                return f"{shorter}={axes[shorter]} longer than {longer}={axes[longer]}"
        return ""

    # --- what operator.cpp and PyTorch call ---

    def plan(self, *arguments):
        """`_plan_NAME`: whether the reference computes this shape, lengths of the axes, shapes of the outputs, bounds
        of indices. Raises the error for what does not fit."""
        tensors, given = self._split(arguments)
        self._accept(tensors, self.device)
        axes = self.lengths(tensors, given)
        shapes = [length for one in self.outputs for length in one.shape(axes)]
        bounds = [bound(axes) for one in self.inputs for bound in one.bounds]
        return [bool(self.outside(axes)), *[axes[axis["name"]] for axis in self.axes], *shapes, *bounds]

    def refuse(self, *arguments):
        """The operator on devices for which there is no kernel."""
        self.plan(*arguments)

    def fake(self, *arguments):
        """Outputs without values, for the compiler."""
        tensors, given = self._split(arguments)
        self._accept(tensors, "meta" if tensors[0].device.type == "meta" else self.device)
        axes = self.lengths(tensors, given)
        made = [torch.empty(one.shape(axes), dtype=one.dtype, device=tensors[0].device) for one in self.outputs]
        return made[0] if len(made) == 1 else tuple(made)

    def compute(self, *arguments):
        """`_reference_NAME`: the task's reference; recorded by autograd if the last argument says so, then in float64
        too."""
        *arguments, differentiable = arguments
        tensors, given = self._split(arguments)
        double = differentiable and tensors[0].dtype is torch.float64
        self._accept(tensors, self.device, double)
        axes = self.lengths(tensors, given)
        if not differentiable:
            self._warn_once(self.outside(axes))
        elif not self.reference.differentiable:
            self._refuse(RuntimeError, f"{self._first_with_derivative(tensors)} requires a gradient, and this operator "
                                       "has none: call it under torch.no_grad(), or with a detached tensor")
        outputs = [(one.shape(axes), torch.float64 if double and one.dtype.is_floating_point else one.dtype)
                   for one in self.outputs]
        named = {axis["name"]: axes[axis["name"]] for axis in self.axes}
        values = self.reference(tensors, named, outputs, differentiable)
        self._check_answer(values, outputs, differentiable)
        values = [value.to(tensors[0].device, dtype) for value, (_, dtype) in zip(values, outputs)]
        return values[0] if len(values) == 1 else tuple(values)

    def _first_with_derivative(self, tensors):
        return next((f"'{one.name}'" for one, tensor in zip(self.inputs, tensors) if has_derivative(tensor)),
                    "an input")

    def _check_answer(self, values, outputs, differentiable):
        shapes = [list(value.shape) for value in values]
        if shapes != [shape for shape, _ in outputs]:
            self._refuse(ValueError, f"the task's reference answers shapes {shapes}, expected "
                                     f"{[shape for shape, _ in outputs]}")
        if differentiable and not any(has_derivative(value) for value in values):
            self._refuse(RuntimeError, "an input requires a gradient, and the task's reference has none")

    def _warn_once(self, outside):
        if not self._warned:
            self._warned = True
            where = outside or "a GPU of another architecture"
            warnings.warn(f"{self.name}: {where}, where its kernels were not verified: the task's reference computes "
                          "such calls")


def _type_name(dtype):
    return str(dtype).removeprefix("torch.").encode()
