"""The model for which this package was made, with its operators in place of the operations that they compute.

model.py is the file that the user gave, model_forward.py its forward() as it was traced, with operators called by name,
and what the trace relies on. The class in model.py stays the user's: only its forward() asks first whether the traced
one computes the same.
"""

import functools
import hashlib
import importlib
import itertools
import operator
import pathlib
import warnings
import weakref

import torch
from torch.utils.weak import WeakIdKeyDictionary

_FOLDER = pathlib.Path(__file__).parent
_flat = WeakIdKeyDictionary()  # first parameter: (all, their versions, one tensor of all of them)
_warned = set()


@functools.cache
def constants():
    """Tensors that forward() made from numbers while it was traced."""
    file = _FOLDER / "model_constants.pt"
    return torch.load(file, weights_only=True) if file.exists() else {}


def packed(*parameters):
    """All parameters of a task in one tensor, rebuilt after a write to them."""
    if torch.compiler.is_compiling() or any(isinstance(one, torch._subclasses.FakeTensor) for one in parameters):
        return torch.cat([one.reshape(-1) for one in parameters])
    versions = [one._version for one in parameters]
    known = _flat.get(parameters[0])
    if known is None or known[1] != versions or not all(map(operator.is_, known[0], parameters[1:])):
        flat = torch.cat([one.detach().reshape(-1) for one in parameters])
        known = _flat[parameters[0]] = (parameters[1:], versions, flat)
    return known[2]


def digest(tensor):
    flat = tensor.detach().cpu().contiguous().reshape(-1)
    return hashlib.sha256(flat.view(torch.uint8).numpy().tobytes()).hexdigest()


# --- whether a model is as it was traced ---

_HOOKS = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")


def kind_of(module, own):
    """Qualified name of a module's class; without the module's name where it is `own`, the model's file."""
    kind = type(module)
    return kind.__qualname__ if kind.__module__ == own else f"{kind.__module__}.{kind.__qualname__}"


def changed(model, made, own):
    """What differs from the traced model, as text; "" if nothing does. made: model_forward.py."""
    for path, kind, values, tensors in made.MODULES:
        module = model
        for name in path.split(".") if path else ():
            module = module._modules.get(name)
            if module is None:
                return f"'{path}' is not there"
        label = f"'{path}'" if path else "the model"
        if kind_of(module, own) != kind:
            return f"{label} is a {kind_of(module, own)}, and was a {kind}"
        if "forward" in module.__dict__:
            return f"{label} has another forward()"
        for hooks in _HOOKS if path else ():  # those of the whole model are called in any case
            if len(getattr(module, hooks)):
                return f"{label} has hooks"
        for name, value in values.items():
            if name == "children":
                if list(module._modules) != value:
                    return f"{label} has the parts {list(module._modules)}, and had {value}"
            elif module.__dict__.get(name) != value:
                if torch.compiler.is_compiling():  # which puts no number that varies into a text
                    return f"{name} of {label} was {value}"
                return f"{name} of {label} is {module.__dict__.get(name)}, and was {value}"
        for name, (shape, dtype) in tensors.items():
            tensor = module._parameters.get(name)
            if tensor is None:
                tensor = module._buffers.get(name)
            if tensor is None or tensor.dtype is not dtype or tuple(tensor.shape) != shape:
                return f"{name} of {label} is no tensor of {dtype} with shape {list(shape)}"
    return ""


def differing_constant(model, made):
    """A tensor that kernels have as a constant, and that has other values now; "" if there is none."""
    for name, known in made.FIXED.items():
        owner, _, leaf = name.rpartition(".")
        tensor = getattr(model.get_submodule(owner), leaf, None)
        if not torch.is_tensor(tensor) or digest(tensor) != known:
            return f"'{name}' has other values than when its kernels were made"
    return ""


class Watch:
    """What a model was found to be, for as long as its parts stay: comparing them costs far less than asking anew."""

    def __init__(self, model, made, own):
        modules = list(model.modules())
        self._parts_of = [getattr(one, name) for one in modules for name in ("_modules", "_parameters", "_buffers")]
        self._hooks = [getattr(one, name) for one in modules[1:] for name in _HOOKS]
        self._plain = [(_reader(one), one.__dict__) for one in modules]
        owners = [name.rpartition(".") for name in made.FIXED]
        self._fixed = [(model.get_submodule(owner).__dict__ if owner else model.__dict__, leaf)
                       for owner, _, leaf in owners]
        self._parts = self._parts_now()
        self._tensors = [one for one in self._parts if torch.is_tensor(one)]
        self._facts = self._facts_now()
        self.reason = changed(model, made, own) or differing_constant(model, made)
        self.training = any(one.training for one in modules)

    def _parts_now(self):
        return list(itertools.chain.from_iterable(map(dict.values, self._parts_of)))

    def _facts_now(self):
        versions = [(id(held.get(leaf)), getattr(held.get(leaf), "_version", 0)) for held, leaf in self._fixed]
        versions += [one._version for one in self._tensors] if self._fixed else []
        settings = [(read(held), len(held)) for read, held in self._plain]
        return [any(self._hooks), list(map(_KIND, self._tensors)), settings, versions]

    def holds(self):
        now = self._parts_now()
        try:
            return (len(now) == len(self._parts) and all(map(operator.is_, now, self._parts))
                    and self._facts_now() == self._facts)
        except KeyError:  # an attribute is gone
            return False

    def needs_gradients(self):
        return any(map(operator.attrgetter("requires_grad"), self._tensors))


_KIND = operator.attrgetter("dtype", "device")


def _reader(module):
    """Function of the module's variables: the plain ones."""
    names = [name for name, value in module.__dict__.items() if value.__class__ in (bool, int, float, str, tuple)]
    return operator.itemgetter(*names)


# --- the class's forward() ---

def _fits(given, made):
    """True for inputs of the traced shapes, types and devices that need no gradients."""
    if len(given) != len(made.EXPECTED):
        return False
    for one, (wanted, dtype) in zip(given, made.EXPECTED):
        if not torch.is_tensor(one) or dtype is None:  # a number
            if torch.is_tensor(one) or dtype is not None or one != wanted:
                return False
        elif one.dtype is not dtype or one.device.type != made.DEVICE or len(one.shape) != len(wanted) or any(
                isinstance(length, torch.SymInt) for length in one.shape) or tuple(one.shape) != wanted:
            return False
        elif one.requires_grad and torch.is_grad_enabled():
            return False
    return True


def _transformed(made):
    """True where PyTorch changes what operations do: autocast, torch.func, forward-mode derivatives, global hooks."""
    if torch.is_autocast_enabled(made.DEVICE):
        return True
    everywhere = torch.nn.modules.module
    return not torch.compiler.is_compiling() and bool(
        torch._C._are_functorch_transforms_active() or torch.autograd.forward_ad._current_level >= 0
        or everywhere._global_forward_hooks or everywhere._global_forward_pre_hooks)


def _warn_once(reason):
    if reason not in _warned:
        _warned.add(reason)
        warnings.warn(f"{__package__}: {reason}; the model's own forward() runs, without operators of this package")


def replace_forward(model_class, made):
    """Lets the class call the traced forward() where it computes what the original does."""
    original, own, watches = model_class.forward, model_class.__module__, weakref.WeakKeyDictionary()

    def is_traced(model):
        watch = watches.get(model)
        if watch is None or not watch.holds():
            watch = watches[model] = Watch(model, made, own)
        if watch.reason:
            _warn_once(watch.reason)
        return not watch.reason and not watch.training and not (torch.is_grad_enabled() and watch.needs_gradients())

    def is_traced_in_compiler(model):
        if made.FIXED:  # a compiled graph would not notice that their values change
            return False
        return (not changed(model, made, own) and not any(one.training for one in model.modules())
                and not (torch.is_grad_enabled() and any(one.requires_grad for one in model.parameters())))

    @functools.wraps(original)
    def forward(self, *given, **named):
        if not named and not self.training and _fits(given, made) and not _transformed(made):
            if is_traced_in_compiler(self) if torch.compiler.is_compiling() else is_traced(self):
                return made.forward(self, *given)
        return original(self, *given, **named)

    forward.asks_first = True
    model_class.forward = forward


@functools.cache
def _model():
    """(model.py, model_forward.py), with the class's forward() replaced."""
    module = importlib.import_module(".model", __package__)
    made = importlib.import_module(".model_forward", __package__)
    if made.forward is not None and not hasattr(module.Model.forward, "asks_first"):
        replace_forward(module.Model, made)
    return module, made


def install():
    """Replaces forward() of the class, also for models that are unpickled."""
    _model()


def load_model():
    """The model in evaluation mode, initialised as in its file; load_state_dict() takes a state of
    the original.

    It is an instance of class Model in model.py. Its parameters need no gradients. The original forward() runs in
    training mode, where a gradient is needed, under autocast and torch.func, and for inputs of other shapes, types or
    devices than those of get_inputs() in model.py. It also runs, with a warning, where the model is not as it was
    traced: another submodule, hooks of one, other settings."""
    module, made = _model()
    given = module.get_init_inputs() if hasattr(module, "get_init_inputs") else []
    built = module.Model(**given) if isinstance(given, dict) else module.Model(*given)
    return built.eval().requires_grad_(False).to(made.DEVICE)


def captured(model, *inputs):
    """Wraps the model in one CUDA graph. Copies the contents of inputs of these shapes and types;
    the next call overwrites the outputs."""
    places = [one.clone() if torch.is_tensor(one) else one for one in inputs]
    with torch.no_grad():
        aside = torch.cuda.Stream()  # keeps first-call setup out of the capture
        aside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(aside):
            for _ in range(2):
                model(*places)
        torch.cuda.current_stream().wait_stream(aside)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            outputs = model(*places)

    def launch(*given):
        for place, one in zip(places, given, strict=True):
            if torch.is_tensor(place):
                place.copy_(one)
        graph.replay()
        return outputs

    return launch
