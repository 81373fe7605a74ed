"""Writes operations of a graph as idiomatic Python."""

import operator
import re
import types

import torch
import torch.nn.functional as F

from groups import operation
from import_tasks import free_name

# Operations whose integers are lengths, although their schemas do not say so.
LENGTH_FACTORIES = {"arange", "tril_indices", "triu_indices"}


def local_name(name, taken):
    """Returns the name, with a number if it is taken, and adds it to `taken`."""
    made = free_name(name, taken)
    taken.add(made)
    return made


def _function(node):
    """(text before the arguments, whether the first argument precedes it as an object)."""
    name = operation(node)
    if name in ("view", "_unsafe_view") and node.target._overloadname == "default":
        return "torch.reshape", False  # an operator's output is dense where the original's may not have been
    builtin = getattr(torch._C._VariableFunctions, name, None)
    if builtin is not None and getattr(torch, name, None) is builtin:
        return f"torch.{name}", False
    builtin = getattr(torch._C._nn, name, None)
    if builtin is not None and getattr(F, name, None) is builtin:
        return f"F.{name}", False
    method = getattr(torch.Tensor, name, None)
    if (isinstance(method, types.MethodDescriptorType) or name == "split") and isinstance(node.args[0], torch.fx.Node):
        return name, True
    return f"torch.ops.aten.{name}.{node.target._overloadname}", False


class Writer:
    """names: {node: text}. length: function from an integer length and its position in a list to
    its text. devices: whether operations that make tensors name their device."""

    def __init__(self, names, length=None, devices=True):
        self.names, self.devices = names, devices
        self.length = length or (lambda value, place: str(value))

    def line(self, node):
        return f"{self.names[node]} = {self._call(node)}"

    def _call(self, node):
        if node.target is operator.getitem:
            return f"{self.names[node.args[0]]}[{node.args[1]}]"
        schema = node.target._schema.arguments
        given = [self._text(value, self._is_length(node, one)) for value, one in zip(node.args, schema)]
        while given and len(given) > 1 and self._is_default(node.args[len(given) - 1], schema[len(given) - 1]):
            given.pop()
        named = {one.name: one for one in schema}
        given += [f"{key}={self._text(value, self._is_length(node, named[key]))}" for key, value in node.kwargs.items()
                  if self._is_said(key, value)]
        function, method = _function(node)
        if method:
            return f"{given[0]}.{function}({', '.join(given[1:])})"
        return f"{function}({', '.join(given)})"

    @staticmethod
    def _is_default(value, argument):
        return argument.has_default_value() and type(value) is type(argument.default_value) and \
            not isinstance(value, torch.fx.Node) and value == argument.default_value

    def _is_said(self, key, value):
        if key == "device" and not self.devices:
            return False
        usual = (key == "pin_memory" and not value) or (key == "layout" and value is torch.strided)
        return value is not None and not usual

    @staticmethod
    def _is_length(node, argument):
        """True for SymInt, the type of lengths and positions in schemas; other integers are int."""
        lengths = re.findall(r"SymInt\S* (\w+)", str(node.target._schema))
        places = ("index", "start", "step", "storage_offset")
        return operation(node) in LENGTH_FACTORIES or (argument.name in lengths and argument.name not in places)

    def _text(self, value, is_length, place=0):
        if isinstance(value, torch.fx.Node):
            return self.names[value]
        if isinstance(value, (list, tuple)):
            return f"[{', '.join(self._text(one, is_length, i) for i, one in enumerate(value))}]"
        if is_length and type(value) is int:
            return self.length(value, place)
        if isinstance(value, torch.device):
            return f'torch.device("{value}")'
        if isinstance(value, float) and value != value or value in (float("inf"), float("-inf")):
            return f'float("{value}")'
        return repr(value)


def function_text(nodes, takes, gives):
    """Function of a group's inputs that returns a tuple of its outputs."""
    names = {node: f"v{i}" for i, node in enumerate([*takes, *nodes])}
    lines = [Writer(names).line(node) for node in nodes]
    return "\n    ".join([f"def group({', '.join(names[node] for node in takes)}):", *lines,
                          f"return {', '.join(names[node] for node in gives)},"]) + "\n"


def group_function(nodes, takes, gives):
    scope = {"torch": torch, "F": F}
    exec(compile(function_text(nodes, takes, gives), "group", "exec"), scope)
    return scope["group"]


class _Text:
    def __init__(self, text):
        self.text = text

    def __repr__(self):
        return self.text


def _attribute(model, name):
    """Text such as self.layers[0].weight."""
    text, owner = "self", model
    for part in name.split("."):
        listed = isinstance(owner, (torch.nn.ModuleList, torch.nn.Sequential)) and part.isdigit()
        other = f"[{part}]" if listed else f".{part}"
        text = text + other if listed or part.isidentifier() else f'getattr({text}, "{part}")'
        owner = getattr(owner, part)
    return text


def _scheduled(steps):
    """Orders steps [(nodes it makes, values it takes, line)] after the steps whose values they
    take."""
    makers = {node: step for step, (made, _, _) in enumerate(steps) for node in made}
    done, order = set(), []
    for first in range(len(steps)):
        waiting = [first]
        while waiting:
            step = waiting[-1]
            before = [makers[node] for node in steps[step][1] if node in makers and makers[node] not in done]
            if before and step not in done:
                waiting += before[:1]
                continue
            waiting.pop()
            if step not in done:
                done.add(step)
                order.append(steps[step][2])
    return order


def forward_text(traced, calls):
    """The model's forward() with calls in place of groups.

    calls: [(replaced nodes, taken values, given values, a function of their texts)]."""
    taken, names = {"self", "torch", "F", *traced.arguments}, {}
    for node, place in traced.places.items():
        texts = {"input": place.name, "constant": f'constants["{place.name}"]'}
        names[node] = texts.get(place.kind) or _attribute(traced.model, place.name)
    for node in traced.nodes:
        names[node] = local_name(node.name, taken)
    replaced, steps = {}, []
    for call in calls:
        replaced.update({node: call for node in call[0]})
    for node in traced.nodes:
        if node not in replaced:
            steps.append(([node], node.all_input_nodes, Writer(names).line(node)))
        elif node is replaced[node][0][0]:
            _, takes, gives, text = replaced[node]
            line = f"{', '.join(names[one] for one in gives)} = {text([names[one] for one in takes])}"
            steps.append((gives, takes, line))
    answer = repr(torch.utils._pytree.tree_map(lambda node: _Text(names.get(node, repr(node))), traced.outputs))
    head = f"def forward({', '.join(['self', *traced.arguments])}):"
    return "\n    ".join([head, *_scheduled(steps), f"return {answer}"]) + "\n"
