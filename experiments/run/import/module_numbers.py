"""Draws inputs, runs a module in single and double precision, and derives the tolerance."""

import math
import time

import torch

from full_precision import full_precision
from gpu_turn import GpuTurn
from judge import Draws
from kernelevolve_reference import ModuleReference, one_float_type, rebuilt
from shape_formulas import evaluate
from task_file import FLOATS, HALVES, Refused, Tolerance, rounded_up
from tf32 import TensorCores

FLT_MIN = 2.0 ** -126
LARGEST_TOLERANCE = 0.05
MARGIN_OF_HALF, LARGEST_OF_HALF = 3, 0.15  # roundings of intermediate results hardly depend on the order of sums
LEAST, LEAST_OF_HALF, LEAST_OF_DOUBLE = 1e-5, 1e-3, 1e-12  # tolerance
DOUBLE_UNIT = 2.0 ** -29  # rounding of double precision in terms of single precision's
EPSILON = {"float16": 2.0 ** -10, "bfloat16": 2.0 ** -7}
HALF_MARGIN = 1.5  # of epsilon: the judge allows this rounding of a half type with any tolerance
MOST_NAMED = 6  # inputs in a message
MOST_TERMS = 2 ** 16  # of a sum, for the room for rounding
DRAWS_OF_CONSTANTS = 12  # an output that none of them changes is the same whatever the inputs
MARGIN = 8  # times the error of PyTorch's single precision
MARGIN_OF_TF32 = 3  # times that of factors cut to TF32, which the order of sums hardly changes
EPS = 2.0 ** -23
# Measured for single-precision sums in order, of n terms: errors of at most 0.8 eps sqrt(n) of |value| + rms, and of
# 0.2 eps sqrt(n) in norm; where all terms are equal, roundings are too, and the error is up to 0.12 eps n in norm.
IN_ORDER, IN_ORDER_L2, IN_ORDER_EQUAL = 4 * EPS, EPS, EPS / 4


def _row_errors(exact, single, trailing):
    """Largest error over |value| + rms of its row; a row is the trailing dimensions."""
    shape = list(exact.shape)
    row = math.prod(shape[max(0, len(shape) - trailing):])
    rows = exact.reshape(-1, row).double()
    excess = ((rows - single.reshape(rows.shape).double()).abs() - 4 * FLT_MIN).clamp(min=0)
    unit = rows.abs() + rows.pow(2).mean(1, keepdim=True).sqrt()
    return torch.where(excess > 0, excess / unit.clamp(min=1e-300), excess).max().item()


def _l2_error(exact, single):
    norm = exact.double().norm().item()
    return (exact.double() - single.double()).norm().item() / norm if norm > 0 else 0.0


def types_text(names):
    return "single precision" if set(names) <= {"float32"} else " and ".join(sorted(names))


class Errors:
    """Largest errors of a module in its own types, for each definition of a row. dtypes: those of the floating outputs."""

    def __init__(self, rank, dtypes=("float32",)):
        self.relative = [0.0] * max(1, rank)
        self.l2 = 0.0
        self.dtypes = set(dtypes)
        half = bool(self.dtypes & set(HALVES))
        self.margin, self.largest = (MARGIN_OF_HALF, LARGEST_OF_HALF) if half else (MARGIN, LARGEST_TOLERANCE)
        self.unit = DOUBLE_UNIT if self.dtypes == {"float64"} else 1.0
        self.least = LEAST_OF_HALF if half else LEAST_OF_DOUBLE if self.unit < 1 else LEAST

    def add(self, exact, single):
        for e, s in zip(exact, single):
            if not e.is_floating_point():
                if not torch.equal(e, s):
                    raise Refused("an integer output depends on the rounding of floating-point arithmetic")
                continue
            found = [_row_errors(e, s, trailing + 1) for trailing in range(len(self.relative))]
            self.relative = [max(pair) for pair in zip(self.relative, found)]
            self.l2 = max(self.l2, _l2_error(e, s))

    def tolerance(self, terms=1):
        """Selects the shortest rows whose error is near that of the whole output: in short rows,
        cancellation may bring all values near zero, where rounding errors are relatively large.

        PyTorch adds in blocks, which is more exact than a sum in order; with `terms`, those of the longest sum, the
        tolerance admits that too."""
        enough = max(2 * self.relative[-1], self.least / self.margin)
        trailing, relative = next((i + 1, r) for i, r in enumerate(self.relative) if r <= enough)
        if self.margin * max(relative, self.l2) > self.largest:
            words = types_text(self.dtypes)
            raise Refused(f"{words} is too inexact: relative error {max(relative, self.l2):.2g}")
        in_order = self.unit * math.sqrt(terms)
        return Tolerance(rounded_up(max(self.least, self.margin * relative, IN_ORDER * in_order)),
                         rounded_up(max(self.least, self.margin * self.l2, IN_ORDER_L2 * in_order)), trailing)


def beyond_rounding(exact, own, dtype):
    """Exact output plus the part of the error that exceeds the rounding to a half type, which the judge allows."""
    if dtype not in EPSILON or not exact.is_floating_point():
        return own.to(exact.dtype) if not exact.is_floating_point() else own
    difference = own.double() - exact
    allowed = HALF_MARGIN * EPSILON[dtype] * exact.abs()
    beyond = exact + difference.sign() * (difference.abs() - allowed).clamp(min=0)
    return torch.where(torch.isinf(exact), own.double(), beyond)


class Runner:
    """Runs the module of a task on drawn inputs, in either precision."""

    def __init__(self, problem, axes, tensors):
        self.tensors = [t for t in tensors if t.role != "output"]
        self.outputs = [t for t in tensors if t.role == "output"]
        self.axes = axes
        arguments = [t for t in tensors if t.role == "input"]
        names = iter(t.name for t in arguments)
        self.arguments = [name if name in axes.probe.constants else next(names) for name in axes.probe.arguments]
        self.parameters = {p.name: p.dotted for p in tensors if p.role == "parameter"}
        self.problem, self.math, self.draws, self.references = problem, problem.math, Draws(), {}
        self.seconds, self.infinite = math.inf, False
        self.tf32 = False  # whether products in TF32 were seen and count as right

    def described(self):
        """Arguments of module_reference()."""
        axes = {axis: c[0] if len(c) == 1 else list(c) for axis, c in self.axes.constants.items()}
        probe, state = self.axes.probe, self.problem.state
        labels = dict(zip(probe.arguments, self.arguments))
        made = {"axes": axes, "inputs": self.arguments, "parameters": self.parameters,
                "constants": probe.constants, "keywords": {labels.get(k, k): name for k, name in probe.keywords.items()},
                "nested": {name: rebuilt(template, labels) for name, template in probe.nested.items()},
                "scalars": [labels[t.name] for t in probe.of("input") if not t.shape],
                "writes": [labels[name] for name in state.writes], "fixed": state.hashes,
                "mode": self.problem.mode, "cast": self.problem.cast}
        return {key: value for key, value in made.items() if value or key in ("axes", "inputs", "cast")}

    def reference(self, lengths, dtype, seed):
        if (dtype, seed) not in self.references:
            self.references[dtype, seed] = ModuleReference(self.problem.source, self.problem.filename, dtype=dtype, seed=seed,
                                                           **self.described())
        made = self.references[dtype, seed]
        made.build(lengths)  # outside the measured time
        return made

    def drawn(self, lengths, seed, case=0, parameters=None):
        """Tensors in signature order, as the judge draws them; parameters may come from an earlier draw."""
        made = self.draws(self.tensors, lengths, seed, case)
        if parameters is not None:
            count = sum(t.role == "input" for t in self.tensors)
            made = made[:count] + parameters[count:]
        return made

    def run(self, tensors, lengths, dtype=torch.float64, seed=0):
        """Outputs as a list: in double precision, or with another dtype as the module is written."""
        with full_precision():  # ends what the file sets while it is built
            reference = self.reference(lengths, dtype, seed)
        with full_precision():
            started = time.process_time()
            result = reference(*tensors, **lengths)
        if dtype is torch.float64:
            self.seconds = min(self.seconds, time.process_time() - started)
        return [result] if isinstance(result, torch.Tensor) else list(result)

    def runs_on_gpu(self, lengths, most_bytes, most_seconds, share):
        """Whether the reference fits so many bytes of this machine's GPU and takes at most so long there. share: of the
        GPU's memory, which is tried first."""
        return (self._runs_on_gpu(lengths, most_bytes, most_seconds, share)
                or share < 1 and self._runs_on_gpu(lengths, most_bytes, most_seconds, 1))

    def _runs_on_gpu(self, lengths, most_bytes, most_seconds, share):
        with GpuTurn(share), torch.device("cuda"):
            total = torch.cuda.get_device_properties(0).total_memory
            torch.cuda.set_per_process_memory_fraction(min(max(most_bytes / total, 0.01), 1.0))
            try:
                tensors = [_random_on_gpu(tensor, lengths) for tensor in self.tensors]
                reference = self.reference(lengths, torch.float64, 0)
                started = time.perf_counter()
                reference(*tensors, **lengths)
                torch.cuda.synchronize()
                return time.perf_counter() - started <= most_seconds
            except torch.OutOfMemoryError:
                return False
            finally:
                self.references.clear()
                tensors = reference = None
                torch.cuda.empty_cache()

    def run_as_written(self, tensors, lengths, exact):
        """Outputs in the module's own types, without the rounding to half types that any kernel does."""
        try:
            own = self.run(tensors, lengths, torch.float32)
        except RuntimeError as error:
            if "not implemented for" not in str(error):
                raise
            raise Refused(f"this PyTorch ({torch.__version__}) does not compute it on a processor: {error}") from error
        for output, value in zip(self.outputs, own):
            if str(value.dtype) != f"torch.{output.dtype}":
                raise Refused(f"output '{output.name}' is {output.dtype} without data and {str(value.dtype)[6:]} with: is it "
                              "computed under torch.autocast? Cast in forward, or import with --dtype")
        if self.float_outputs() == ["float64"]:
            own = self._with_errors_of_double(tensors, lengths, exact, own)
        return [beyond_rounding(e, o, t.dtype) for e, o, t in zip(exact, own, self.outputs)]

    def _with_errors_of_double(self, tensors, lengths, exact, own):
        """The reference is no more exact than a module in double precision. So its errors are estimated by those of
        single precision."""
        made = ModuleReference(self.problem.source, self.problem.filename, dtype=torch.float32,
                               **{**self.described(), "cast": "float32"})
        with one_float_type(torch.float32):
            single = made(*[t.float() if t.is_floating_point() else t for t in tensors], **lengths)
        single = [single] if isinstance(single, torch.Tensor) else list(single)
        estimated = [e + (s.double() - e) * DOUBLE_UNIT if e.is_floating_point() else e for e, s in zip(exact, single)]
        return [torch.where((o.double() - e.double()).abs() > (s.double() - e.double()).abs(), o, s)
                for e, o, s in zip(exact, own, estimated)]

    def kept_constants(self):
        """Names of tensors that stay as the constructor makes them."""
        return list(self.problem.state.fixed)

    def float_outputs(self):
        """Types of the floating outputs."""
        return sorted({t.dtype for t in self.outputs if t.dtype in FLOATS})

    def add_errors(self, found, tensors, lengths, spared=0.0):
        """Adds the errors of one draw; returns the outputs in double precision. spared: the part of the room for rounding
        that does not count as an error."""
        exact = self.run(tensors, lengths)
        # Then rows without any value are NaN.
        masked = any(t.classes[0] == "masked" or (t.dtype == "bool" and t.role == "input") for t in self.tensors)
        if not masked and any(e.is_floating_point() and torch.isnan(e).any() for e in exact):
            raise Refused(f"results are NaN for {self._drawn_text()}")
        single = self.run_as_written(tensors, lengths, exact)
        for e, s in zip(exact, single):
            if e.is_floating_point() and not _same_places(e, s):
                raise Refused(f"results overflow in {types_text(self.float_outputs())} for {self._drawn_text()}")
        self.infinite |= any(e.is_floating_point() and bool(torch.isinf(e).any()) for e in exact)
        if spared:
            single = [_towards(e, s, spared * room) for e, s, room in zip(exact, single, self._room(tensors, lengths, exact))]
        found.add([_finite(e) for e in exact], [_finite(s) for s in single])
        if self.math == "tf32" and self.float_outputs() == ["float32"]:
            found.add([_finite(e) for e in exact], [_finite(c) for c in self._of_tensor_cores(tensors, lengths, exact)])
        return exact

    def _of_tensor_cores(self, tensors, lengths, exact):
        """Outputs of products in TF32, with errors that weigh as those of single precision do."""
        with TensorCores() as cores:
            coarse = self.run(tensors, lengths)
        self.tf32 |= cores.used
        return [e + (c - e) * (MARGIN_OF_TF32 / MARGIN) if e.is_floating_point() else c for e, c in zip(exact, coarse)]

    def _room(self, tensors, lengths, exact):
        """The room that the judge leaves for rounding (fitness/content/rounding_room.hpp), for each output and row of its
        last dimension."""
        random = torch.Generator().manual_seed(1)
        changes = [torch.zeros_like(e) for e in exact]
        for _ in range(4):
            moved = [t.double() * (1 + 2.0 ** -24 * (2 * torch.randint(2, t.shape, generator=random) - 1))
                     if t.is_floating_point() else t for t in tensors]
            changes = [torch.maximum(c, (m - e).abs()) if e.is_floating_point() else c
                       for c, m, e in zip(changes, self.run(moved, lengths), exact)]
        most = min(max(t.numel() for t in tensors if t.is_floating_point()), MOST_TERMS)
        return [(c.amax(-1, keepdim=True) if c.dim() else c) * math.sqrt(most) for c in changes]

    def _drawn_text(self):
        """The first class of each floating input."""
        drawn = [f"{t.name} {t.classes[0]}" for t in self.tensors if t.dtype in FLOATS]
        return f"random inputs ({', '.join(drawn[:MOST_NAMED])}{', ...' * (len(drawn) > MOST_NAMED)})"


def _random_on_gpu(tensor, lengths):
    """Values of the tensor's range, drawn where the GPU is the default device."""
    dims, dtype = tensor.lengths(lengths), getattr(torch, tensor.dtype)
    if tensor.dtype in FLOATS:
        drawn = torch.rand if "positive" in tensor.classes[0] else torch.randn
        return drawn(dims, dtype=dtype) * 2.0 ** tensor.scale
    high = evaluate(tensor.high, lengths) if tensor.high else 2
    return torch.randint(tensor.low, high, dims).to(dtype)


def _towards(exact, own, room):
    """Own values, nearer to the exact ones by the room."""
    if not exact.is_floating_point():
        return own
    error = own.double() - exact
    return exact + error.sign() * (error.abs() - room).clamp(min=0)


def _finite(tensor):
    """The tensor with 0 for infinities and NaN."""
    return torch.where(torch.isfinite(tensor), tensor, torch.zeros_like(tensor)) if tensor.is_floating_point() else tensor


def _same_places(left, right):
    """True if both are infinite, and NaN, at the same places."""
    return torch.equal(torch.isinf(left), torch.isinf(right)) and torch.equal(torch.isnan(left), torch.isnan(right))


def differ(left, right, tolerance):
    """True if any output differs by more than the tolerance."""
    for a, b in zip(left, right):
        if not a.is_floating_point():
            if not torch.equal(a, b):
                return True
            continue
        if not _same_places(a, b):
            return True
        a, b = _finite(a), _finite(b)
        if _row_errors(a, b, tolerance.trailing) > tolerance.relative:
            return True
    return False


def check_determinism(runner, lengths, tensors, exact):
    """Refuses modules with random outputs."""
    again = runner.run(tensors, lengths, seed=1)
    if not all(_same_places(a, b) and torch.equal(_finite(a), _finite(b)) for a, b in zip(exact, again)):
        kept = ", ".join(runner.kept_constants()) or "values"
        raise Refused(f"outputs are random: the constructor draws {kept} at random; make it a parameter or a buffer")


def depends_on_inputs(runner, lengths, tensors, exact, tolerance):
    """True if other inputs with the same parameters change any output by more than the
    tolerance."""
    return any(differ(exact, runner.run(runner.drawn(lengths, seed, parameters=tensors), lengths), tolerance)
               for seed in (101, 102))


def constant_outputs(runner, lengths, exact, tolerance):
    """Names of outputs that other inputs and parameters, of all their classes, do not change by more than the tolerance."""
    same = dict(enumerate(runner.outputs))
    for draw in range(DRAWS_OF_CONSTANTS):  # ends at the first one as a rule
        if same:
            other = runner.run(runner.drawn(lengths, 103 + draw, case=draw), lengths)
            same = {i: output for i, output in same.items() if not differ([exact[i]], [other[i]], tolerance)}
    return [output.name for output in same.values()]
