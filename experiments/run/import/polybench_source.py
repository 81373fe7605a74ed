"""Reads a PolyBench/C problem: its kernel, arrays, scalars, live outputs and datasets.

The C preprocessor resolves the macros, with local headers in place of PolyBench's and the C
library's; pycparser parses the result."""

import dataclasses
import pathlib
import re
import subprocess

from pycparser import c_ast, c_generator, c_parser

from task_file import Refused

HEADERS = pathlib.Path(__file__).resolve().parent / "polybench_headers"
DATASETS = ("MINI", "SMALL", "MEDIUM", "LARGE", "EXTRALARGE")
DTYPES = {"double": "float64", "float": "float32", "int": "int32", "char": "int8"}


@dataclasses.dataclass
class Array:
    name: str
    ctype: str  # double, float, int or char
    shape: list  # expressions over axes
    written: bool  # by the kernel


@dataclasses.dataclass
class Problem:
    name: str
    axes: list  # the kernel's lengths, in its order
    arrays: list  # of Array, in the kernel's order
    scalars: dict  # name: (type, expression over axes)
    outputs: list  # names of the arrays that are live afterwards
    order: list  # names of all parameters
    body: object  # the kernel's syntax tree
    datasets: list  # of {axis: length}, from the smallest


def preprocessed(path, *options):
    command = ["g++", "-E", "-x", "c", "-nostdinc", "-P", f"-I{HEADERS}", f"-I{path.parent}", *options, str(path)]
    ran = subprocess.run(command, capture_output=True, text=True)
    if ran.returncode:
        raise Refused(f"does not preprocess: {ran.stderr.splitlines()[0]}")
    return ran.stdout


def _macros(path, *options):
    """{name: text} of the macros that the problem's header defines."""
    lines = preprocessed(path.with_suffix(".h"), "-dM", *options).splitlines()
    return dict(line.split(" ", 2)[1:] for line in lines if line.count(" ") >= 2)


def _lengths(path):
    """{macro: axis} as in {"NI": "ni"}, from lines such as `# define _PB_NI POLYBENCH_LOOP_BOUND(NI,ni)`."""
    pairs = [re.fullmatch(r"POLYBENCH_LOOP_BOUND\((\w+), *(\w+)\)", text)
             for name, text in _macros(path).items() if name.startswith("_PB_")]
    return dict(pair.groups() for pair in pairs if pair)


def _functions(path, lengths, ctype):
    options = [f"-D{macro}={axis}" for macro, axis in lengths.items()]
    if ctype:
        options.append(f"-DDATA_TYPE_IS_{ctype.upper()}")
    try:
        tree = c_parser.CParser().parse(preprocessed(path, *options), str(path))
    except c_parser.ParseError as error:
        raise Refused(f"is not C that the parser reads: {error}") from error
    types = {t.name: t for t in tree.ext if isinstance(t, c_ast.Typedef)}
    return {f.decl.name: f for f in tree.ext if isinstance(f, c_ast.FuncDef)}, types


def _type_name(declaration, types):
    names = declaration.type.names
    if len(names) == 1 and names[0] in types:
        return _type_name(types[names[0]].type, types)
    return " ".join(names)


def _dimensions(declaration):
    """(declaration of the element, lengths as text)."""
    lengths = []
    while isinstance(declaration, c_ast.ArrayDecl):
        lengths.append(c_generator.CGenerator().visit(declaration.dim))
        declaration = declaration.type
    return declaration, lengths


class _Names(c_ast.NodeVisitor):
    """Names of assigned arrays, and of arguments of calls."""

    def __init__(self):
        self.written, self.calls = set(), {}

    def visit_Assignment(self, node):
        self.written.add(base_name(node.lvalue))
        self.generic_visit(node)

    def visit_FuncCall(self, node):
        arguments = node.args.exprs if node.args else []
        self.calls[base_name(node.name)] = [base_name(a) for a in arguments]
        self.generic_visit(node)


def base_name(node):
    """Name A for A[i][j] and &A, or None."""
    while isinstance(node, (c_ast.ArrayRef, c_ast.UnaryOp)):
        node = node.name if isinstance(node, c_ast.ArrayRef) else node.expr
    return node.name if isinstance(node, c_ast.ID) else None


def _names_in(function):
    found = _Names()
    found.visit(function.body)
    return found


def _scalar_values(function):
    """{name: expression} from lines such as `*alpha = 1.5;` in init_array."""
    values = {}
    for statement in function.body.block_items:
        if isinstance(statement, c_ast.Assignment) and isinstance(statement.lvalue, c_ast.UnaryOp):
            values[base_name(statement.lvalue)] = statement.rvalue
    return values


def is_problem(path):
    header = path.with_suffix(".h")
    return path.suffix == ".c" and header.exists() and "_PB_" in header.read_text(encoding="utf-8", errors="replace")


def read_problem(path, ctype=""):
    """Reads the problem in its own type, or with DATA_TYPE float, double or int."""
    lengths = _lengths(path)
    functions, types = _functions(path, lengths, ctype)
    kernels = [name for name in functions if name.startswith("kernel_")]
    if len(kernels) != 1 or not {"main", "print_array", "init_array"} <= set(functions):
        raise Refused("expected init_array, print_array, main and one function kernel_*")
    kernel = functions[kernels[0]]
    axes, arrays, scalars = [], [], {}
    written = _names_in(kernel).written
    initial = _scalar_values(functions["init_array"])
    for parameter in kernel.decl.type.args.params:
        element, shape = _dimensions(parameter.type)
        name, kind = parameter.name, _type_name(element, types)
        if shape and kind in DTYPES:
            arrays.append(Array(name, kind, shape, name in written))
        elif not shape and name in lengths.values():
            axes.append(name)
        elif not shape and kind in DTYPES and name in initial:
            scalars[name] = (kind, initial[name])
        else:
            raise Refused(f"parameter '{name}' of {kernels[0]} is neither a length, an array nor a scalar of init_array")
    calls = _names_in(functions["main"]).calls
    order = [p.name for p in kernel.decl.type.args.params]
    live = set(calls["print_array"])
    outputs = [own for own, given in zip(order, calls[kernels[0]]) if given in live and own not in axes]
    return Problem(path.stem, axes, arrays, scalars, outputs, order, kernel.body, _datasets(path, lengths))


def _datasets(path, lengths):
    made = []
    for name in DATASETS:
        macros = _macros(path, f"-D{name}_DATASET")
        made.append({axis: int(macros[macro]) for macro, axis in lengths.items() if macros.get(macro, "").isdigit()})
    if any(len(one) < len(lengths) for one in made):
        raise Refused(f"the header gives no lengths for one of the datasets {', '.join(DATASETS)}")
    return made


