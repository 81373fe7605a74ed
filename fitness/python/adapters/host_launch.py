"""Kernels that a host function launches: what @launch names is a function under @jit with one launch in it.

That function is compiled, which traces it in this process; the host code that this gives never runs. The launch is the
plan's: of the function's, its block is in the machine code and its grid is not used.
"""
import ast

from dsl_source import Refusal, matched

TYPES = {"float32": "Float32", "float64": "Float64", "float16": "Float16", "bfloat16": "BFloat16", "int32": "Int32",
         "int64": "Int64", "uint8": "Uint8"}


def host_function(tree, name, decorators, line):
    """The function of the source that has one of the decorators."""
    for node in tree.body:
        found = [ast.unparse(each.func if isinstance(each, ast.Call) else each)
                 for each in getattr(node, "decorator_list", [])]
        if isinstance(node, ast.FunctionDef) and node.name == name and set(decorators) & set(found):
            return node
    raise Refusal("no_such_kernel", f"'{name}' is no function under @{decorators[0]}", line)


def is_launch(node):
    """`k(..).launch(..)`, or its short form `k(..)(grid=..)`."""
    if not isinstance(node, ast.Call):
        return False
    if isinstance(node.func, ast.Attribute):
        return node.func.attr == "launch"
    return isinstance(node.func, ast.Call) and not {"grid", "block"}.isdisjoint(each.arg for each in node.keywords)


def launch_of(host, known):
    """The only launch of a function, as option -> expression; options beside those in `known` are refused."""
    found = [node for node in ast.walk(host) if is_launch(node)]
    if len(found) != 1:
        raise Refusal("refused_construct", f"{host.name}: one .launch() must stand in it, it has {len(found)}",
                      host.lineno)
    launch = found[0]
    for option in launch.keywords:
        if option.arg not in known:
            raise Refusal("refused_construct", f"{host.name}: .launch() with '{option.arg or '**'}' cannot be carried "
                          f"over; it may have {', '.join(known)}", option.value.lineno)
    if launch.args:
        raise Refusal("refused_construct", f"{host.name}: .launch() takes its options by name", launch.lineno)
    return {option.arg: option.value for option in launch.keywords}


def evaluate(expression, module, constants, name):
    try:
        return eval(compile(ast.Expression(expression), module.__file__, "eval"), vars(module), dict(constants))
    except Exception as error:
        raise Refusal("refused_construct", f"{name}: '{ast.unparse(expression)}' must be computed from Constexpr "
                      f"parameters and names of the module alone: {error}", expression.lineno) from error


def constants_of(host, module, knobs):
    """Values of the parameters under Constexpr."""
    given = host.args.posonlyargs + host.args.args
    if host.args.vararg or host.args.kwonlyargs or host.args.kwarg:
        raise Refusal("refused_construct", f"{host.name}: its parameters must be plain ones", host.lineno)
    defaults = dict(zip([each.arg for each in given][len(given) - len(host.args.defaults):], host.args.defaults))
    values = {}
    for each in given:
        if each.annotation is None or "Constexpr" not in ast.unparse(each.annotation):
            continue
        if each.arg in knobs:
            values[each.arg] = knobs[each.arg]
        elif each.arg in defaults:
            values[each.arg] = evaluate(defaults[each.arg], module, {}, host.name)
        else:
            raise Refusal("bad_plan", f"{host.name}: '{each.arg}' is neither a knob nor a fixed axis of the task",
                          host.lineno)
    return values


def values_of(host, constants, arguments, line, make):
    """What the function is compiled for, in its order: its constants, and what `make` gives for each argument."""
    order = [each.arg for each in host.args.posonlyargs + host.args.args]
    parameters = [each for each in order if each not in constants]
    given = matched(host.name, parameters, arguments, line)
    return [constants[each] if each in constants else make(given[each]) for each in order]


def check_parameters(name, sizes, arguments, kinds, line):
    """Refuses a kernel whose parameters, of these sizes in bytes, are not the plan's arguments."""
    wanted = [4 if each["type"] == "int32" else 8 for each in arguments]
    if sizes != wanted:
        raise Refusal("bad_plan", f"{name}: its kernel takes parameters of {sizes} bytes, @launch gives {wanted}: "
                      f"kernels take {kinds} in the order of args=, no Tensor", line)


def check_names(modules):
    names = [each["entry"] for each in modules]
    if len(set(names)) != len(names):
        raise Refusal("refused_construct", "two functions launch the same kernel with the same constants")
