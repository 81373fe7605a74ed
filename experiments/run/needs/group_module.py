"""Writes a group of a graph as a separate module for `kernelevolve import module`."""

import dataclasses

import torch

from groups import VIEWS, gives, operation, takes
from traced_model import shape_of
from write_graph import LENGTH_FACTORIES, Writer, local_name

MOST_FIXED = 64  # elements of a constant that is written out
# Lookup operations: (position of the table, position of the indices) among the arguments.
LOOKUPS = {"embedding": (0, 1), "embedding_bag": (0, 1), "index_select": (0, 2), "gather": (0, 2), "index": (0, 1)}


STATE = ("buffer", "constant")  # kinds of a Take that are tensors of the model, but no parameters


def _type_text(tensor):
    return "" if tensor.dtype == torch.float32 else f", dtype={tensor.dtype}"


def _written_out(tensor):
    """Text of a constant; within a tuple it stays one, where the importer takes another tensor for an input."""
    numbers = repr(tensor.tolist()).replace("inf", 'float("inf")').replace("nan", 'float("nan")')
    return f"torch.tensor({numbers}, dtype={tensor.dtype})"


@dataclasses.dataclass
class Take:
    """An input of a group."""
    node: object
    argument: str  # of the module's forward, or its parameter
    kind: str  # input, parameter, buffer, constant, value (of another group) or fixed (written out)
    source: str  # argument of the model's forward, qualified name, or node
    high: int = 0  # one past the largest integer


def base_of(node):
    """The value below a chain of views."""
    while node.op == "call_function" and operation(node) in VIEWS and node.all_input_nodes:
        node = node.all_input_nodes[0]
    return node


class GroupModule:
    """The module of a group. values: {node: tensor} of the group's inputs."""

    def __init__(self, traced, nodes, values):
        self.traced, self.nodes, self.values = traced, nodes, values
        self.gives = gives(nodes, traced.results())
        self.names = set("self torch nn F Model batch constants".split())
        self.takes = self._takes()
        self.lengths = self._lengths()  # {integer: name of a constant}

    def of(self, *kinds):
        return [take for take in self.takes if take.kind in kinds]

    def given(self):
        """The task's inputs: forward's arguments, then parameters, then buffers."""
        return self.arguments() + self.of("parameter") + self.buffers()

    def arguments(self):
        """What flows into the group; also constants that the importer would not take for inputs."""
        return self.of("input", "value") + [take for take in self.of(*STATE) if not self._is_finite(take)]

    def buffers(self):
        return [take for take in self.of(*STATE) if self._is_finite(take)]

    def _is_finite(self, take):
        return not self.values[take.node].is_complex() and bool(torch.isfinite(self.values[take.node]).all())

    def signature(self):
        """Key that is equal for groups with equal operations, shapes and types."""
        names = {node: f"v{i}" for i, node in enumerate([*[t.node for t in self.takes], *self.nodes])}
        kinds = {"input": "value", **dict.fromkeys(STATE, "state")}
        described = [(kinds.get(take.kind, take.kind), str(self.values[take.node].dtype), shape_of(take.node),
                      self.values[take.node].tolist() if take.kind == "fixed" else None) for take in self.takes]
        return repr((described, [Writer(names).line(node) for node in self.nodes], [names[n] for n in self.gives]))

    def operations(self):
        return [operation(node) for node in self.nodes if operation(node) not in VIEWS]

    def _takes(self):
        made, values = [], 0
        several = sum(self._kind(node) == "value" for node in takes(self.nodes)) > 1
        for node in takes(self.nodes):
            kind, place = self._kind(node), self.traced.places.get(node)
            values += kind == "value"
            name = {"value": f"x{values}" if several else "x", "parameter": self._parameter_name(node)}.get(kind)
            name = local_name(name or place.name.replace(".", "_"), self.names)
            made.append(Take(node, name, kind, place.name if place else node.name))
        for take in made:
            take.high = self._high(take)
        return made

    def _kind(self, node):
        place = self.traced.places.get(node)
        if place is None:
            return "value"
        small = place.fixed and place.value.numel() <= MOST_FIXED
        return "fixed" if small else place.kind

    def _parameter_name(self, node):
        """Name such as linear_weight, from the first operation that takes the parameter."""
        user = next(one for one in self.nodes if node in one.all_input_nodes)
        schema = user.target._schema.arguments if operation(user) != "getitem" else []
        name = next((one.name for one, value in zip(schema, user.args) if value is node), "self")
        place = self.traced.places.get(node)
        return f"{operation(user)}_{name}" if name != "self" else place.name.rpartition(".")[2] if place else "x"

    def _high(self, take):
        value = self.values[take.node]
        if value.is_floating_point() or value.dtype == torch.bool or value.numel() == 0:
            return 0
        place = self.traced.places.get(take.node)
        looked_up = [length for node in self.nodes for length, index in self._lookups(node)
                     if base_of(index) is take.node]
        if place is not None and place.high:
            return place.high
        return min(looked_up) if looked_up else int(value.max()) + 1

    @staticmethod
    def _lookups(node):
        """[(length of the looked-up dimension, node of the indices)]."""
        name = operation(node)
        if name not in LOOKUPS:
            return []
        table, index = (node.args[place] for place in LOOKUPS[name])
        shape = shape_of(table)
        if name == "index":
            return [(shape[i], one) for i, one in enumerate(index) if one is not None]
        return [(shape[node.args[1] if name in ("index_select", "gather") else 0], index)]

    def _literals(self):
        """Lengths that must stay fixed: those of tables whose indices were computed for this
        length."""
        found = set()
        for node in self.nodes:
            for length, index in self._lookups(node):
                take = next((one for one in self.takes if one.node is base_of(index)), None)
                follows = take.high == length if take else self._is_made(index)
                if not follows:
                    found.add(length)
        return found

    def _is_made(self, node):
        """True if a value comes only from operations that make indices from lengths."""
        if node.op != "call_function" or node not in self.nodes:
            return False
        if not node.all_input_nodes:
            return operation(node) in LENGTH_FACTORIES
        return all(self._is_made(one) for one in node.all_input_nodes)

    def _batch(self):
        return next((value.shape[0] for value in self.traced.inputs if torch.is_tensor(value) and value.dim()), 0)

    def _lengths(self):
        made, literals = {}, self._literals()
        for take in self.takes:
            for i, length in enumerate(shape_of(take.node) if take.kind != "fixed" else ()):
                if length < 2 or length in literals or length in made or self._is_batches(take, i, length):
                    continue
                name = "batch" if length == self._batch() else f"{take.argument}_{i}".lower()
                made[length] = name if name == "batch" else local_name(name, self.names)
        return made

    def _is_batches(self, take, dimension, length):
        """True if a length is a multiple of the batch, and another value gives the batch."""
        batch = self._batch()
        told = any(shape_of(one.node)[:1] == (batch,) for one in self.takes if one.kind in ("input", "value"))
        return dimension == 0 and take.kind in ("input", "value") and batch > 1 and told and length > batch \
            and length % batch == 0

    def _length(self, value, place):
        """Text of a length among an operation's arguments. Replaces the batch only in the first
        position; elsewhere an equal number is more likely another length."""
        batch = self._batch()
        if value in self.lengths and (value != batch or place == 0):
            return self.lengths[value]
        if place == 0 and batch > 1 and batch in self.lengths and value > batch and value % batch == 0:
            rest = value // batch
            return f"{self.lengths[batch]} * {self.lengths.get(rest, rest)}"
        return str(value)

    def _shape(self, take):
        texts = [self.lengths.get(length, str(length)) for length in shape_of(take.node)]
        if texts and self._is_batches(take, 0, shape_of(take.node)[0]):
            texts[0] = self._length(shape_of(take.node)[0], 0)
        return ", ".join(texts)

    def _drawn(self, take):
        value, shape = self.values[take.node], self._shape(take)
        if value.dtype == torch.bool:
            return f"torch.randint(0, 2, ({shape},)).bool()"
        if not value.is_floating_point():
            high = self.lengths.get(take.high, take.high)
            type_ = "" if value.dtype == torch.int64 else f", dtype={value.dtype}"
            return f"torch.randint(0, {high}, ({shape},){type_})"
        positive = value.numel() and float(value.min()) >= 0
        return f"torch.{'rand' if positive else 'randn'}({shape}{_type_text(value)})"

    def _initial(self, take):
        """Values like those of a parameter or buffer."""
        if not self.values[take.node].is_floating_point():
            return self._drawn(take)
        value, shape, type_ = self.values[take.node].double(), self._shape(take), _type_text(self.values[take.node])
        low, high = float(value.min()), float(value.max())
        if low == high:
            return {0.0: f"torch.zeros({shape}{type_})", 1.0: f"torch.ones({shape}{type_})"}.get(
                low, f"torch.full(({shape},), {low!r}{type_})")
        if low >= 0:
            return f"{2 * float(value.mean()):.2g} * torch.rand({shape}{type_})"
        deviation = float(value.std()) if value.numel() > 1 else abs(low)
        return f"{deviation:.2g} * torch.randn({shape}{type_})"

    def text(self, title):
        """Text of the module's file."""
        inputs, buffers = self.arguments(), self.buffers()
        names = {take.node: take.argument for take in inputs}
        names.update({take.node: f"self.{take.argument}" for take in self.of("parameter") + buffers})
        names.update({take.node: f"self.{take.argument}[0]" for take in self.of("fixed")})
        names.update({node: local_name(operation(node) if operation(node) != "getitem" else "part", self.names)
                      for node in self.nodes})
        writer = Writer(names, self._length, devices=False)
        init = ["super().__init__()"]
        init += [f"self.{t.argument} = nn.Parameter({self._initial(t)})" for t in self.of("parameter")]
        init += [f'self.register_buffer("{t.argument}", {self._initial(t)})' for t in buffers]
        init += [f"self.{t.argument} = ({_written_out(self.values[t.node])},)" for t in self.of("fixed")]
        body = [writer.line(node) for node in self.nodes] + ["return " + ", ".join(names[n] for n in self.gives)]
        indent = "\n        "
        return (f'"""{title}"""\nimport torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n\n'
                + "".join(f"{name} = {length}\n" for length, name in self.lengths.items())
                + f"\n\nclass Model(nn.Module):\n    def __init__(self):{indent}" + indent.join(init)
                + f"\n\n    def forward({', '.join(['self', *[t.argument for t in inputs]])}):{indent}"
                + indent.join(body)
                + "\n\n\ndef get_inputs():\n    return [" + ", ".join(map(self._drawn, inputs))
                + "]\n\n\ndef get_init_inputs():\n    return []\n")
