"""Runs a problem at given values of its constants and notes the shapes of all tensors."""

import contextlib
import dataclasses
import signal
import time

import torch

from full_precision import full_precision
from input_sizes import place_of, resized
from kernelevolve_reference import (DEFAULT_DTYPE, build_model, cast_model, default_dtype, load_problem, module_constants,
                                    one_float_type, seed_generators, state_places, tensor_hash)
from module_arguments import arguments_of, drawn_arguments, results_of
from module_integers import Ranges
from module_state import State, examine
from operation_counts import OperationCounter, kinds_of
from task_file import Refused, described


FIRST_SECONDS = 4  # for the first probe
MOST_HALVINGS, SHORT = 8, 8  # of constants, for a quick call; no shorter than that


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
    role: str  # input, parameter (also a buffer, or a tensor that the module keeps) or output
    name: str  # forward's argument, dotted name within the module, or the output's
    shape: tuple
    dtype: torch.dtype
    high: int = 0  # one past the largest integer, where it is known how it was drawn
    low: int = 0  # the least one

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
    keywords: dict = dataclasses.field(default_factory=dict)  # see Arguments
    defaults: dict = dataclasses.field(default_factory=dict)  # see Arguments
    dropped: dict = dataclasses.field(default_factory=dict)  # see Results
    nested: dict = dataclasses.field(default_factory=dict)  # see Arguments
    flops: int = 0
    work: int = 0  # elements that all operations write
    largest: int = 0  # elements of the largest result of an operation
    terms: int = 1  # of the longest sum
    operations: list = ()  # their kinds, most work first

    def of(self, role):
        return [t for t in self.tensors if t.role == role]

    def measures(self):
        return [m for t in self.tensors for m in t.measures()]

    def structure(self):
        return ([t.structure() for t in self.tensors], self.arguments, self.keywords, self.nested, repr(self.constants))

    def elements(self):
        return sum(torch.Size(t.shape).numel() for t in self.tensors)


def warm_up():
    """Loads PyTorch's parts for computing without data, which takes seconds, outside of any probe's
    time."""
    with torch.no_grad(), _on("meta"):
        layers = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.LayerNorm(2), torch.nn.Softmax(dim=-1))
        _run(layers, arguments_of(layers, torch.randn(2, 2) + torch.rand(2, 2)), Probe([], [], {}), True)


class Problem:
    """A module's file and its integer constants. mode, cast: see module_reference(). math: float32 or tf32, in which products
    of float32 may be taken."""

    def __init__(self, source, filename, mode="train", cast=None, math="float32"):
        self.source, self.filename, self.mode, self.cast, self.math = source, filename, mode, cast, math
        self.state = State()  # what forward reads beside its arguments and parameters
        self.training = None  # whether all modules are in training mode; None: some are
        self.settings = []  # of PyTorch's precision, as the file writes them
        self.constants = {k: v for k, v in module_constants(source).items() if v >= 1}
        self.devices = None
        self.shortened = {}  # constants that are probed at another length by default
        self.slow = False  # whether a probe at the published lengths is slow
        self.error = ""
        self.first = None  # the first probe

    def load(self, values):
        with full_precision(self.source) as settings:
            names = load_problem(self.source, self.filename, values)
        self.settings = settings
        for name in ("Model", "get_inputs"):
            if name not in names:
                raise Refused(f"the file defines no {name}")
        return names

    def model(self, names):
        """The module that the file's names make."""
        model = build_model(names, self.mode)
        return cast_model(model, getattr(torch, self.cast)) if self.cast else model

    def arguments(self, names, model, values):
        """(what get_inputs() gives to forward, with those lengths that `values` names, {argument: [low, high) of
        integers})."""
        with default_dtype(names[DEFAULT_DTYPE]):
            drawn, bounds = drawn_arguments(model, names["get_inputs"])
        return drawn.with_values(map(self._cast, _within(drawn, bounds, values))), bounds

    def _cast(self, value):
        floating = isinstance(value, torch.Tensor) and value.is_floating_point()
        return value.to(getattr(torch, self.cast)) if self.cast and floating else value

    def probe(self, values=(), count=False):
        """Shapes at other values of the constants, or None if it does not run (see error)."""
        try:
            return self._probe({**self.shortened, **dict(values)}, count)
        except Refused:
            raise
        except Exception as error:
            self.error = described(error, self.filename)
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
                self.first = self.probe(values)
                return self.first is not None
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

    def examine(self):
        """Finds what forward reads, keeps and changes beside its arguments, from calls at small lengths."""
        values = self._small()
        names = self.load(values)
        names.update({name: value.float() for name, value in names.items()
                      if torch.is_tensor(value) and value.is_floating_point()})
        try:
            with torch.no_grad(), one_float_type(torch.float32):
                model = self._built(names)
                draws = [self._drawn(names, model, values, seed) for seed in (0, 1)]
                self.state = examine(lambda: self._built(names), draws, names)
        except Refused:
            raise
        except Exception as error:
            raise Refused(f"does not run: {described(error, self.filename)}") from error
        if self.state.gathered and self.mode == "inference":
            raise Refused(f"forward changes the buffers {', '.join(self.state.gathered)} in inference mode, and the operator "
                          "would not: return their new values as outputs, or import with --mode train")
        self.training = _training(model)
        tensors = {place.name: place.tensor for place in state_places(model)}
        integers = [name for name in self.state.inputs if not tensors[name].is_floating_point()]
        if integers and self.devices[0] == "meta":
            self.devices = ("cpu", self.devices[1])  # whose bounds are needed

    def hash_constants(self):
        """Notes hashes of the constants that forward reads, at the published lengths."""
        if not self.state.fixed:
            return
        seed_generators(0)
        with torch.no_grad():
            places = state_places(build_model(self.load({}), self.mode))
        self.state.hashes = {place.name: tensor_hash(place.tensor) for place in places if place.name in self.state.fixed}

    def _built(self, names):
        seed_generators(0)
        return cast_model(self.model(names), torch.float32)

    def _drawn(self, names, model, values, seed):
        seed_generators(seed)
        made, _ = self.arguments(names, model, values)
        return made.with_values(value.float() if torch.is_tensor(value) and value.is_floating_point() else value
                                for value in made.values)

    def _small(self):
        """{constant: length} of a quick call: all constants shorter alike, as little as possible, else one by one."""
        best, published = None, {**self.constants, **self.shortened}
        for halvings in range(MOST_HALVINGS, -1, -1):
            values = {name: max(min(length, SHORT), length >> halvings) for name, length in published.items()}
            probe = self.probe(values, count=True)
            if probe is not None and probe.structure() == self.first.structure():
                if best is not None and not _quick(probe):
                    break
                best = values
            if probe is not None and not _quick(probe):
                break
        return self._one_by_one(published) if best is None else best

    def _one_by_one(self, values):
        deadline = time.process_time() + FIRST_SECONDS
        probe = self.first
        while not _quick(probe) and time.process_time() < deadline:
            shorter = ({**values, name: values[name] // 2} for name in sorted(values, key=lambda n: -values[n])
                       if values[name] > 1)
            probes = ((one, self.probe(one, count=True)) for one in shorter)
            found = next(((one, made) for one, made in probes if made is not None
                          and made.structure() == probe.structure() and made.elements() < probe.elements()), None)
            if found is None:
                break
            values, probe = found
        return values

    def _probe(self, values, count):
        names = self.load(values)
        model_device, data_device = self.devices
        bounds = Ranges()
        with torch.no_grad(), default_dtype(names[DEFAULT_DTYPE]):
            seed_generators(0)
            with _on(model_device), bounds:
                model = self.model(names)
            state = self._state(model, bounds)
            model.to(data_device)
            with _on(data_device):
                return _note(model, state, *self.arguments(names, model, values), count)

    def _state(self, model, bounds):
        """Parameters, and the buffers and attributes that are inputs."""
        return [Tensor("parameter", place.name, tuple(place.tensor.shape), place.tensor.dtype, *_range(place.tensor, bounds))
                for place in state_places(model) if place.kind == "parameter" or place.name in self.state.inputs]


def _on(device):
    return torch.device(device) if device != "cpu" else contextlib.nullcontext()


def _range(tensor, bounds):
    """(one past the largest, least) of integers that have values: as they were drawn, else as they are."""
    if bounds.of(tensor):
        low, high = bounds.of(tensor)
        return high, low
    integer = not tensor.is_floating_point() and not tensor.is_complex() and tensor.dtype != torch.bool
    return (int(tensor.max()) + 1, int(tensor.min())) if integer and tensor.device.type == "cpu" and tensor.numel() else (0, 0)


def _within(drawn, bounds, values):
    """The arguments at the sizes that `values` names; integers stay below the length of an input that bounded them."""
    made, shorter = resized(drawn.names, drawn.values, values), {}
    for name, length in values.items():
        if place_of(name):
            argument, dimension = place_of(name)
            old = drawn.values[drawn.names.index(argument)].shape[dimension]
            shorter[old] = min(length, shorter.get(old, old))
    highs = {name: high for name, (_, high) in bounds.items()}
    return [value % shorter[highs[name]] if highs.get(name) in shorter else value for name, value in zip(drawn.names, made)]


def _training(model):
    """True if all modules are in training mode, False if none is, else None."""
    modes = {module.training for module in model.modules()}
    return modes.pop() if len(modes) == 1 else None


def _quick(probe):
    return probe.elements() <= 2 ** 20 and probe.work <= 2 ** 24 and probe.flops <= 2 ** 30


def _note(model, state, arguments, bounds, count):
    tensors, constants = [], {}
    for name, value in zip(arguments.names, arguments.values):
        if isinstance(value, torch.Tensor):
            low, high = bounds.get(name, (0, 0))
            tensors.append(Tensor("input", name, tuple(value.shape), value.dtype, high, low))
        elif value is None or isinstance(value, (bool, int, float, str)):
            constants[name] = value
        else:
            raise Refused(f"argument '{name}' of forward is a {type(value).__name__}; expected a tensor or a number")
    probe = Probe(tensors + state, arguments.names, constants, arguments.keywords, arguments.defaults,
                  nested=arguments.nested)
    results = results_of(_run(model, arguments, probe, count))
    if not results.tensors:
        changed = [n for n, value in zip(arguments.names, arguments.values) if torch.is_tensor(value) and value._version]
        advice = f", and changes {', '.join(changed)} in place: return the result instead" if changed else ""
        raise Refused(f"forward returns no tensor{advice}")
    probe.dropped = results.dropped
    probe.tensors += [Tensor("output", n, tuple(o.shape), o.dtype) for n, o in zip(results.names, results.tensors)]
    return probe


def _run(model, arguments, probe, count):
    if not count:
        return arguments.call(model)
    with _flop_counter() as flops, OperationCounter() as counter:
        result = arguments.call(model)
    probe.flops = flops.get_total_flops() if flops is not None else 0
    probe.work, probe.largest, probe.terms = counter.work, counter.largest, counter.terms
    probe.operations = kinds_of(counter.work_of, counter.calls)
    return result


def _flop_counter():
    """Of None where this PyTorch has none."""
    try:
        from torch.utils.flop_counter import FlopCounterMode
    except ImportError:
        return contextlib.nullcontext()
    return FlopCounterMode(display=False)
