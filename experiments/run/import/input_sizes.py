"""Lengths of a module's inputs as quantities that may vary, beside the constants of its file.

The name of one is `x.shape[0]`: dimension 0 of forward's argument x. Where it has a value other
than that of get_inputs(), the input is cut, or repeated from its beginning."""

import itertools
import re

import torch

_NAME = re.compile(r"(\w+)\.shape\[(\d+)\]")
MOST_SETS = 200  # of lengths that are tried together


def size_name(argument, dimension):
    return f"{argument}.shape[{dimension}]"


def place_of(name):
    """(argument, dimension), or None for a constant of the module."""
    found = _NAME.fullmatch(name)
    return (found[1], int(found[2])) if found else None


def input_sizes(tensors):
    """{name: length} of all dimensions of the inputs, dimension 0 of each input first."""
    inputs = [t for t in tensors if t.role == "input"]
    named = [(d, size_name(t.name, d), length) for t in inputs for d, length in enumerate(t.shape)]
    return {name: length for _, name, length in sorted(named, key=lambda one: one[0])}


def _with_length(tensor, dimension, length):
    places = torch.arange(length, device=tensor.device) % tensor.shape[dimension]
    return tensor.index_select(dimension, places)


def resized(arguments, given, values):
    """The arguments of forward with those of the sizes that `values` names."""
    made = list(given)
    for name, length in values.items():
        place = place_of(name)
        if place is None:
            continue
        index = arguments.index(place[0])
        if made[index].shape[place[1]] != length:
            made[index] = _with_length(made[index], place[1], length)
    return made


def _aligned(first, others, ranks):
    """The same dimension of several inputs, counted from the front and from the back."""
    argument, dimension = place_of(first)
    front = [name for name in others if place_of(name)[1] == dimension]
    back = [name for name in others if place_of(name)[1] - ranks[place_of(name)[0]] == dimension - ranks[argument]]
    return [list(names) for names in (front, back) if len(names) > 1]


def sets_to_try(first, others, ranks):
    """Sets of sizes that may have to vary together with `first`: pairs, one dimension of all inputs, all, then the rest
    from small to large."""
    made = [[other] for other in others] + _aligned(first, others, ranks) + [list(others)]
    larger = (list(some) for count in range(2, len(others)) for some in itertools.combinations(others, count))
    return itertools.islice(itertools.chain(made, larger), MOST_SETS)
