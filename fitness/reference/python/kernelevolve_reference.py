"""Runs a PyTorch module, or a function of tensors, as the reference of a task.

A task that was made from a module ends its reference.py with a call of module_reference(). The
answer is a function of tensors and axes that builds the module for those axes, gives it the
parameters among the tensors, and returns what forward() returns. No call sees what another left.

A task that was made from a function ends it with a call of function_reference(): every floating
type that the function names is float64 then, so that its casts round nothing.

Works with PyTorch 1.13 and later. Stands alone: reference.py needs this file and torch only.
"""

import ast
import contextlib
import copy
import inspect
import operator
import pathlib
import sys
import types

import torch
from torch.overrides import TorchFunctionMode

FOOTER = "# --- below: added by kernelevolve import ---"

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
        elif isinstance(target, ast.Tuple) and isinstance(statement.value, ast.Tuple):
            if len(target.elts) != len(statement.value.elts):
                return None
            made += [(t.id, v) for t, v in zip(target.elts, statement.value.elts)
                     if isinstance(t, ast.Name)]
            if not all(isinstance(t, ast.Name) for t in target.elts):
                return None
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


def with_constants(source, values):
    """The syntax tree of the source with other values of its integer constants."""
    tree = ast.parse(source)
    body = []
    for statement in tree.body:
        parts = _assignments(statement)
        if parts is None:
            body.append(statement)
            continue
        for name, value in parts:
            assign = ast.Assign(targets=[ast.Name(id=name, ctx=ast.Store())],
                                value=_replaced(name, value, values))
            body.append(ast.copy_location(assign, statement))
    tree.body = body
    return ast.fix_missing_locations(tree)


def load_problem(source, filename, values, name="kernelevolve_problem"):
    """Executes the source with other values of its constants; answers its names."""
    module = types.ModuleType(name)
    module.__file__ = filename
    sys.modules[name] = module
    exec(compile(with_constants(source, values), filename, "exec"), module.__dict__)
    return module.__dict__


@contextlib.contextmanager
def default_dtype(dtype):
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        yield
    finally:
        torch.set_default_dtype(before)


def build_model(names):
    given = names["get_init_inputs"]() if "get_init_inputs" in names else []
    if isinstance(given, dict):
        return names["Model"](**given)
    return names["Model"](*given)


def tensors_in(value):
    """The tensors of a nested result, in order."""
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [tensor for part in value for tensor in tensors_in(part)]
    return []


def parameter_places(model):
    """[(dotted name, parameter, [(owner, attribute), ...])]; a shared parameter is one entry."""
    places = {}
    for prefix, owner in model.named_modules():
        for leaf, parameter in owner._parameters.items():
            if parameter is None:
                continue
            name = f"{prefix}.{leaf}" if prefix else leaf
            places.setdefault(id(parameter), (name, parameter, []))[2].append((owner, leaf))
    return list(places.values())


def set_parameter(places, tensor):
    parameter = torch.nn.Parameter(tensor, requires_grad=False)
    for owner, leaf in places:
        setattr(owner, leaf, parameter)


def constant_tensors(model):
    """Buffers, and tensors that modules keep as plain attributes."""
    found = list(model.buffers())
    for owner in model.modules():
        plain = {k: v for k, v in owner.__dict__.items() if k not in ("_parameters", "_buffers", "_modules")}
        found += [t for t in tensors_in(plain) if not isinstance(t, torch.nn.Parameter)]
    return found


def build_skeleton(names, dtype, seed=0):
    """The model with parameters that have shapes and no values, all else as constructed."""
    with default_dtype(dtype):
        try:
            with torch.device("meta"):
                model = build_model(names)
            if not constant_tensors(model):
                return model
        except Exception:  # PyTorch 1.13, or a constructor that looks at values
            pass
        torch.manual_seed(seed)
        model = build_model(names).to(dtype)
    for _, parameter, places in parameter_places(model):
        set_parameter(places, torch.empty_like(parameter, device="meta"))
    return model


def constant_values(axes, lengths):
    """{constant: length}; an axis stands for one constant or for a list of them."""
    made = {}
    for axis, constants in axes.items():
        for constant in [constants] if isinstance(constants, str) else constants:
            made[constant] = int(lengths[axis])
    return made


class ModuleReference:
    """reference(*inputs, **axes): forward() of the module for those axes, inputs and parameters."""

    def __init__(self, source, filename, axes, inputs, parameters, constants, packed,
                 dtype=torch.float64, seed=0):
        self.source, self.filename, self.axes = source, filename, dict(axes)
        self.inputs, self.parameters = list(inputs), dict(parameters)
        self.constants, self.packed = dict(constants), packed
        self.dtype, self.seed = dtype, seed
        self._built = (None, None)
        self._copies = True

    def __call__(self, *tensors, **axes):
        if set(axes) != set(self.axes):
            raise TypeError(f"axes are {sorted(axes)}, expected {sorted(self.axes)}")
        with torch.no_grad(), default_dtype(self.dtype):
            try:
                outputs = self._run(tensors, axes)
            except (RuntimeError, NotImplementedError):
                if not self._copies:
                    raise
                self._copies = False  # a function that the model keeps refers to parts of the original
                outputs = self._run(tensors, axes)
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    def _run(self, tensors, axes):
        model = self._model(axes)
        given = [tensor.clone() for tensor in tensors]
        count = len(self.inputs) - len(self.constants)
        self._fill(model, given[count:])
        torch.manual_seed(self.seed)
        outputs = tensors_in(model(*self.arguments(given[:count])))
        if any(output.device.type == "meta" for output in outputs):
            raise RuntimeError("an output has no values")
        return outputs

    def model(self, axes, parameters, dtype):
        """A new module for those axes with those parameters, which may be called many times."""
        with torch.no_grad(), default_dtype(dtype):
            model = self._skeleton(axes, dtype)
            self._fill(model, [parameter.clone() for parameter in parameters])
        return model

    def refill(self, model, parameters):
        """Other values for the parameters of a model that model() made."""
        places = {name: (parameter, where) for name, parameter, where in parameter_places(model)}
        given = self._unpacked(places, parameters[0]) if self.packed else parameters
        for dotted, value in zip(self.parameters.values(), given):
            places[dotted][0].copy_(value)

    def arguments(self, inputs):
        """forward's arguments: the inputs, and the constants among them."""
        given = iter(inputs)
        return [self.constants[name] if name in self.constants else next(given) for name in self.inputs]

    def build(self, axes):
        """Builds the model, so that the next call need not."""
        self._model(axes)

    def _model(self, axes):
        """A fresh model: forward() may change buffers and attributes of its own copy only."""
        if self._built[0] != axes or not self._copies:
            self._built = (dict(axes), self._skeleton(axes, self.dtype))
        return copy.deepcopy(self._built[1]) if self._copies else self._built[1]

    def _skeleton(self, axes, dtype):
        names = load_problem(self.source, self.filename, constant_values(self.axes, axes))
        return build_skeleton(names, dtype, self.seed)

    def _fill(self, model, tensors):
        places = {name: (parameter, where) for name, parameter, where in parameter_places(model)}
        if self.packed:
            tensors = self._unpacked(places, tensors[0])
        if len(tensors) != len(self.parameters):
            raise TypeError(f"{len(tensors)} parameters given, expected {len(self.parameters)}")
        for dotted, tensor in zip(self.parameters.values(), tensors):
            set_parameter(places[dotted][1], tensor.clone())

    def _unpacked(self, places, flat):
        shapes = [places[dotted][0].shape for dotted in self.parameters.values()]
        parts = flat.split([shape.numel() for shape in shapes])
        return [part.reshape(shape) for part, shape in zip(parts, shapes)]


def module_reference(names, axes=(), inputs=(), parameters=(), constants=(), packed=False):
    """The reference of a task made from a module.

    names: globals() of reference.py. axes: {axis: constant of the module that it replaces, or a
    list of such constants}.
    inputs: forward's arguments in order. constants: those among them that are no tensors.
    parameters: {tensor: dotted name}, in the order of the signature; packed: one flat tensor
    holds them all, one after the other.
    """
    filename = names.get("__file__")
    source = pathlib.Path(filename).read_text(encoding="utf-8") if filename else inspect.getsource(names["Model"])
    source = source.split("\n" + FOOTER)[0]
    return ModuleReference(source, filename or "reference.py", axes, inputs, parameters, constants, packed)


_CASTS = {torch.Tensor.float, torch.Tensor.half, torch.Tensor.bfloat16, torch.Tensor.double}


class OneFloatType(TorchFunctionMode):
    """Within it, operations of PyTorch take every floating type they are told for the one given."""

    def __init__(self, dtype):
        super().__init__()
        self.dtype = dtype

    def __torch_function__(self, function, types, args=(), kwargs=None):
        if function in _CASTS:
            return args[0].to(self.dtype)
        kwargs = {key: self._replaced(value) for key, value in (kwargs or {}).items()}
        return function(*map(self._replaced, args), **kwargs)

    def _replaced(self, value):
        return self.dtype if isinstance(value, torch.dtype) and value.is_floating_point else value


class FunctionReference:
    """reference(*inputs, **axes): what a function of tensors returns, in the order of the outputs.

    arguments: names in order. constants: values of those that are no tensors. dtype: the one
    floating type of all operations, or None to run the function as it is written.
    """

    def __init__(self, function, arguments, constants, outputs, dtype=torch.float64):
        self.function, self.arguments = function, list(arguments)
        self.constants, self.outputs, self.dtype = dict(constants), list(outputs), dtype

    def __call__(self, *tensors, **axes):
        given = iter(tensors)
        arguments = [self.constants[name] if name in self.constants else next(given) for name in self.arguments]
        with torch.no_grad():
            results = self._results(arguments)
        if isinstance(results, dict):
            results = [results[name] for name in self.outputs]
        results = results if isinstance(results, (tuple, list)) else [results]
        results = [torch.as_tensor(r) for r in results]
        return results[0] if len(results) == 1 else tuple(results)

    def _results(self, arguments):
        if self.dtype is None:
            return self.function(*arguments)
        with default_dtype(self.dtype), OneFloatType(self.dtype):
            return self.function(*arguments)


def function_reference(function, arguments, outputs, constants=()):
    """The reference of a task made from a function; see FunctionReference."""
    return FunctionReference(function, arguments, dict(constants), outputs)
