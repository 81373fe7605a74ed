"""Traces a whole model into its graph of ATen operations."""

import contextlib
import dataclasses
import operator
import pathlib
import warnings

import torch

from kernelevolve_reference import build_model, load_problem
from module_probe import argument_names, recorded_randint


class Unfit(Exception):
    """The model cannot be traced; the message says why."""


@dataclasses.dataclass
class Place:
    """Meaning of a placeholder of the graph."""
    kind: str  # input, parameter, buffer or constant
    name: str  # argument of forward, or qualified name
    value: object  # the tensor, or a number among the inputs
    high: int = 0  # one past the largest integer, where get_inputs() drew it with randint
    fixed: bool = False  # in no state_dict


@dataclasses.dataclass
class Traced:
    model: torch.nn.Module
    inputs: list
    arguments: list  # names of forward's arguments
    nodes: list  # operations in order
    places: dict  # placeholder: Place
    outputs: object  # nested tuples, lists and dicts of nodes, as forward returns them

    def results(self):
        """Nodes that forward returns."""
        return set(torch.utils._pytree.tree_leaves(self.outputs))


def build(path, device):
    """(model in eval mode, its inputs, {id of an input: bound of randint}); reproducible."""
    highs = {}
    source = pathlib.Path(path).read_text(encoding="utf-8")
    try:
        names = load_problem(source, str(path), {})
        torch.manual_seed(0)
        model = build_model(names).eval().requires_grad_(False).to(device)
        with recorded_randint(highs):
            drawn = list(names["get_inputs"]())
    except Exception as error:
        raise Unfit(f"{path}: cannot be built: {type(error).__name__}: {error}") from error
    for one in drawn:
        if not isinstance(one, (torch.Tensor, bool, int, float, str, type(None))):
            raise Unfit(f"{path}: get_inputs() gives a {type(one).__name__}, expected tensors and numbers")
    bounds = [highs[id(one)][1] if id(one) in highs else 0 for one in drawn]
    return model, [one.to(device) if torch.is_tensor(one) else one for one in drawn], bounds


def _exported(model, inputs, path):
    try:
        with warnings.catch_warnings(), torch.no_grad():
            warnings.simplefilter("ignore")
            program = torch.export.export(model, tuple(inputs), strict=False)
            return program.run_decompositions({})  # only makes in-place operations functional
    except Exception as error:
        raise Unfit(f"{path}: torch.export cannot trace it: {type(error).__name__}: "
                    f"{str(error).strip().splitlines()[0] if str(error).strip() else ''}") from error


def trace(path, device):
    model, inputs, bounds = build(path, device)
    program = _exported(model, inputs, path)
    graph = program.graph
    _drop_copies(graph)
    arguments = argument_names(model, inputs)
    places = _places(program, model, dict(zip(arguments, zip(inputs, bounds))))
    kinds = {spec.kind.name for spec in program.graph_signature.output_specs}
    if kinds - {"USER_OUTPUT"}:
        raise Unfit(f"{path}: forward changes a buffer or an input, and a replaced model would not")
    nodes = [node for node in graph.nodes if node.op == "call_function"]
    for node in nodes:
        known = isinstance(node.target, torch._ops.OpOverload) and node.target.namespace == "aten"
        if not known and node.target is not operator.getitem:
            raise Unfit(f"{path}: forward calls {node.target}, and only operations of ATen can be taken apart")
    returned = list(next(node for node in graph.nodes if node.op == "output").args[0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        outputs = torch.utils._pytree.tree_unflatten(returned, program.call_spec.out_spec)
    return Traced(model, inputs, arguments, nodes, places, outputs)


def _drop_copies(graph):
    """Drops copies that no in-place operation needs, and checks without a result."""
    for node in list(graph.nodes):
        if node.op == "call_function" and node.target is torch.ops.aten.clone.default and not node.kwargs:
            node.replace_all_uses_with(node.args[0])
    graph.eliminate_dead_code(is_impure_node=lambda node: node.op in ("placeholder", "output"))


def _places(program, model, given):
    kinds = {"PARAMETER": "parameter", "BUFFER": "buffer", "CONSTANT_TENSOR": "constant", "USER_INPUT": "input"}
    parameters, buffers = dict(model.named_parameters(remove_duplicate=False)), dict(model.named_buffers())
    placeholders = {node.name: node for node in program.graph.nodes if node.op == "placeholder"}
    places = {}
    arguments = iter(given.items())
    for spec in program.graph_signature.input_specs:
        kind = kinds.get(spec.kind.name)
        if kind is None:
            raise Unfit(f"forward takes a {spec.kind.name.lower()}, expected tensors and numbers")
        if kind == "input":
            name, (value, high) = next(arguments)
            places[placeholders[spec.arg.name]] = Place(kind, name, value, high)
            continue
        values = {"parameter": parameters, "buffer": buffers, "constant": program.constants}[kind]
        value = values[spec.target] if spec.target in values else program.constants[spec.target]
        fixed = kind == "constant" or (kind == "buffer" and not spec.persistent)
        places[placeholders[spec.arg.name]] = Place(kind, spec.target, value, fixed=fixed)
    return places


def shape_of(node):
    return tuple(node.meta["val"].shape)


def bytes_of(node):
    """Bytes of a node's tensor, or of all its tensors."""
    values = node.meta["val"]
    values = values if isinstance(values, (list, tuple)) else [values]
    return sum(one.numel() * one.element_size() for one in values if torch.is_tensor(one))


@contextlib.contextmanager
def device_threads(device, threads):
    """Task kernels on the processor have one thread, so PyTorch also gets one unless told
    otherwise."""
    before = torch.get_num_threads()
    if device.type == "cpu":
        torch.set_num_threads(threads)
    try:
        yield
    finally:
        torch.set_num_threads(before)
