"""What get_inputs() gives to forward() and what forward() returns: names, order, and what is no tensor."""

import dataclasses
import inspect

import torch

from kernelevolve_reference import leaves, rebuilt
from module_integers import Ranges
from task_file import Refused

_SEVERAL = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


@dataclasses.dataclass
class Arguments:
    """forward's arguments in order; of nested ones each tensor by itself."""
    names: list
    values: list
    keywords: dict  # {name: forward's own name} of those that are passed by name
    defaults: dict  # {name: value} of those that get_inputs() leaves out
    nested: dict = dataclasses.field(default_factory=dict)  # {argument: lists, tuples and dictionaries of names}

    def positional(self):
        return [value for name, value in self._outermost() if name not in self.keywords]

    def named(self):
        return {self.keywords[name]: value for name, value in self._outermost() if name in self.keywords}

    def _outermost(self):
        values = dict(zip(self.names, self.values))
        owner = {name: argument for argument, template in self.nested.items() for _, name in leaves(template)}
        return [(name, rebuilt(self.nested[name], values) if name in self.nested else values[name])
                for name in dict.fromkeys(owner.get(name, name) for name in self.names)]

    def call(self, model):
        return model(*self.positional(), **self.named())

    def with_values(self, values):
        return dataclasses.replace(self, values=list(values))


def drawn_arguments(model, get_inputs):
    """(Arguments that get_inputs() gives, {name: [low, high) of its integers, as far as it is known how they were drawn})."""
    ranges = Ranges()
    with ranges:
        drawn = arguments_of(model, get_inputs())
    known = {name: ranges.of(value) for name, value in zip(drawn.names, drawn.values) if torch.is_tensor(value)}
    return drawn, {name: bounds for name, bounds in known.items() if bounds}


def arguments_of(model, drawn):
    """The Arguments that get_inputs() gives: a list in order, a dictionary by name, or one bare tensor."""
    signature = inspect.signature(model.forward)
    if isinstance(drawn, dict):
        positional, named = (), drawn
    else:
        positional, named = _in_order(signature, drawn)
    try:
        bound = signature.bind(*positional, **named)
    except TypeError as error:
        raise Refused(f"get_inputs() gives {_given(positional, named)}, and forward takes {_taken(signature)}: {error}") from None
    made = Arguments([], [], {}, {})
    for name, value in bound.arguments.items():
        _add(made, name, value, signature.parameters[name].kind, name in named)
    for name, parameter in signature.parameters.items():
        if name not in bound.arguments and parameter.kind not in _SEVERAL:
            made.defaults[name] = parameter.default
    return made


def _in_order(signature, drawn):
    """(values by position, values by name): those beyond the positional arguments go to the keyword-only ones."""
    if isinstance(drawn, torch.Tensor):
        drawn = [drawn]
    if not isinstance(drawn, (list, tuple)):
        raise Refused(f"get_inputs() gives a {type(drawn).__name__}, expected a list of forward's arguments, a dictionary "
                      "with their names, or one tensor")
    parameters = list(signature.parameters.values())
    if any(one.kind is inspect.Parameter.VAR_POSITIONAL for one in parameters):
        return drawn, {}
    count = sum(one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD) for one in parameters)
    only_named = [one.name for one in parameters if one.kind is one.KEYWORD_ONLY]
    if len(drawn) > count + len(only_named):
        return drawn, {}
    return drawn[:count], dict(zip(only_named, drawn[count:]))


def _add(made, name, value, kind, by_name):
    if kind is inspect.Parameter.VAR_POSITIONAL:
        parts = {f"{name}{i}": one for i, one in enumerate(value)}
    else:
        parts = value if kind is inspect.Parameter.VAR_KEYWORD else {name: value}
        if by_name or kind in (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.KEYWORD_ONLY):
            made.keywords.update({one: one for one in parts})
    for one, part in parts.items():
        _add_parts(made, one, part)


def _add_parts(made, name, value):
    if not _holds_tensors(value):
        made.names.append(name)
        made.values.append(value)
        return
    template = {}
    for path, part in leaves(value):
        template[path] = "_".join([name, *map(str, path)]) if any(isinstance(k, str) for k in path) else \
            name + "_".join(map(str, path))
        made.names.append(template[path])
        made.values.append(part)
    made.nested[name] = _named(value, template)


def _holds_tensors(value):
    """True for a list, tuple or dictionary that holds a tensor at some depth."""
    return type(value) in (list, tuple, dict) and any(isinstance(leaf, torch.Tensor) for _, leaf in leaves(value))


def _named(value, names, path=()):
    """The same lists, tuples and dictionaries with names for what they hold."""
    if type(value) is dict:
        return {key: _named(part, names, (*path, key)) for key, part in value.items()}
    if type(value) in (list, tuple):
        return type(value)(_named(part, names, (*path, i)) for i, part in enumerate(value))
    return names[path]


def _given(positional, named):
    if named:
        return ", ".join(f"'{name}'" for name in named)
    return f"{len(positional)} value{'s' * (len(positional) != 1)}"


def _taken(signature):
    return f"({', '.join(map(str, signature.parameters.values()))})"


@dataclasses.dataclass
class Results:
    """What forward() returned."""
    names: list  # of its tensors
    tensors: list
    dropped: dict  # {place: value} of all else, such as `[1]`


def results_of(returned):
    """Keys of dictionaries and fields are names of outputs; without any they are out, or out0, out1 ..."""
    found = list(leaves(returned))
    paths = [path for path, leaf in found if isinstance(leaf, torch.Tensor)]
    tensors = [leaf for _, leaf in found if isinstance(leaf, torch.Tensor)]
    dropped = {_place(path): leaf for path, leaf in found if not isinstance(leaf, torch.Tensor)}
    return Results(_names(paths), tensors, dropped)


def _names(paths):
    if len(paths) == 1 and all(isinstance(key, int) for key in paths[0]):
        return ["out"]
    if all(len(path) == 1 and isinstance(path[0], int) for path in paths):
        return [f"out{i}" for i in range(len(paths))]
    return [("out" if isinstance(path[0], int) else "") + "_".join(map(str, path)) for path in paths]


def _place(path):
    return "".join(f"[{key!r}]" for key in path) or "result"
