"""Registers operators in a namespace of PyTorch with the package's name.

An operator stays registered until the process ends. A package that is imported again, after importlib.reload() or
because its entry in sys.modules was deleted, puts its kernels behind the operators that are there."""

import torch

from . import compiled


class Namespace:
    """What is registered under torch.ops.PACKAGE."""

    def __init__(self, package):
        self.package = package
        self.source, self.library = compiled.source_hash(), compiled.load()
        self.registrations = torch.library.Library(package, "FRAGMENT")
        self.operators = {}  # name: the operator that now computes

    def add(self, operator):
        """Returns torch.ops.PACKAGE.NAME.default."""
        known = self.operators.get(operator.symbol)
        if known is None:
            self._define(operator)
        elif known.schema("") != operator.schema("") or known.device != operator.device:
            raise ImportError(f"{operator.name} has other arguments than when {self.package} was imported first; start "
                              "Python anew")
        self.operators[operator.symbol] = operator
        operator.hand_over(self.library)
        return getattr(getattr(torch.ops, self.package), operator.symbol).default

    def _define(self, operator):
        name, to = operator.symbol, self.registrations
        if torch._C._dispatch_has_kernel(operator.name):
            raise ImportError(f"torch.ops.{self.package}.{name} is there already, and not of this package; give the "
                              "package's folder another name")

        def part(method):
            return lambda *arguments: getattr(self.operators[name], method)(*arguments)

        to.define(operator.schema(name), tags=torch.Tag.pt2_compliant_tag)
        to.impl(name, part("refuse"), "CompositeExplicitAutograd")
        torch.library.register_fake(operator.name, part("fake"), lib=to)
        to.define(operator.schema(f"_plan_{name}", answer="int[]"))
        to.impl(f"_plan_{name}", part("plan"), "CompositeExplicitAutograd")
        to.define(operator.schema(f"_reference_{name}", "bool differentiable"))
        to.impl(f"_reference_{name}", part("compute"), "CompositeImplicitAutograd")


def namespace(package):
    """The namespace of a package, which is kept with torch.ops and so outlives the package's modules."""
    kept = vars(getattr(torch.ops, package))
    known = kept.get("_kernelevolve")
    if known is None:
        known = kept["_kernelevolve"] = Namespace(package)
    elif known.source != compiled.source_hash():
        raise ImportError(f"{package} was imported before it was deployed by another version of kernelevolve; start "
                          "Python anew")
    return known
