"""Ranges of a module's integer inputs: noted while get_inputs() draws them, else read from what several draws gave, then
tried on the module."""

import torch
from torch.overrides import TorchFunctionMode

from kernelevolve_reference import tensors_in
from shape_formulas import last_good

_SAME = set("to long int short type clone contiguous view reshape view_as reshape_as flatten unflatten unsqueeze squeeze "
            "expand expand_as repeat repeat_interleave tile t transpose permute movedim swapaxes flip roll detach cpu cuda "
            "__getitem__ index_select narrow select split chunk unbind sort unique requires_grad_ stack cat hstack vstack "
            "concat concatenate column_stack broadcast_to pin_memory triu_ sort_ where masked_fill masked_fill_".split())
_SHIFTS = {"add": 1, "add_": 1, "__add__": 1, "__radd__": 1, "__iadd__": 1, "sub": -1, "sub_": -1, "__sub__": -1, "__isub__": -1}
_REMAINDERS = set("remainder remainder_ fmod fmod_ __mod__ __imod__".split())
_CLAMPS = set("clamp clamp_ clip clip_ clamp_max clamp_min".split())


class Ranges(TorchFunctionMode):
    """Notes [low, high) of integer tensors that randint, randperm and arange make, and passes it on through operations
    that keep values, shift them or put them together."""

    def __init__(self):
        super().__init__()
        self.known = {}  # {id: (tensor, low, high)}; holds the tensors, whose ids must not be used again

    def of(self, tensor):
        """(low, high), or None."""
        found = self.known.get(id(tensor))
        return found and found[1:]

    def __torch_function__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        name = getattr(function, "__name__", "")
        before = self._joined(tensors_in([args, kwargs])) if name in _SAME else self.of(args[0]) if args else None
        result = function(*args, **kwargs)
        try:
            found = self._range(name, args, kwargs, before)
        except (TypeError, ValueError, IndexError):
            found = None
        if name == "__setitem__":
            self._stored(args[0], args[2])
        elif found is not None:
            for tensor in tensors_in(result)[:1 if name in ("sort", "unique") else None]:
                if _is_integer(tensor):
                    self.known[id(tensor)] = (tensor, *found)
        elif name.endswith("_") and not name.endswith("__") and args:
            self.known.pop(id(args[0]), None)
        return result

    def _range(self, name, args, kwargs, before):
        numbers = [one for one in args if type(one) is int]
        if name in ("randint", "randint_like"):
            high = kwargs.get("high", numbers[-1] if numbers else None)
            return int(kwargs.get("low", numbers[0] if len(numbers) > 1 else 0)), int(high)
        if name == "randperm":
            return 0, numbers[0]
        if name == "arange":
            first, last = (numbers[0], numbers[1]) if len(numbers) > 1 else (kwargs.get("start", 0), kwargs.get("end", numbers[0]))
            return (first, last) if last > first else None
        if before is None:
            return None
        low, high = before
        if name in _SAME:
            return before
        other = args[1] if len(args) > 1 else kwargs.get("other")
        if name in _SHIFTS and type(other) is int and not kwargs.get("alpha"):
            return low + _SHIFTS[name] * other, high + _SHIFTS[name] * other
        if name in _REMAINDERS and type(other) is int and other > 0:
            return 0, other
        if name in _CLAMPS:
            return _clamped(name, before, args, kwargs)
        return None

    def _joined(self, tensors):
        """The range of what holds values of all of these: lengths of several tables leave the shortest, so that any value
        may stand anywhere; places of several parts of one table leave all of it."""
        ranges = [self.of(tensor) for tensor in tensors if _is_integer(tensor)]
        if not ranges or None in ranges:
            return None
        lows, highs = zip(*ranges)
        return (lows[0], min(highs)) if len(set(lows)) == 1 else (min(lows), max(highs))

    def _stored(self, target, value):
        """A tensor of zeros is filled part by part. A single number marks elements, such as targets that do not count."""
        if torch.is_tensor(target) and _is_integer(target) and type(value) is not int:
            parts = [one for one in (target, value) if id(one) in self.known]
            if torch.is_tensor(value) and id(value) in self.known:
                self.known[id(target)] = (target, *self._joined(parts))
            else:
                self.known.pop(id(target), None)


def _clamped(name, before, args, kwargs):
    low, high = before
    bounds = list(args[1:])
    least = kwargs.get("min", bounds[0] if bounds and name != "clamp_max" else None)
    most = kwargs.get("max", bounds[0] if bounds and name == "clamp_max" else bounds[1] if len(bounds) > 1 else None)
    return max(low, least) if least is not None else low, min(high, most + 1) if most is not None else high


def _is_integer(tensor):
    return not tensor.is_floating_point() and not tensor.is_complex() and tensor.dtype != torch.bool


def range_of_values(samples, lengths):
    """(low, high) of the values of several draws: low is 0, and high the next of `lengths`, where so few values could have
    missed them."""
    samples = [one for one in samples if one.numel()]
    if not samples:
        return 0, 1
    low, high = min(int(one.min()) for one in samples), max(int(one.max()) for one in samples) + 1
    count = sum(one.numel() for one in samples)
    near = [n for n in lengths if high <= n <= high + 4 * n / count]
    return 0 if 0 < low <= 4 * high / count else low, min(near, default=high)


def working_range(works, low, high):
    """The part of [low, high) whose ends the module runs with: works(value) calls it with integers that are all `value`."""
    if not works(low):
        return None
    if works(high - 1):
        return low, high
    return low, last_good(works, low, high - 1) + 1
