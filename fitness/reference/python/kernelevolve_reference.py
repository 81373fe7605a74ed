"""Runs a PyTorch module, or a function of tensors, as the reference of a task.

A task that was made from a module ends its reference.py with a call of module_reference(). The
answer is a function of tensors and axes that builds the module for those axes, gives it the
parameters and buffers among the tensors, and returns the tensors that forward() returns. No call
sees what another left, and no input is changed.

A task that was made from a function ends it with a call of function_reference(): every floating
type that the function names is float64 then, so that its casts round nothing.

Works with PyTorch 1.13 and later. Stands alone: reference.py needs this file and torch only.
"""

import ast
import contextlib
import copy
import dataclasses
import functools
import hashlib
import inspect
import operator
import pathlib
import re
import sys
import types

import torch
from torch.overrides import TorchFunctionMode

FOOTER = "# --- below: added by kernelevolve import ---"
MOST_KEPT = 8  # modules at other lengths, without their parameters
MODES = ("inference", "train")  # train: as the constructor leaves the module

_OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Pow: operator.pow,
}


def integer_value(node):
    """The integer that an expression of literals stands for, or None."""
    if isinstance(node, ast.Constant):
        return node.value if type(node.value) is int else None
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        left, right = integer_value(node.left), integer_value(node.right)
        if left is None or right is None:
            return None
        return _OPERATORS[type(node.op)](left, right)
    return None


def _assignments(statement):
    """The assignment as assignments of one name each, or the statement as it is."""
    if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
        if statement.value is not None:
            return [(statement.target.id, statement.value)]
    if not isinstance(statement, ast.Assign):
        return None
    made = []
    for target in statement.targets:
        if isinstance(target, ast.Name):
            made.append((target.id, statement.value))
        elif (isinstance(target, ast.Tuple) and isinstance(statement.value, ast.Tuple)
              and len(target.elts) == len(statement.value.elts)
              and all(isinstance(name, ast.Name) for name in target.elts)):
            made += [(name.id, value) for name, value in zip(target.elts, statement.value.elts)]
        else:
            return None
    plain = all(integer_value(v) is not None or isinstance(v, (ast.Tuple, ast.List)) for _, v in made)
    return made if plain or len(made) == 1 else None


def module_constants(source):
    """Integer constants of the module: {"N": 64, "shape[0]": 3}. The last assignment counts."""
    found = {}
    for statement in ast.parse(source).body:
        for name, value in _assignments(statement) or []:
            for old in [key for key in found if key == name or key.startswith(name + "[")]:
                del found[old]
            found.update(_constants_of(name, value))
    return found


def _constants_of(name, value):
    number = integer_value(value)
    if number is not None:
        return {name: number}
    if isinstance(value, (ast.Tuple, ast.List)):
        numbers = {f"{name}[{i}]": integer_value(e) for i, e in enumerate(value.elts)}
        return {key: n for key, n in numbers.items() if n is not None}
    return {}


def _replaced(name, value, values):
    if name in values and integer_value(value) is not None:
        return ast.Constant(values[name])
    if isinstance(value, (ast.Tuple, ast.List)):
        elements = [ast.Constant(values[f"{name}[{i}]"])
                    if f"{name}[{i}]" in values and integer_value(e) is not None else e
                    for i, e in enumerate(value.elts)]
        return type(value)(elts=elements, ctx=ast.Load())
    return value


@functools.lru_cache(maxsize=4)
def _parsed(source):
    return ast.parse(source)


def with_constants(source, values):
    """The syntax tree of the source with other values of its integer constants."""
    body = []
    for statement in _parsed(source).body:
        parts = _assignments(statement)
        if parts is None:
            body.append(statement)
            continue
        for name, value in parts:
            assign = ast.Assign(targets=[ast.Name(id=name, ctx=ast.Store())],
                                value=_replaced(name, value, values))
            body.append(ast.fix_missing_locations(ast.copy_location(assign, statement)))
    return ast.Module(body=body, type_ignores=[])


DEFAULT_DTYPE = "__default_dtype__"  # among a problem's names: the type that its file sets by torch.set_default_dtype


def load_problem(source, filename, values, name="kernelevolve_problem"):
    """Executes the source with other values of its constants; answers its names."""
    module = types.ModuleType(name)
    module.__file__ = filename
    sys.modules[name] = module
    with default_dtype(torch.float32):
        exec(compile(with_constants(source, values), filename, "exec"), module.__dict__)
        module.__dict__[DEFAULT_DTYPE] = torch.get_default_dtype()
    return module.__dict__


@contextlib.contextmanager
def default_dtype(dtype):
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        yield
    finally:
        torch.set_default_dtype(before)


@contextlib.contextmanager
def outside_of_transforms():
    """Within it, tensors are made as they are, also while a compiler traces or functions are transformed."""
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(ImportError):  # PyTorch 1.13
            from torch._functorch.pyfunctorch import temporarily_clear_interpreter_stack
            from torch.utils._python_dispatch import _disable_current_modes
            stack.enter_context(_disable_current_modes())
            stack.enter_context(temporarily_clear_interpreter_stack())
        yield


def build_model(names, mode="train"):
    """The problem's model in one of the MODES."""
    with default_dtype(names[DEFAULT_DTYPE]):
        given = names["get_init_inputs"]() if "get_init_inputs" in names else []
        model = names["Model"](**given) if isinstance(given, dict) else names["Model"](*given)
    return model.eval() if mode == "inference" else model


def leaves(value, path=()):
    """(path, leaf) of each part of a nested result, in order; a path is keys, names of fields and positions."""
    if isinstance(value, dict):
        parts = value.items()
    elif hasattr(value, "_fields") and isinstance(value, tuple):
        parts = zip(value._fields, value)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        parts = [(field.name, getattr(value, field.name)) for field in dataclasses.fields(value)]
    elif isinstance(value, (list, tuple)):
        parts = enumerate(value)
    else:
        yield path, value
        return
    for key, part in parts:
        yield from leaves(part, (*path, key))


def tensors_in(value):
    """The tensors of a nested result, in order."""
    return [leaf for _, leaf in leaves(value) if isinstance(leaf, torch.Tensor)]


@dataclasses.dataclass
class Place:
    """A tensor of a model's state, and where the model keeps it."""
    name: str  # dotted, such as layers.0.weight; in a list or dictionary tables[0]
    kind: str  # parameter, buffer or attribute
    tensor: torch.Tensor
    owners: list  # [(module, list or dictionary, name or key in it)]; several where modules share the tensor


def state_places(model):
    """Parameters, then buffers, then tensors that modules keep as plain attributes, in lists and dictionaries too; a
    shared tensor is one entry."""
    places = {}
    for kind, table in (("parameter", "_parameters"), ("buffer", "_buffers"), ("attribute", "__dict__")):
        for prefix, owner in model.named_modules():
            for leaf, value in getattr(owner, table).items():
                if kind != "attribute" or leaf not in _TABLES:
                    for name, holder, key, tensor in _tensors_at(f"{prefix}.{leaf}" if prefix else leaf, owner, leaf, value):
                        places.setdefault(id(tensor), Place(name, kind, tensor, [])).owners.append((holder, key))
    return list(places.values())


_TABLES = ("_parameters", "_buffers", "_modules")  # of a module


def _tensors_at(name, holder, key, value):
    """(name, holder, key, tensor) of a value and, if it is a list or dictionary, of what it holds."""
    if isinstance(value, torch.Tensor):
        yield name, holder, key, value
    elif type(value) in (list, dict):
        for inner, part in value.items() if type(value) is dict else enumerate(value):
            yield from _tensors_at(f"{name}[{inner!r}]", value, inner, part)


def set_state(place, tensor):
    """Gives the model another tensor of the same shape at that place."""
    if place.kind == "parameter":
        tensor = torch.nn.Parameter(tensor, requires_grad=False)
    for owner, leaf in place.owners:
        _put(owner, leaf, tensor)


def _put(owner, key, tensor):
    if isinstance(owner, torch.nn.Module):
        setattr(owner, key, tensor)
    else:
        owner[key] = tensor


def set_recorded_state(place, tensor):
    """The same, so that autograd records what the tensor is used for."""
    for owner, leaf in place.owners:
        if place.kind == "parameter":
            owner._parameters[leaf] = tensor
        else:
            _put(owner, leaf, tensor)


def constant_tensors(model, given=()):
    """Tensors of the model that are neither parameters nor among the names `given`, also those in tuples and objects."""
    places = state_places(model)
    found = [place.tensor for place in places if place.kind != "parameter" and place.name not in given]
    known = {id(place.tensor) for place in places}
    return found + [t for owner in model.modules() for t in tensors_in(_plain(owner)) if id(t) not in known]


def _plain(owner):
    return {k: v for k, v in owner.__dict__.items() if k not in _TABLES}


_COMPLEX = {torch.float64: torch.complex128}  # the complex type of a floating one; else complex64


def _as_type(tensor, dtype):
    if tensor.is_complex():
        return tensor.to(_COMPLEX.get(dtype, torch.complex64))
    return tensor.to(dtype) if tensor.is_floating_point() else tensor


def _copied(tensor, dtype):
    """A copy; of a floating type as dtype, unless that is None."""
    cast = tensor if dtype is None else _as_type(tensor, dtype)
    return tensor.clone() if cast is tensor else cast


def _change_tensors(names, changed):
    names.update({name: changed(value) for name, value in names.items() if isinstance(value, torch.Tensor)})


def _change_state(model, changed):
    """Gives the model changed(tensor) for every tensor of its state; Module.to() leaves attributes and drops imaginary parts."""
    for place in state_places(model):
        made = changed(place.tensor.detach())
        if (made.dtype, made.device) != (place.tensor.dtype, place.tensor.device):
            set_state(place, made)
    for owner in model.modules():
        for name, value in _plain(owner).items():
            if type(value) is tuple:
                owner.__dict__[name] = tuple(changed(t) if isinstance(t, torch.Tensor) else t for t in value)
    return model


def cast_model(model, dtype):
    """Casts every floating tensor of the model's state."""
    return _change_state(model, lambda tensor: _as_type(tensor, dtype))


def _on_device(tensor, device):
    return tensor if tensor.is_meta else tensor.to(device)


def build_skeleton(names, given, mode="train", cast=None, dtype=None, seed=0):
    """The model without values for the state of the names `given`, all else as constructed.

    cast: type to which the user casts the module. dtype: type of all floating tensors; None: each
    has its own."""
    model = None
    try:
        with torch.device("meta"):
            model = build_model(names, mode)
        if constant_tensors(model, given):
            model = None
    except Exception:  # PyTorch 1.13, or a constructor that looks at values
        model = None
    if model is None:
        seed_generators(seed)
        model = build_model(names, mode)
    for one in (cast, dtype):
        if one is not None:
            cast_model(model, one)
    for place in state_places(model):
        if place.kind == "parameter" or place.name in given:
            set_state(place, torch.empty_like(place.tensor, device="meta"))
    return model


def seed_generators(seed):
    """torch.manual_seed(), which takes milliseconds to note the seed for GPUs that were never used."""
    torch.manual_seed(seed) if torch.cuda.is_initialized() else torch.default_generator.manual_seed(seed)


def tensor_hash(tensor):
    """16 hexadecimal digits for a tensor's type, shape and values."""
    dense = tensor.detach().cpu().contiguous()
    described = f"{dense.dtype} {list(dense.shape)} ".encode()
    return hashlib.sha256(described + dense.reshape(-1).view(torch.uint8).numpy().tobytes()).hexdigest()[:16]


def constant_values(axes, lengths):
    """{constant: length}; an axis stands for one constant or for a list of them."""
    made = {}
    for axis, constants in axes.items():
        for constant in [constants] if isinstance(constants, str) else constants:
            made[constant] = int(lengths[axis])
    return made


def rebuilt(template, values):
    """A nested argument: the template of lists, tuples and dictionaries with `values[name]` for each name."""
    if isinstance(template, dict):
        return {key: rebuilt(part, values) for key, part in template.items()}
    if isinstance(template, (list, tuple)):
        return type(template)(rebuilt(part, values) for part in template)
    return values[template]


class ModuleReference:
    """reference(*inputs, **axes): forward() of the module for those axes and inputs, parameters and buffers among them.

    For the meaning of the arguments see module_reference(). dtype: torch.float64 computes everything
    in double precision, whatever types the file names; with any other the module runs as it is
    written, for inputs of the task's types.
    """

    def __init__(self, source, filename, axes=(), inputs=(), parameters=(), constants=(), keywords=(), scalars=(),
                 writes=(), fixed=(), nested=(), mode="train", cast="float32", packed=False, dtype=torch.float64, seed=0):
        self.source, self.filename, self.axes, self.nested = source, filename, dict(axes), dict(nested)
        self.inputs, self.constants, self.keywords = list(inputs), dict(constants), dict(keywords)
        self.parameters = {"parameters": list(parameters.values())} if packed else dict(parameters)
        self.scalars, self.writes, self.fixed = list(scalars), list(writes), dict(fixed)
        self.mode, self.cast = mode, getattr(torch, cast) if cast else None
        self.dtype, self.seed = dtype, seed
        self._default = torch.float32  # type of the file's own tensors
        self._skeletons = {}  # the latest ones by lengths and type
        self._copies = True

    def __call__(self, *tensors, **axes):
        with torch.no_grad():
            return self._answer(tensors, axes, set_state)

    def as_written(self):
        """The same as its users call it, for inputs of the task's types."""
        made = copy.copy(self)
        made.dtype, made._skeletons = torch.float32, {}
        return made

    def formula(self, *tensors, **axes):
        """The same, recorded by autograd."""
        return self._answer(tensors, axes, set_recorded_state)

    def _answer(self, tensors, axes, put):
        if set(axes) != set(self.axes):
            raise TypeError(f"axes are {sorted(axes)}, expected {sorted(self.axes)}")
        try:
            outputs = self._run(tensors, axes, put)
        except (RuntimeError, NotImplementedError):
            if not self._copies:
                raise
            self._copies = False  # a function that the model keeps refers to parts of the original
            outputs = self._run(tensors, axes, put)
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    def _run(self, tensors, axes, put):
        with outside_of_transforms():
            model = self._model(axes)
        exact = self._exact()
        given = [_copied(tensor, exact) for tensor in tensors]
        self._fill(model, given[self._count():], put)
        seed_generators(self.seed)
        with one_float_type(exact) if exact else default_dtype(self._default):
            outputs = tensors_in(self.call(model, given))
        if any(output.device.type == "meta" for output in outputs):
            raise RuntimeError("an output has no values")
        return outputs

    def _exact(self):
        """The one type of everything, or None."""
        return self.dtype if self.dtype is torch.float64 else None

    def _count(self):
        """Number of forward's arguments among the task's inputs; parameters and buffers follow."""
        return len(self.inputs) - len(self.constants)

    def call(self, model, inputs):
        """What forward() of a model that model() made returns for the inputs, which it may change."""
        positional, named = self.arguments(inputs)
        return model(*positional, **named)

    def arguments(self, inputs):
        """forward's arguments, by position and by name: the inputs, and the constants among them."""
        given, values, positional, named = iter(inputs), {}, [], {}
        for name in self.inputs:
            value = self.constants[name] if name in self.constants else next(given)
            values[name] = value.reshape(()) if name in self.scalars else value
        for name, value in self._outermost(values).items():
            if name in self.keywords:
                named[self.keywords[name]] = value
            else:
                positional.append(value)
        return positional, named

    def _outermost(self, values):
        """{argument of forward: value}; nested ones stand at the place of their first part."""
        owner = {name: argument for argument, template in self.nested.items() for _, name in leaves(template)}
        order = dict.fromkeys(owner.get(name, name) for name in values)
        return {name: rebuilt(self.nested[name], values) if name in self.nested else values[name] for name in order}

    def copied(self, inputs):
        """The inputs; of those that forward() changes a copy."""
        names = [name for name in self.inputs if name not in self.constants]
        return [tensor.clone() if name in self.writes else tensor for name, tensor in zip(names, inputs)]

    def model(self, axes, parameters):
        """A new module for those axes with those parameters and buffers, which may be called many times."""
        with torch.no_grad():
            model = self._skeleton(axes, None)
            self._fill(model, parameters)
        return model

    def prepared(self, tensors, axes):
        """The call with these tensors as a function without arguments, of a module that is built once."""
        model = self.model(axes, tensors[self._count():])
        return lambda: self.call(model, self.copied(tensors))

    def refill(self, model, parameters):
        """Other values for the parameters and buffers of a model that model() made."""
        for place, value in self._with_places(model, parameters):
            place.tensor.copy_(value)

    def constant_buffers(self, **axes):
        """{name: tensor as constructed for those axes} of the buffers and attributes that forward() reads and that are
        no inputs of the task, such as a causal mask.

        A kernel may use their values. So an operator is right only for a module that has equal ones."""
        names = load_problem(self.source, self.filename, constant_values(self.axes, axes))
        seed_generators(self.seed)
        with torch.no_grad():
            places = {place.name: place.tensor for place in state_places(build_model(names, self.mode))}
        return {name: places[name].detach() for name in self.fixed}

    def build(self, axes):
        """Builds the model, so that the next call need not."""
        with torch.no_grad():
            self._kept_skeleton(axes)

    def _model(self, axes):
        """A fresh model: forward() may change buffers and attributes of its own copy only."""
        return copy.deepcopy(self._kept_skeleton(axes)) if self._copies else self._skeleton(axes, self._exact())

    def _kept_skeleton(self, axes):
        if not all(type(length) is int for length in axes.values()):
            return self._skeleton(axes, self._exact())  # a compiler's symbolic lengths: no key, and other at each call
        wanted = (tuple(sorted(axes.items())), self._exact())
        if wanted not in self._skeletons:
            if len(self._skeletons) >= MOST_KEPT:
                self._skeletons.pop(next(iter(self._skeletons)))
            self._skeletons[wanted] = self._skeleton(axes, self._exact())
        return self._skeletons[wanted]

    def _skeleton(self, axes, dtype):
        device = torch.empty(0).device  # what the constructor draws is the same on all devices
        with torch.device("cpu") if device.type != "cpu" else contextlib.nullcontext():
            seed_generators(self.seed)
            names = load_problem(self.source, self.filename, constant_values(self.axes, axes))
            if dtype is not None:
                _change_tensors(names, lambda tensor: _as_type(tensor, dtype))
            self._default = names[DEFAULT_DTYPE]
            model = build_skeleton(names, self._names(), self.mode, self.cast, dtype, self.seed)
        if device.type != "cpu":
            _change_tensors(names, lambda tensor: _on_device(tensor, device))
            _change_state(model, lambda tensor: _on_device(tensor, device))
        return model

    def _names(self):
        """Dotted names of the parameters and buffers that are inputs."""
        return [name for names in self.parameters.values() for name in ([names] if isinstance(names, str) else names)]

    def _fill(self, model, tensors, put=set_state):
        for place, value in self._with_places(model, tensors):
            put(place, value.clone())

    def _with_places(self, model, tensors):
        """[(place in the model, its value)]; a list of names shares one flat tensor."""
        places, made = {place.name: place for place in state_places(model)}, []
        if len(tensors) != len(self.parameters):
            raise TypeError(f"{len(tensors)} parameters given, expected {len(self.parameters)}")
        for names, tensor in zip(self.parameters.values(), tensors):
            several = [places[name] for name in ([names] if isinstance(names, str) else names)]
            parts = tensor.reshape(-1).split([place.tensor.numel() for place in several])
            made += [(place, part.reshape(place.tensor.shape)) for place, part in zip(several, parts)]
        return made


def module_reference(names, **described):
    """The reference of a task made from a module.

    names: globals() of reference.py. axes: {axis: constant of the module that it replaces, or a
    list of such constants}.
    inputs: forward's arguments in order. constants: those among them that are no tensors.
    keywords: {input: forward's name for it} of those that are passed by name. scalars: inputs
    without a dimension, which a task keeps as one element. writes: inputs that forward() changes.
    nested: {forward's argument: lists, tuples and dictionaries of names among the inputs}.
    parameters: {tensor: dotted name of a parameter, buffer or attribute}, in the order of the
    signature; a list of names is one flat tensor that holds them all, one after the other.
    fixed: {buffer or attribute that forward() reads and that is no input: tensor_hash() of it at
    the published lengths}, see ModuleReference.constant_buffers().
    mode: inference, or train for the module as constructed. cast: the type to which the module is
    cast, None where it keeps its own types.
    packed: all parameters are one flat tensor (tasks made before lists of names).
    """
    filename = names.get("__file__")
    source = pathlib.Path(filename).read_text(encoding="utf-8") if filename else inspect.getsource(names["Model"])
    source = source.split("\n" + FOOTER)[0]
    return ModuleReference(source, filename or "reference.py", **described)


_CASTS = {torch.Tensor.float, torch.Tensor.half, torch.Tensor.bfloat16, torch.Tensor.double}
_FLOAT_TYPES = re.compile(r"torch\.(cuda\.)?(Float|Half|BFloat16|Double)Tensor")


class OneFloatType(TorchFunctionMode):
    """Within it, operations of PyTorch take every floating or complex type they are told for the one given."""

    def __init__(self, dtype):
        super().__init__()
        self.dtype = dtype

    def __torch_function__(self, function, types, args=(), kwargs=None):
        if function in _CASTS:
            return args[0].to(self.dtype)
        if function is torch.Tensor.type and len(args) > 1 and _FLOAT_TYPES.fullmatch(_type_name(args[1])):
            return args[0].to(self.dtype)
        kwargs = {key: self._replaced(value) for key, value in (kwargs or {}).items()}
        return function(*map(self._replaced, args), **kwargs)

    def _replaced(self, value):
        if isinstance(value, torch.dtype) and value.is_floating_point:
            return self.dtype
        return _COMPLEX.get(self.dtype, torch.complex64) if isinstance(value, torch.dtype) and value.is_complex else value


def _type_name(value):
    """torch.FloatTensor for the class and for its name."""
    return value if isinstance(value, str) else f"{getattr(value, '__module__', '')}.{getattr(value, '__name__', '')}"


@contextlib.contextmanager
def one_float_type(dtype):
    """Computes in one floating type, whatever types the code names."""
    with default_dtype(dtype), OneFloatType(dtype):
        yield


class FunctionReference:
    """reference(*inputs, **axes): what a function of tensors returns, in the order of the outputs.

    arguments: names in order. constants: values of those that are no tensors. dtype: the one
    floating type of all operations, or None to run the function as it is written.
    """

    def __init__(self, function, arguments, constants, outputs, dtype=torch.float64):
        self.function, self.arguments = function, list(arguments)
        self.constants, self.outputs, self.dtype = dict(constants), list(outputs), dtype
        self.otherwise = None

    def __call__(self, *tensors, **axes):
        with torch.no_grad():
            return self.formula(*tensors, **axes)

    def as_written(self):
        """The same in its own types; in single precision where this PyTorch lacks an operation of a half type."""
        made, single = copy.copy(self), copy.copy(self)
        made.dtype, made.otherwise = None, single
        single.dtype = torch.float32
        return made

    def formula(self, *tensors, **axes):
        """The same, recorded by autograd."""
        given = iter(tensors)
        arguments = [self.constants[name] if name in self.constants else next(given) for name in self.arguments]
        results = self._results(arguments)
        if isinstance(results, dict):
            results = [results[name] for name in self.outputs]
        results = results if isinstance(results, (tuple, list)) else [results]
        results = [torch.as_tensor(r) for r in results]
        return results[0] if len(results) == 1 else tuple(results)

    def prepared(self, tensors, axes):
        """The call with these tensors as a function without arguments."""
        return lambda: self(*tensors, **axes)

    def _results(self, arguments):
        if self.dtype is None:
            try:
                return self.function(*arguments)
            except RuntimeError:
                if self.otherwise is None:
                    raise
                return self.otherwise._results([_as_type(one, torch.float32) if torch.is_tensor(one) else one
                                                for one in arguments])
        with one_float_type(self.dtype):
            return self.function(*arguments)


def function_reference(function, arguments, outputs, constants=()):
    """The reference of a task made from a function; see FunctionReference."""
    return FunctionReference(function, arguments, dict(constants), outputs)
