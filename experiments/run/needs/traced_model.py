"""Traces a whole model into its graph of ATen operations."""

import contextlib
import dataclasses
import inspect
import operator
import pathlib
import warnings

import torch

from kernelevolve_reference import build_model, load_problem
from module_arguments import drawn_arguments
from module_state import examine
from task_file import Refused


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
    """(model in inference mode, its Arguments, {argument: [low, high) of integers}); reproducible."""
    source = pathlib.Path(path).read_text(encoding="utf-8")
    try:
        names = load_problem(source, str(path), {})
        model = _constructed(names)
        drawn, bounds = _drawn(names, model, 0)
        other, _ = _drawn(names, model, 1)
        state = examine(lambda: _constructed(names), [drawn, other], names)
    except Refused as refused:
        raise Unfit(f"{path}: {refused}") from refused
    except Exception as error:
        raise Unfit(f"{path}: cannot be built: {type(error).__name__}: {error}") from error
    for name, one in zip(drawn.names, drawn.values):
        if not isinstance(one, (torch.Tensor, bool, int, float, str, type(None))):
            raise Unfit(f"{path}: argument '{name}' of forward is a {type(one).__name__}, expected a tensor or a number")
    if state.writes:
        raise Unfit(f"{path}: forward changes {', '.join(state.writes)} in place, and a replaced model would not: change a "
                    "copy instead")
    return model.to(device), drawn.with_values(one.to(device) if torch.is_tensor(one) else one for one in drawn.values), bounds


def _constructed(names):
    torch.manual_seed(0)
    return build_model(names, "inference").requires_grad_(False)


def _drawn(names, model, seed):
    """(what get_inputs() gives to forward in order, {argument: [low, high) of integers})."""
    torch.manual_seed(seed)
    drawn, bounds = drawn_arguments(model, names["get_inputs"])
    if drawn.nested:
        raise Refused(f"argument '{next(iter(drawn.nested))}' of forward is a list, tuple or dictionary; a replaced model takes "
                      "tensors and numbers")
    taken = inspect.signature(model.forward).parameters
    for name in drawn.keywords:
        if name not in taken or taken[name].kind is inspect.Parameter.KEYWORD_ONLY:
            raise Refused(f"argument '{name}' of forward can be given by name alone, and a replaced model takes arguments in "
                          "order")
    return dataclasses.replace(drawn, keywords={}), bounds


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
    model, given, bounds = build(path, device)
    inputs = given.values
    program = _exported(model, inputs, path)
    graph = program.graph
    _drop_copies(graph)
    arguments = given.names
    places = _places(program, model, {name: (value, bounds.get(name, (0, 0))[1]) for name, value in zip(arguments, inputs)})
    changed = [spec.target for spec in program.graph_signature.output_specs if spec.kind.name != "USER_OUTPUT"]
    if changed:
        raise Unfit(f"{path}: forward changes {', '.join(map(str, changed))}, and a replaced model would not")
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
