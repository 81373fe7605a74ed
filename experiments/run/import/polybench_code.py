"""C++ texts of a PolyBench/C problem: its reference, its naive kernel, and the program that measures both."""

import copy
import pathlib

from pycparser import c_ast, c_generator

from polybench_source import base_name
from shape_formulas import product_text, sum_text

PROBE = pathlib.Path(__file__).resolve().parent / "polybench_probe.hpp"
FLAGS = ("-O3; -march={native,}; -mprefer-vector-width={,256,512}; -funroll-loops?; -fno-math-errno?; "
         "-fno-trapping-math?; -fno-signed-zeros?; -fassociative-math?; -freciprocal-math?; -ffast-math?")
CPP = {"char": "std::int8_t"}
HIGH = {"int": 1000, "char": 4}  # one past the largest integer that inputs hold
INCLUDES = "#include <algorithm>\n#include <cmath>\n#include <cstddef>\n#include <cstdint>\n#include <vector>\n\n"
OPERATORS = ("+", "-", "*", "/", "%")


def type_text(ctype, real):
    """C++ type of an element; `real` stands for double and float."""
    return real if ctype in ("double", "float") else CPP.get(ctype, ctype)


class Writer(c_generator.CGenerator):
    """Prints C as C++: flat arrays, vectors for local ones, and mathematical functions of
    <cmath>."""

    def __init__(self, shapes, real):
        super().__init__()
        self.shapes, self.real = dict(shapes), real

    def visit_ArrayRef(self, node):
        name, places = node, []
        while isinstance(name, c_ast.ArrayRef):
            places.insert(0, name.subscript)
            name = name.name
        text = self.visit(places[0])
        for place, length in zip(places[1:], self.shapes[name.name][1:]):
            text = f"{self._factor(text)} * {self._factor(length)} + {self._term(place)}"
        return f"{name.name}[{text}]"

    @staticmethod
    def _factor(text):
        return text if text.isalnum() else f"({text})"

    def _term(self, node):
        text = self.visit(node)
        return text if isinstance(node, (c_ast.ID, c_ast.Constant)) else f"({text})"

    def visit_FuncCall(self, node):
        arguments = ", ".join(self.visit(a) for a in node.args.exprs)
        name = node.name.name
        return f"std::{name[:-1] if name in ('sqrtf', 'expf', 'powf') else name}({arguments})"

    def visit_IdentifierType(self, node):
        return type_text(" ".join(node.names), self.real)

    def visit_Decl(self, node, no_type=False):
        if not isinstance(node.type, c_ast.ArrayDecl):
            return super().visit_Decl(node, no_type)
        lengths, element = [], node.type
        while isinstance(element, c_ast.ArrayDecl):
            lengths.append(super().visit(element.dim))
            element = element.type
        self.shapes[node.name] = lengths
        return f"std::vector<{self.visit(element.type)}> {node.name}({' * '.join(lengths)})"


class _NoPragmas(c_ast.NodeVisitor):
    def visit_Compound(self, node):
        node.block_items = [s for s in node.block_items or []
                            if not isinstance(s, (c_ast.Pragma, c_ast.EmptyStatement))]
        self.generic_visit(node)


def _body_text(body, shapes, real):
    body = copy.deepcopy(body)
    _NoPragmas().visit(body)
    return Writer(shapes, real).visit(body).rstrip()


def _shapes(problem):
    return {a.name: a.shape for a in problem.arrays}


def compute_text(problem, real):
    """The kernel as a function of lengths, scalars and arrays, in parameter order."""
    arrays = {a.name: f"{'' if a.written else 'const '}{type_text(a.ctype, real)}* {a.name}" for a in problem.arrays}
    scalars = {name: f"{type_text(kind, real)} {name}" for name, (kind, _) in problem.scalars.items()}
    parameters = [arrays.get(p) or scalars.get(p) or f"int {p}" for p in problem.order]
    return f"void compute({', '.join(parameters)}) {_body_text(problem.body, _shapes(problem), real)}\n"


def size_text(array):
    return " * ".join(array.shape)


def scalar_lines(problem, real):
    return [f"const {type_text(kind, real)} {name} = {Writer({}, real).visit(value)};"
            for name, (kind, value) in problem.scalars.items()]


def diagonal_line(array, name):
    """Adds 1 to the diagonal of a square matrix."""
    n = array.shape[0]
    return f"for (std::size_t d = 0; d < {n}; ++d) {name}[d * {n} + d] += 1;"


def _input_name(array, outputs):
    return f"{array.name}_in" if array.name in outputs else array.name


def _work_name(array, problem):
    return array.name if array.name in problem.outputs else f"{array.name}_work"


def function_text(problem, plan, name, real):
    """extern "C" reference or kernel: copies the arrays that the computation writes, and calls
    it."""
    lines, given, passed = scalar_lines(problem, real), [], {}
    for array in problem.arrays:
        kind, output = type_text(array.ctype, real), array.name in problem.outputs
        source = _input_name(array, problem.outputs) if array.name in plan.inputs else None
        work = _work_name(array, problem)
        if output:
            if source:
                lines.append(f"std::copy_n({source}, {size_text(array)}, {array.name});")
            passed[array.name] = array.name
        elif not source:
            lines.append(f"std::vector<{kind}> {work}({size_text(array)});")
            passed[array.name] = f"{work}.data()"
        elif array.written or array.name in plan.diagonal:
            lines.append(f"std::vector<{kind}> {work}({source}, {source} + {size_text(array)});")
            passed[array.name] = f"{work}.data()"
        else:
            passed[array.name] = source
        if array.name in plan.diagonal:
            lines.append(diagonal_line(array, work))
        if source:
            given.append(f"const {kind}* {source}")
    given += [f"{type_text(a.ctype, real)}* {a.name}" for a in outputs_of(problem)]
    given += [f"std::size_t {axis}" for axis in problem.axes]
    arguments = [passed.get(p) or (f"static_cast<int>({p})" if p in problem.axes else p) for p in problem.order]
    lines.append(f"compute({', '.join(arguments)});")
    body = "".join(f"  {line}\n" for line in lines)
    return f"extern \"C\" void {name}({', '.join(given)}) {{\n{body}}}\n"


def outputs_of(problem):
    return [a for a in problem.arrays if a.name in problem.outputs]


def reference_text(problem, plan, origin):
    return (f"// The reference of {problem.name}, in double precision, from {origin}.\n{INCLUDES}namespace {{\n"
            f"{compute_text(problem, 'double')}}}  // namespace\n\n{function_text(problem, plan, 'reference', 'double')}")


def naive_text(problem, plan, origin, task):
    real = "float" if any(a.ctype == "float" for a in problem.arrays) else "double"
    return (f"// {problem.name} as published, from {origin}.\n// @task {task}\n// @flags {FLAGS}\n{INCLUDES}"
            f"namespace {{\n{compute_text(problem, real)}}}  // namespace\n\n{function_text(problem, plan, 'kernel', real)}")


def _variant_text(problem, plan, real, space):
    members = "".join(f"  std::vector<{type_text(a.ctype, real)}> {a.name};\n" for a in problem.arrays)
    lengths = "".join(f"  const int {axis} = lengths_[{i}];\n" for i, axis in enumerate(problem.axes))
    lines = scalar_lines(problem, real) + [diagonal_line(a, f"arrays_.{a.name}") for a in problem.arrays
                                           if a.name in plan.diagonal]
    passed = [f"arrays_.{p}.data()" if p in _shapes(problem) else p for p in problem.order]
    body = lengths + "".join(f"  {line}\n" for line in [*lines, f"compute({', '.join(passed)});"])
    return (f"namespace {space} {{\nstruct Arrays {{\n{members}}};\n{compute_text(problem, real)}"
            f"void run(const std::vector<int>& lengths_, Arrays& arrays_) {{\n{body}}}\n}}  // namespace {space}\n")


def probe_text(problem, exact, plan, trailing):
    """Program that draws inputs and runs the kernel in its own type and in long double."""
    real = "float" if any(a.ctype == "float" for a in problem.arrays) else "double"
    lengths = "".join(f"  [[maybe_unused]] const int {axis} = lengths_[{i}];\n" for i, axis in enumerate(problem.axes))
    draws = "".join(
        f"  draw(own_.{a.name}, {size_text(a)}, seed_ + {i} + (vary_ == {i} ? 1000 : 0), {2.0 ** plan.scale!r}, {HIGH.get(a.ctype, 0)});\n"
        f"  exact_.{a.name}.assign(own_.{a.name}.begin(), own_.{a.name}.end());\n" for i, a in enumerate(problem.arrays))
    first = outputs_of(problem)[0]
    row = " * ".join(first.shape[-trailing:])
    compares = "".join(f"  errors_.add(own_.{a.name}, exact_.{a.name}, {row});\n" for a in outputs_of(problem))
    return (f"{INCLUDES}#include \"{PROBE}\"\n\n"
            f"{_variant_text(problem, plan, real, 'plain')}{_variant_text(exact, plan, 'long double', 'exact')}"
            f"void probe(const std::vector<int>& lengths_, int seed_, int vary_) {{\n{lengths}"
            f"  plain::Arrays own_;\n  exact::Arrays exact_;\n{draws}  const Clock clock_;\n  plain::run(lengths_, own_);\n"
            f"  Errors errors_(clock_.seconds());\n  exact::run(lengths_, exact_);\n{compares}  errors_.print();\n}}\n"
            f"int main() {{ answer_lines({len(problem.axes)}, probe); }}\n")


class _Operations(c_ast.NodeVisitor):
    """Counts arithmetic within loops: {(axes of the loops, how many run half their length): operations}."""

    def __init__(self, axes):
        self.axes, self.loops, self.found = set(axes), [], {}

    def _add(self):
        key = (tuple(sorted(axis for axis, _, _ in self.loops if axis)), sum(half for _, _, half in self.loops))
        self.found[key] = self.found.get(key, 0) + 1

    def visit_For(self, node):
        variable = base_name(node.init.lvalue)
        names = _ids(node.init) | _ids(node.cond)
        outer = {v: axis for axis, v, _ in self.loops}
        direct = sorted(names & self.axes)
        bounds = [outer[v] for v in sorted(names & set(outer)) if v != variable]
        axis = direct[0] if direct else next((b for b in bounds if b), None)
        self.loops.append((axis, variable, bool(bounds)))
        self.visit(node.stmt)
        self.loops.pop()

    def visit_ArrayRef(self, node):
        """Ignores arithmetic on indices."""

    def visit_BinaryOp(self, node):
        if node.op in OPERATORS:
            self._add()
        self.generic_visit(node)

    def visit_Assignment(self, node):
        if node.op[0] in OPERATORS:
            self._add()
        self.generic_visit(node)

    def visit_FuncCall(self, node):
        self._add()
        self.generic_visit(node)


class _Ids(c_ast.NodeVisitor):
    def __init__(self):
        self.found = set()

    def visit_ID(self, node):
        self.found.add(node.name)


def _ids(node):
    visitor = _Ids()
    visitor.visit(node)
    return visitor.found


def flops_text(problem):
    """Operations of the kernel; a loop whose bound is another loop's variable counts half its axis."""
    counter = _Operations(problem.axes)
    counter.visit(problem.body)
    terms = [product_text([max(1, round(count / 2 ** halves)), *axes])
             for (axes, halves), count in counter.found.items() if axes]
    return sum_text(terms)
