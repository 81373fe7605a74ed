import inspect
from types import SimpleNamespace


class JITFunction:
    def __init__(self, fn):
        self.__name__ = fn.__name__
        self.raw_src, self.starting_line_number = inspect.getsourcelines(fn)
        source = "".join(self.raw_src)
        self.src = source[source.index("def "):]
        given = inspect.signature(fn).parameters.values()
        self.arg_names = [each.name for each in given]
        self.params = [SimpleNamespace(name=each.name, is_constexpr="constexpr" in str(each.annotation),
                                       default=each.default, has_default=each.default is not each.empty)
                       for each in given]


class Autotuner:
    def __init__(self, fn):
        self.fn = fn


class Heuristics(Autotuner):
    pass


def jit(fn):
    return JITFunction(fn)
