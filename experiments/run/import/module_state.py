"""What forward() of a model reads, keeps and changes beside its inputs, found by calling it.

The model is called several times on two draws of its inputs, and each result is compared with that
of a fresh copy. So state that outputs depend on shows, in whatever object the model keeps it. State
that changes without such a difference is set to other values at first: if no output depends on
them, as on the running statistics of training or on a counter, it may change. All of that is done
again with other values of state that is constant at first, unless a call takes long."""

import copy
import dataclasses
import time
import types

import torch
from torch.overrides import TorchFunctionMode

from kernelevolve_reference import seed_generators, set_state, state_places, tensors_in
from task_file import Refused, first_of

ORDER = "abaabba"  # draws of the inputs in calls of one model
SECONDS = 20  # of processor time for tests of single tensors
SLOW = 1.0  # a model whose call takes longer is called less often
MOST_NAMED = 3  # in a message
DEEPEST = 6  # nested objects
_FUNCTIONS = (types.FunctionType, types.MethodType, types.BuiltinFunctionType, torch._C.ScriptMethod, torch.jit.ScriptFunction)
_OF_EVERY_MODULE = set(torch.nn.Module().__dict__) - {"training"}
_ABOUT = set("shape dtype device ndim layout requires_grad requires_grad_ is_cuda is_cpu is_meta is_sparse is_quantized "
             "size dim ndimension numel nelement stride is_floating_point is_complex is_contiguous element_size __len__ "
             "get_device _version is_leaf grad_fn grad names type_as detach_".split())  # tell nothing of values
_AS_NUMBERS = set("item tolist numpy __array__ __bool__ __int__ __float__ __index__ __iter__ __contains__ equal "
                  "allclose".split())
_DRAWS = set("rand randn rand_like randn_like randint randint_like randperm bernoulli bernoulli_ multinomial normal "
             "normal_ uniform_ exponential_ log_normal_ cauchy_ geometric_ random_ poisson rrelu gumbel_softmax dropout "
             "dropout1d dropout2d dropout3d alpha_dropout feature_alpha_dropout".split())
_EQUALS = {"stable sort", "stable argsort", *"argmax argmin sort argsort topk max min median mode kthvalue".split()}


@dataclasses.dataclass
class State:
    """What examine() finds."""
    inputs: list = dataclasses.field(default_factory=list)  # dotted names of the buffers and attributes that are inputs
    fixed: dict = dataclasses.field(default_factory=dict)  # {name: kind} of those that forward reads as constructed
    idle: list = dataclasses.field(default_factory=list)  # names of buffers that forward reads or changes for no output
    positive: list = dataclasses.field(default_factory=list)  # names of parameters and buffers that are positive, as variances
    hashes: dict = dataclasses.field(default_factory=dict)  # {name: tensor_hash() at the published lengths} of those fixed
    writes: list = dataclasses.field(default_factory=list)  # arguments that forward changes
    changed: list = dataclasses.field(default_factory=list)  # those of `idle` that forward changes
    gathered: list = dataclasses.field(default_factory=list)  # those of `changed` that gather what inputs hold, as statistics
    ties: list = dataclasses.field(default_factory=list)  # operations that choose among equal values

    def apart(self):
        """Names of positive tensors, if a variance is among them: it must not share a tensor with values of either sign."""
        return self.positive if set(self.positive) & set(self.inputs) else []


def examine(build, draws, names):
    """State of a model; raises Refused where outputs are random or depend on earlier calls.

    build: function that constructs the model. draws: two Arguments. names: those of the model's file."""
    model, first = build(), Examination(build, draws, names)
    seen = first.look()
    try:
        if first.seconds <= SLOW:
            seen.add(Examination(lambda: varied(build()), draws, names).look())
    except Refused:
        raise
    except Exception:  # the model does not take such values
        pass
    return seen.state(model)


def varied(model):
    """The model with other values for state that is constant at first: a zero hides what it is multiplied with."""
    for place in state_places(model):
        values = place.tensor.detach()
        if values.is_floating_point() and values.numel() and bool(values.min() == values.max()):
            factor = 0.25 * torch.randn(values.shape) if bool(values.min() == 0) else 1 + 0.5 * torch.rand(values.shape)
            set_state(place, factor if bool(values.min() == 0) else values * factor)
    return model


@dataclasses.dataclass
class Seen:
    """What calls showed."""
    read: set  # names of buffers and attributes
    as_numbers: set  # those whose values Python looked at
    operations: set
    writes: list  # arguments that forward changes
    changed: set  # labels of state
    idle: set  # names of attributes without effect
    gathered: set  # names of buffers

    def add(self, other):
        self.read |= other.read
        self.as_numbers |= other.as_numbers
        self.operations |= other.operations
        self.writes += [name for name in other.writes if name not in self.writes]
        self.changed |= other.changed
        self.idle &= other.idle
        self.gathered |= other.gathered

    def state(self, model):
        """Which of the model's buffers and attributes are inputs, and which stay as constructed."""
        made = State(writes=self.writes, ties=sorted(_EQUALS & self.operations))
        every = state_places(model)
        places = [place for place in every if place.kind != "parameter"]
        made.positive = [place.name for place in every if place.kind == "parameter" and _is_positive(place.tensor)]
        for place in places:
            changes, read = f"{place.kind} '{place.name}'" in self.changed, place.name in self.read
            kind = _kind_of_constant(place, place.name in self.as_numbers)
            if not read or changes or place.name in self.idle:
                made.idle += [place.name] if place.kind == "buffer" and (read or changes) else []
                made.changed += [place.name] if place.kind == "buffer" and changes else []
            elif kind:
                made.fixed[place.name] = kind
            else:
                made.inputs.append(place.name)
                made.positive += [place.name] if _is_positive(place.tensor) else []
        made.gathered = [name for name in made.changed if name in self.gathered]
        others = self.read - {place.name for place in places}
        made.fixed.update({name: "a tensor of the file" if name.startswith("global ") else "tensors within another object"
                           for name in sorted(others)})
        return made


class Reader(TorchFunctionMode):
    """Notes which of the tensors {id: name} operations take, and which operations there are."""

    def __init__(self, known):
        super().__init__()
        self.known, self.read, self.as_numbers, self.operations = known, set(), set(), set()

    def __torch_function__(self, function, types, args=(), kwargs=None):
        result = function(*args, **(kwargs or {}))
        name = _name_of(function)
        if name not in _ABOUT:
            found = {self.known[id(t)] for t in tensors_in([args, kwargs or {}]) if id(t) in self.known}
            self.read |= found
            self.as_numbers |= found if name in _AS_NUMBERS else set()
        if name not in ("max", "min") or isinstance(result, tuple):
            self.operations.add(_with_option(name, args, kwargs or {}))
        return result


def _with_option(name, args, kwargs):
    """Tells a stable sort from another, and dropout that is off from one that draws."""
    if name.endswith("dropout") and not kwargs.get("training", kwargs.get("train", args[2] if len(args) > 2 else True)):
        return "dropout that is off"
    return f"stable {name}" if kwargs.get("stable") else name


def _name_of(function):
    """argmax; of the getter of an attribute, the attribute."""
    owner = getattr(function, "__self__", None)
    if isinstance(owner, (types.GetSetDescriptorType, property)):
        return getattr(owner, "__name__", "")
    return getattr(function, "__name__", "")


class Examination:
    def __init__(self, build, draws, names):
        self.build, self.names, self.seconds = build, names, 0.0
        self.original = build()
        self.draws = dict(zip("ab", draws))
        self.deadline = time.process_time() + SECONDS

    def look(self):
        writes, reader, first = self._first_call()
        wanted = {"a": first, "b": self._outputs(self._fresh(), self._copied("b"))}
        changed, wrong = self._calls_of_one(wanted)
        shared = any(label.startswith(("global", "class")) for label in changed)  # then no copy is fresh
        if not shared:
            self._refuse_random(first, reader.operations)
        guilty = self._guilty(changed, first, wrong)
        if guilty:
            self._refuse(guilty)
        if shared:
            self._refuse_random(first, reader.operations)
        if wrong:
            raise Refused("outputs depend on earlier calls: forward keeps something outside of the module")
        return Seen(reader.read, reader.as_numbers, reader.operations, writes, set(changed),
                    self._idle_attributes(reader.read, first), self._gathered(changed))

    def _first_call(self):
        """(arguments that forward changes, a Reader, outputs) of a fresh model's call on the first draw."""
        model, arguments = self._fresh(), self._copied("a")
        reader = Reader({**_known(model), **{id(value): f"global {name}" for name, value in self.names.items()
                                             if torch.is_tensor(value)}})
        started = time.process_time()
        with reader:
            outputs = self._outputs(model, arguments)
        self.seconds = time.process_time() - started
        writes = [name for name, value, old in zip(arguments.names, arguments.values, self.draws["a"].values)
                  if torch.is_tensor(value) and (value._version or not _same_tensor(value, old))]
        return writes, reader, outputs

    def _calls_of_one(self, wanted):
        """(labels of what changes in several calls of one model, whether an output differs from a fresh model's)."""
        used = self._fresh()
        before = self._snapshot(used)
        wrong = False
        for draw in ORDER if self.seconds <= SLOW else ORDER[:3]:
            wrong |= not _equal(self._outputs(used, self._copied(draw)), wanted[draw])
        after = self._snapshot(used)
        return [label for label in after if label not in before or not _same(before[label], after[label])], wrong

    def _fresh(self):
        try:
            return copy.deepcopy(self.original)
        except Exception:  # an attribute that cannot be copied
            return self.build()

    @staticmethod
    def _outputs(model, arguments, seed=0):
        seed_generators(seed)
        with torch.no_grad():
            made = arguments.call(model)
        return [tensor.clone() for tensor in tensors_in(made)]

    def _copied(self, draw):
        drawn = self.draws[draw]
        return drawn.with_values(value.clone() if torch.is_tensor(value) else value for value in drawn.values)

    def _snapshot(self, model):
        """{label: copy} of all that calls may change: state, attributes, attributes of classes, global names."""
        found = {f"{place.kind} '{place.name}'": _frozen(place.tensor) for place in state_places(model)}
        own = {type(module) for module in model.modules() if type(module).__module__ == self.names.get("__name__")}
        for prefix, module in model.named_modules():
            found.update({f"attribute '{prefix + '.' if prefix else ''}{name}'": _frozen(value)
                          for name, value in module.__dict__.items()
                          if name not in _OF_EVERY_MODULE and not torch.is_tensor(value) and not isinstance(value, _FUNCTIONS)})
        for one in sorted(own, key=lambda one: one.__name__):
            found.update({f"class attribute '{one.__name__}.{name}'": _frozen(value)
                          for name, value in vars(one).items() if _is_data(name, value)})
        found.update({f"global '{name}'": _frozen(value) for name, value in self.names.items() if _is_data(name, value)})
        return found

    def _guilty(self, changed, wanted, wrong):
        """Labels of what changes although outputs depend on it."""
        parameters = [label for label in changed if label.startswith("parameter")]
        if parameters or not (wrong or self._depends(changed, wanted)):
            return parameters
        found = []
        for label in changed:
            if time.process_time() < self.deadline and self._depends([label], wanted):
                found.append(label)
        return found or changed

    def _refuse(self, labels):
        labels = [label for label in labels if label.split("[")[0] + "'" not in labels]  # w stands for w[0]
        text = first_of(labels, MOST_NAMED)
        text += " changes in forward" if len(labels) == 1 else " change in forward"
        if self._rests_in_inference(labels):
            raise Refused(f"{text}, and outputs depend on it: call self.eval() in the constructor, or import with "
                          "--mode inference")
        if labels[0].startswith("parameter"):
            raise Refused(f"{text}: compute the changed values as a new tensor instead")
        raise Refused(f"{text}, and outputs of later calls depend on it: make it an input of forward, and return its new "
                      "value as an output")

    def _rests_in_inference(self, labels):
        """True if eval() keeps all of these from changing."""
        if not self.original.training:
            return False
        model = self._fresh().eval()
        before = self._snapshot(model)
        self._outputs(model, self._copied("a"))
        after = self._snapshot(model)
        return all(label in before and _same(before[label], after[label]) for label in labels)

    def _refuse_random(self, wanted, operations):
        if all(_equal(self._outputs(self._fresh(), self._copied("a"), seed), wanted) for seed in (0, 1)):
            return
        active = _active_dropout(self.original)
        if active:
            raise Refused(f"outputs are random: dropout is active in training mode ({_some(active)}); call self.eval() in "
                          "the constructor, or import with --mode inference")
        drawn = sorted(_DRAWS & operations)
        words = f"draws random numbers ({', '.join(drawn)})" if drawn else "draws random numbers"
        raise Refused(f"outputs are random: forward {words}; make them an input")

    def _depends(self, labels, wanted):
        """True if other first values of these give other outputs for the first draw, or none."""
        if not labels:
            return False
        model = self._fresh()
        restore = [undo for label in labels for undo in self._disturb(model, label)]
        try:
            return not _equal(self._outputs(model, self._copied("a")), wanted)
        except Exception:
            return True
        finally:
            for undo in restore:
                undo()

    def _disturb(self, model, label):
        """Gives state another value; [functions that undo it] for what copies of the model share."""
        kind, name = label.rstrip("'").split(" '")
        for place in state_places(model):
            if f"{place.kind} '{place.name}'" == label:
                set_state(place, _other(place.tensor))
        if kind == "global":
            return _disturb_entry(self.names.__setitem__, name, self.names[name])
        owner, _, leaf = name.rpartition(".")
        if kind == "class attribute":
            owner = self.names[owner] if owner in self.names else None
            return _disturb_entry(lambda key, value: setattr(owner, key, value), leaf, getattr(owner, leaf, None))
        if kind == "attribute":
            owner = dict(model.named_modules())[owner]
            if not torch.is_tensor(owner.__dict__.get(leaf)):
                _disturb_entry(owner.__dict__.__setitem__, leaf, owner.__dict__.get(leaf))
        return []

    def _gathered(self, changed):
        """Names of buffers that a call leaves with values of both its inputs and their own values before it."""
        names = [label.split("'")[1] for label in changed if label.startswith("buffer")]
        if not names:
            return set()
        kept, other_inputs, other_values = (self._buffers_after(names, *how) for how in (("a", False), ("b", False), ("a", True)))
        return {name for name in names if not _same_tensor(kept[name], other_inputs[name])
                and not _same_tensor(kept[name], other_values[name])}

    def _buffers_after(self, names, draw, disturbed):
        model = self._fresh()
        places = [place for place in state_places(model) if place.name in names]
        for place in places if disturbed else []:
            set_state(place, _other(place.tensor))
        self._outputs(model, self._copied(draw))
        return {place.name: place.tensor for place in state_places(model) if place.name in names}

    def _idle_attributes(self, read, wanted):
        """Names of plain attributes without effect, such as the weight that weight_norm computes in every call."""
        found = [place.name for place in state_places(self.original) if place.kind == "attribute" and place.name in read]
        if not self._depends([f"attribute '{name}'" for name in found], wanted):
            return set(found)
        return {name for name in found if time.process_time() < self.deadline
                and not self._depends([f"attribute '{name}'"], wanted)}


def _known(model):
    """{id: name} of the model's tensors beside parameters."""
    places = state_places(model)
    known = {id(place.tensor): place.name for place in places if place.kind != "parameter"}
    skipped = {id(place.tensor) for place in places}
    for prefix, module in model.named_modules():
        for name, value in module.__dict__.items():
            if name not in _OF_EVERY_MODULE and not torch.is_tensor(value):
                known.update({id(t): f"{prefix + '.' if prefix else ''}{name}" for t in tensors_in(value)
                              if id(t) not in skipped and not isinstance(t, torch.nn.Parameter)})
    return known


def _is_data(name, value):
    kinds = (types.ModuleType, types.FunctionType, types.BuiltinFunctionType, type, staticmethod, classmethod, property)
    return not name.startswith("__") and not isinstance(value, kinds)


def _frozen(value, depth=0):
    """A copy that later changes do not reach; objects as {attribute: copy}."""
    if isinstance(value, torch.Tensor):
        return value.detach().clone()
    if isinstance(value, (bool, int, float, complex, str, bytes, type(None), types.ModuleType, type)) or depth > DEEPEST:
        return value
    if isinstance(value, dict):
        return {repr(key): _frozen(part, depth + 1) for key, part in value.items()}
    if isinstance(value, (set, frozenset)):
        return sorted(map(repr, value))
    if isinstance(value, torch.nn.Module):
        return None  # the model's modules are looked at one by one
    if hasattr(value, "tobytes"):  # of NumPy
        return value.tobytes()
    if hasattr(value, "__iter__") and hasattr(value, "__len__"):
        return [_frozen(part, depth + 1) for part in value]
    return {key: _frozen(part, depth + 1) for key, part in getattr(value, "__dict__", {}).items()}


def _same_tensor(left, right):
    if left.shape != right.shape or left.dtype != right.dtype or left.device != right.device:
        return False
    return bool(torch.equal(left, right) or torch.allclose(left, right, rtol=0, atol=0, equal_nan=True))


def _same(left, right):
    if torch.is_tensor(left) or torch.is_tensor(right):
        return torch.is_tensor(left) and torch.is_tensor(right) and _same_tensor(left, right)
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(_same(left[key], right[key]) for key in left)
    if isinstance(left, list):
        return len(left) == len(right) and all(map(_same, left, right))
    return left == right or left != left


def _equal(left, right):
    return len(left) == len(right) and all(map(_same_tensor, left, right))


def _other(value):
    """Another value of the same kind, or the value where none is known."""
    if torch.is_tensor(value):
        value = value.detach()
        if value.dtype == torch.bool:
            return ~value
        return value * 1.5 + 0.25 if value.is_floating_point() or value.is_complex() else value + 1
    if isinstance(value, bool):
        return not value
    return value + 997 if isinstance(value, (int, float)) else value


def _disturb_entry(store, name, value):
    store(name, _other(value))
    return [lambda: store(name, value)]


def _kind_of_constant(place, as_numbers):
    """Why a tensor that forward reads is no input; "" if it is one."""
    tensor = place.tensor
    if tensor.is_complex():
        return "complex numbers"
    if tensor.numel() == 0:
        return "no elements"
    if tensor.is_floating_point() and not torch.isfinite(tensor).all():
        return "a triangular or banded mask" if _is_mask(tensor) else "infinite values"
    if as_numbers and not tensor.is_floating_point():
        return "it decides what forward does"
    if _is_mask(tensor):
        return "a triangular or banded mask"
    if _counts_up(tensor):
        return "positions"
    return "integers or truth values" if place.kind == "attribute" and not tensor.is_floating_point() else ""


def _is_positive(tensor):
    return tensor.is_floating_point() and tensor.numel() > 0 and bool((tensor >= 0).all()) and bool((tensor > 0).any())


def _is_mask(tensor):
    """True for two values 0, 1 or a large negative number that depend on the distance to the diagonal alone."""
    if tensor.dim() < 2 or min(tensor.shape[-2:]) < 2:
        return False
    values = tensor.double().unique()
    if values.numel() != 2 or not all(v in (0, 1) or v <= -1000 for v in values.tolist()):
        return False
    return torch.equal(tensor[..., 1:, 1:], tensor[..., :-1, :-1]) and _repeats(tensor.reshape(-1, *tensor.shape[-2:]))


def _repeats(tensor):
    return torch.equal(tensor, tensor[:1].expand_as(tensor))


def _counts_up(tensor):
    """True for integers that grow by equal steps along one dimension, or from first to last."""
    if tensor.is_floating_point() or tensor.dtype == torch.bool or tensor.numel() < 2:
        return False
    lines = [tensor.movedim(d, -1).reshape(-1, n) for d, n in enumerate(tensor.shape) if n > 1]
    return any(_repeats(one) and _even_steps(one[0]) for one in [*lines, tensor.reshape(1, -1)])


def _even_steps(line):
    steps = line[1:] - line[:-1]
    return bool(steps[0] != 0) and bool((steps == steps[0]).all())


def _active_dropout(model):
    """Names of modules that drop values in training mode."""
    kinds = (torch.nn.modules.dropout._DropoutNd, torch.nn.RNNBase, torch.nn.MultiheadAttention, torch.nn.RReLU)
    return [name or "Model" for name, module in model.named_modules()
            if module.training and isinstance(module, kinds)
            and (getattr(module, "p", 0) or getattr(module, "dropout", 0) or isinstance(module, torch.nn.RReLU))]


def _some(names):
    return ", ".join(names[:MOST_NAMED]) + (", ..." if len(names) > MOST_NAMED else "")


def equal_values(operations):
    """Sentences on which of equal values these operations take, as this PyTorch does on a processor."""
    first = [name for name in operations if takes_first(name)]
    other = [name for name in operations if name not in first]
    made = [f"Of equal values {', '.join(first)} takes the first one."] if first else []
    return made + ([f"Which of equal values {', '.join(other)} takes is what PyTorch does on a processor."] if other else [])


def takes_first(name):
    values = torch.tensor([1.0, 0.0, 1.0, 0.0] * 50, dtype=torch.float64)
    if name in ("argmax", "argmin", "max", "min"):
        result = getattr(torch, name)(values, 0)
        return int(result[1] if isinstance(result, tuple) else result) == (0 if "max" in name else 1)
    if name.startswith("stable "):
        return True
    if name not in ("sort", "argsort", "topk"):
        return False
    result = torch.topk(values, 150) if name == "topk" else getattr(torch, name)(values)
    places = result[1] if isinstance(result, tuple) else result
    return all(bool((places[values[places] == one].diff() > 0).all()) for one in (0.0, 1.0))
