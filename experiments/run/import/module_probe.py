"""Runs a problem at given values of its constants and notes the shapes of all tensors."""

import contextlib
import dataclasses
import inspect
import signal

import torch

from kernelevolve_reference import (build_model, default_dtype, load_problem, module_constants, parameter_places,
                                    tensors_in)
from task_file import Refused


FIRST_SECONDS = 4  # for the first probe


class OutOfTime(BaseException):
    """Derives from BaseException, so that no problem catches it."""


@contextlib.contextmanager
def time_limit(seconds):
    def stop(*_):
        raise OutOfTime

    before = signal.signal(signal.SIGPROF, stop)  # processor time ignores other processes
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@dataclasses.dataclass
class Tensor:
    role: str  # input, parameter or output
    name: str  # forward's argument, dotted name of the parameter, or out
    shape: tuple
    dtype: torch.dtype
    high: int = 0  # one past the largest integer, where randint drew it

    def measures(self):
        """All quantities that depend on the constants."""
        return list(self.shape) + ([self.high] if self.high else [])

    def structure(self):
        return (self.role, self.name, len(self.shape), self.dtype, self.high > 0)


@dataclasses.dataclass
class Probe:
    tensors: list
    arguments: list  # names of forward's arguments, in order
    constants: dict  # arguments that are not tensors
    flops: int = 0
    work: int = 0  # elements that all operations write
    largest: int = 0  # elements of the largest result of an operation

    def of(self, role):
        return [t for t in self.tensors if t.role == role]

    def measures(self):
        return [m for t in self.tensors for m in t.measures()]

    def structure(self):
        return ([t.structure() for t in self.tensors], self.arguments, repr(self.constants))

    def elements(self):
        return sum(torch.Size(t.shape).numel() for t in self.tensors)


@contextlib.contextmanager
def recorded_randint(highs):
    """Records the bound of every integer tensor from torch.randint: {id: (tensor, high)}."""
    original = torch.randint

    def randint(*args, **kwargs):
        made = original(*args, **kwargs)
        numbers = [a for a in args if isinstance(a, int)]
        high = kwargs.get("high", numbers[-1] if numbers else 0)
        highs[id(made)] = (made, int(high))
        return made

    torch.randint = randint
    try:
        yield
    finally:
        torch.randint = original


def _counter():
    """Counts elements written by operations. None if this PyTorch has no dispatch modes."""
    try:
        from torch.utils._python_dispatch import TorchDispatchMode
        from torch.utils.flop_counter import FlopCounterMode
    except ImportError:
        return None, None

    class Counter(TorchDispatchMode):
        work = largest = 0

        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            result = function(*args, **(kwargs or {}))
            sizes = [t.numel() for t in tensors_in(result)]
            if "view" not in str(function) and "detach" not in str(function):
                self.work += sum(sizes)
            self.largest = max([self.largest] + sizes)
            return result

    return Counter(), FlopCounterMode(display=False)


def warm_up():
    """Loads PyTorch's parts for computing without data, which takes seconds, outside of any probe's
    time."""
    with torch.no_grad(), _on("meta"):
        layers = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.LayerNorm(2), torch.nn.Softmax(dim=-1))
        given = [torch.randn(2, 2) + torch.rand(2, 2)]
        _run(layers, given, Probe([], [], {}), True)


class Problem:
    """A KernelBench problem: its source and its integer constants."""

    def __init__(self, source, filename):
        self.source, self.filename = source, filename
        self.constants = {k: v for k, v in module_constants(source).items() if v >= 1}
        self.devices = None
        self.shortened = {}  # constants that are probed at another length by default
        self.slow = False  # whether a probe at the published lengths is slow
        self.error = ""

    def load(self, values):
        return load_problem(self.source, self.filename, values)

    def probe(self, values=(), count=False):
        """Shapes at other values of the constants, or None if it does not run (see error)."""
        try:
            return self._probe({**self.shortened, **dict(values)}, count)
        except Refused:
            raise
        except Exception as error:
            self.error = f"{type(error).__name__}: {error}".split("\n")[0]
            return None

    def choose_devices(self):
        """Chooses how to probe the problem: without data, or on the CPU."""
        for devices in (("meta", "meta"), ("cpu", "meta"), ("cpu", "cpu")):
            self.devices = devices
            if self._runs_soon() or self._shorten():
                return
        raise Refused(f"does not run: {self.error}")

    def _runs_soon(self, values=()):
        try:
            with time_limit(FIRST_SECONDS):
                return self.probe(values) is not None
        except OutOfTime:
            self.error = "takes too long without data"
            return False

    def _shorten(self):
        """Shortens one long constant if a loop over its length takes too long."""
        if not self.error.startswith("takes"):
            return False
        for name, length in sorted(self.constants.items(), key=lambda item: -item[1]):
            if length >= 64 and self._runs_soon({name: length // 32}):
                self.shortened = {name: length // 32}
                return True
        return False

    def _probe(self, values, count):
        names = self.load(values)
        model_device, data_device = self.devices
        highs = {}
        with torch.no_grad(), default_dtype(torch.float32):
            torch.manual_seed(0)
            with _on(model_device):
                model = build_model(names).to(data_device)
            with _on(data_device), recorded_randint(highs):
                given = names["get_inputs"]()
            with _on(data_device):
                return _note(model, given, highs, count)


def _on(device):
    return torch.device(device) if device != "cpu" else contextlib.nullcontext()


def argument_names(model, given):
    bound = inspect.signature(model.forward).bind(*given)
    made = []
    for name, value in bound.arguments.items():
        several = bound.signature.parameters[name].kind is inspect.Parameter.VAR_POSITIONAL
        made += [f"{name}{i}" for i in range(len(value))] if several else [name]
    return made


def _note(model, given, highs, count):
    given = list(given)
    arguments = argument_names(model, given)
    tensors, constants = [], {}
    for name, value in zip(arguments, given):
        if isinstance(value, torch.Tensor):
            high = highs[id(value)][1] if id(value) in highs else 0
            tensors.append(Tensor("input", name, tuple(value.shape), value.dtype, high))
        elif value is None or isinstance(value, (bool, int, float, str)):
            constants[name] = value
        else:
            raise Refused(f"argument '{name}' of forward is a {type(value).__name__}; expected a tensor or a number")
    tensors += [Tensor("parameter", name, tuple(p.shape), p.dtype) for name, p, _ in parameter_places(model)]
    probe = Probe(tensors, arguments, constants)
    outputs = tensors_in(_run(model, given, probe, count))
    if not outputs:
        raise Refused("forward returns no tensor")
    names = ["out"] if len(outputs) == 1 else [f"out{i}" for i in range(len(outputs))]
    probe.tensors += [Tensor("output", n, tuple(o.shape), o.dtype) for n, o in zip(names, outputs)]
    return probe


def _run(model, given, probe, count):
    counter, flops = _counter() if count else (None, None)
    if counter is None:
        return model(*given)
    with flops, counter:
        result = model(*given)
    probe.flops, probe.work, probe.largest = flops.get_total_flops(), counter.work, counter.largest
    return result
