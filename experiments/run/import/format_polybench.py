"""Format `polybench`: C files of PolyBench/C, each with its header.

The kernel becomes the reference in double precision, and the naive kernel in its own type.
"""

import dataclasses
import subprocess
import tempfile

from polybench_code import HIGH, flops_text, naive_text, outputs_of, probe_text, reference_text
from polybench_source import DTYPES, is_problem, read_problem
from module_workloads import drawn_lengths, seed_of, test_lengths
from shape_formulas import evaluate
from task_file import Refused, TaskFile, TaskTensor, Tolerance, check_arguments, rounded_up, write_task_file

BENCH_SECONDS = 0.02  # of the naive kernel
OTHER_SECONDS = 0.1
MOST_ELEMENTS = 2 ** 22  # of all arrays
GROUPS = {"datamining", "linear-algebra", "medley", "stencils"}  # folders of the collection
MARGIN = 16  # factor over the error of the kernel's own type
LEAST_TOLERANCE = {"float64": 1e-12, "float32": 1e-5, "int32": 1e-5}
LARGEST_VALUE = 1e8  # of an output; beyond it a recurrence grows with the length
SMALL = 12  # power of two by which inputs shrink if a matrix must be near the unit matrix
LONGEST_SMALL = 2048  # largest length for that


@dataclasses.dataclass
class Plan:
    """How drawn inputs are turned into the kernel's inputs."""
    inputs: list = dataclasses.field(default_factory=list)  # arrays whose content matters
    diagonal: list = dataclasses.field(default_factory=list)  # get 1 added to the diagonal
    scale: int = 0  # exponent of two of floating inputs
    falling: bool = False  # no length exceeds the previous one


class Answer:
    """One line of the measuring program."""

    def __init__(self, line):
        finite, largest, relative, l2, seconds, self.hash = line.split()
        self.good = finite == "1" and float(largest) < LARGEST_VALUE
        self.relative, self.l2, self.seconds = float(relative), float(l2), float(seconds)
        self.largest = 0  # there are no intermediate results


class Measurer:
    """Runs a problem at chosen lengths, for the choice of workloads."""

    slow = False

    def __init__(self, problem, exact, plan):
        self.own, self.plan, self.problem = problem, plan, self
        self.flops = flops_text(problem)
        self.longest = LONGEST_SMALL if plan.scale else 2 ** 30
        self.known = {}
        self.folder = tempfile.TemporaryDirectory(prefix="polybench_")
        source, program = f"{self.folder.name}/probe.cpp", f"{self.folder.name}/probe"
        with open(source, "w", encoding="utf-8") as file:
            file.write(probe_text(problem, exact, plan, 1))
        ran = subprocess.run(["g++", "-std=c++20", "-O2", source, "-o", program], capture_output=True, text=True)
        if ran.returncode:
            errors = [line for line in ran.stderr.splitlines() if "error" in line]
            raise Refused(f"does not compile as C++: {errors[0] if errors else ran.stderr}")
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def answer(self, lengths, seed=1, vary=-1):
        key = (tuple(lengths[axis] for axis in self.own.axes), seed, vary)
        if key not in self.known:
            self.process.stdin.write(" ".join(map(str, (seed, vary, *key[0]))) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
            if not line:
                raise Refused(f"the kernel crashes at {self.shaped(lengths)}")
            self.known[key] = Answer(line)
        return self.known[key]

    def shaped(self, lengths):
        """The lengths, sorted in falling order if required."""
        if not self.plan.falling:
            return dict(lengths)
        return dict(zip(lengths, sorted(lengths.values(), reverse=True)))

    def elements(self, lengths):
        return sum(evaluate("*".join(f"({n})" for n in a.shape), lengths) for a in self.own.arrays)

    def operations(self, lengths):
        return max(1, evaluate(self.flops, lengths))

    def seconds(self, lengths):
        """Measures the time if that is quick, else estimates it."""
        lengths = self.shaped(lengths)
        most = max(self.operations(self.own.datasets[0]), 2 ** 27)
        if self.operations(lengths) > most or self.elements(lengths) > 2 * MOST_ELEMENTS:
            return self.operations(lengths) * 1e-9
        return min(self.answer(lengths, seed).seconds for seed in (1, 2))

    def probe(self, lengths):
        answer = self.answer(self.shaped(lengths))
        return answer if answer.good else None

    def reduced(self, lengths, seconds, taken=()):
        """Halves all lengths until the kernel is quick enough and the shape is new."""
        lengths = self.shaped(lengths)
        while (max(lengths.values()) > self.longest or self.elements(lengths) > MOST_ELEMENTS or lengths in taken
               or self.seconds(lengths) > seconds):
            if max(lengths.values()) < 4:
                raise Refused("no lengths are short enough")
            lengths = {axis: max(2, n // 2) for axis, n in lengths.items()}
        return lengths

    def depends_on(self, array):
        """True if the outputs depend on the array, at the smallest dataset."""
        lengths = self.shaped(self.own.datasets[0])
        index = self.own.arrays.index(array)
        return self.answer(lengths).hash != self.answer(lengths, vary=index).hash


def load():
    """Imports nothing, because no import takes long."""


def problem_files(path):
    if path.is_file():
        return [path]
    return sorted(p for p in path.rglob("*.c") if is_problem(p))


def problem_name(path):
    return f"polybench_{path.stem}"


def _dtype(problem):
    return DTYPES[outputs_of(problem)[0].ctype]


def _plans(problem):
    """Plans to try in turn, until the kernel's own type is exact enough for random inputs."""
    square = [a.name for a in problem.arrays
              if len(a.shape) == 2 and a.shape[0] == a.shape[1] and a.ctype in ("double", "float")]
    yield Plan()
    yield Plan(falling=True)
    yield Plan(scale=-SMALL, diagonal=square)


def _exact_enough(measurer, lengths):
    limit = 1e3 * {"float64": 2.0 ** -52, "float32": 2.0 ** -23}.get(_dtype(measurer.own), 0)
    answers = [measurer.answer(measurer.shaped(lengths), seed) for seed in (1, 2)]
    return all(a.good and a.relative <= limit and a.l2 <= limit for a in answers)


def _measurer(problem, exact):
    """Makes a measurer with the first plan that works at the small and medium lengths."""
    for plan in _plans(problem):
        if plan.falling and len(problem.axes) == 1:
            continue
        measurer = Measurer(problem, exact, plan)
        small, medium = problem.datasets[0], measurer.reduced(problem.datasets[2], BENCH_SECONDS)
        plan.inputs = [a.name for a in problem.arrays if measurer.depends_on(a)]
        if _exact_enough(measurer, small) and _exact_enough(measurer, medium):
            if plan.diagonal:
                plan.diagonal = [name for name in plan.diagonal if name in plan.inputs]
                return Measurer(problem, exact, plan)
            return measurer
    raise Refused("the kernel's own type is too inexact for random inputs, or they overflow")


def _least(measurer):
    """Shortest lengths: 1, or 2 where 1 gives no numbers."""
    base = measurer.shaped(measurer.own.datasets[0])
    return {axis: next(n for n in (1, 2, 3, 4) if measurer.answer({**base, axis: n}).good) for axis in measurer.own.axes}


def _tensors(problem, plan):
    made = []
    for array in problem.arrays:
        if array.name not in plan.inputs:
            continue
        name = f"{array.name}_in" if array.name in problem.outputs else array.name
        tensor = TaskTensor("input", name, DTYPES[array.ctype], array.shape, ["normal"], plan.scale)
        if not tensor.dtype.startswith("float"):
            tensor.classes, tensor.scale = ["uniform"], 0
            tensor.high = str(HIGH[array.ctype])
        made.append(tensor)
    return made + [TaskTensor("output", a.name, DTYPES[a.ctype], a.shape) for a in outputs_of(problem)]


def _workloads(measurer, ranges, name):
    """(list of (lengths, role), how datasets were reduced)."""
    mini, small, medium, large, extra = measurer.own.datasets
    bench = measurer.reduced(medium, BENCH_SECONDS)
    validation = measurer.reduced(large, OTHER_SECONDS, [bench])
    far = measurer.reduced(extra, OTHER_SECONDS, [bench, validation])
    tests = [measurer.shaped(n) for n in test_lengths(measurer, bench, ranges)]
    tests += [measurer.shaped(mini), measurer.reduced(small, OTHER_SECONDS)]
    _, drawn = drawn_lengths(measurer, bench, ranges, seed_of(name), tests + [bench, validation, far])
    holdouts = [far] + [measurer.shaped(n) for n in drawn[1:]]
    made = []
    for lengths, role in [(n, "test") for n in tests] + [(bench, "bench"), (validation, "validation")] + [
            (n, "holdout") for n in holdouts]:
        if lengths not in [other for other, _ in made]:
            made.append((lengths, role))
    named = zip(("MEDIUM", "LARGE", "EXTRALARGE"), (bench, validation, far), (medium, large, extra))
    return made, [(dataset, is_not) for dataset, now, is_not in named if now != measurer.shaped(is_not)]


def _description(problem, plan, reduced):
    text = f"Computes what kernel_{problem.name.replace('-', '_')} of PolyBench/C leaves in {', '.join(problem.outputs)}"
    if problem.scalars:
        values = ", ".join(f"{name} = {value}" for name, value in _scalar_texts(problem))
        text += f", with {values}"
    text += "."
    both = [name for name in plan.inputs if name in problem.outputs]
    if both:
        text += f" {', '.join(f'{name}_in' for name in both)}: content before the kernel."
    if plan.diagonal:
        text += f" The kernel works on {', '.join(plan.diagonal)} with 1 added to the diagonal."
    text += " MEDIUM is the bench shape, LARGE validation, EXTRALARGE one of holdout."
    if reduced:
        text += " Reduced are " + ", ".join(
            f"{dataset} from {' '.join(f'{axis} {n}' for axis, n in lengths.items())}" for dataset, lengths in reduced)
        text += "."
    return text


def _scalar_texts(problem):
    from pycparser.c_generator import CGenerator
    return [(name, CGenerator().visit(value)) for name, (_, value) in problem.scalars.items()]


def _extremes(measurer, workloads):
    """Shapes with one long axis and short others, like the judge's draws; errors grow there."""
    made = []
    for axis in measurer.own.axes:
        for short in (min(n[a] for n, _ in workloads for a in n if a != axis) if len(measurer.own.axes) > 1 else 1, 16):
            lengths = {a: short for a in measurer.own.axes}
            lengths[axis] = min(measurer.longest, 4 * max(n[axis] for n, _ in workloads))
            while measurer.operations(lengths) > 2 ** 26 or measurer.elements(lengths) > MOST_ELEMENTS:
                lengths[axis] //= 2
            made.append(measurer.shaped(lengths))
    return [n for n in made if measurer.answer(n).good]


def _tolerance(measurer, workloads):
    dtype = _dtype(measurer.own)
    shapes = [n for n, _ in workloads] + _extremes(measurer, workloads)
    answers = [measurer.answer(n, seed) for n in shapes for seed in (1, 2)]
    least = LEAST_TOLERANCE[dtype]
    return Tolerance(rounded_up(max(least, MARGIN * max(a.relative for a in answers))),
                     rounded_up(max(least, MARGIN * max(a.l2 for a in answers))), 1)


def _category(path):
    """Folders of the collection that group its problems, as in linear-algebra/blas."""
    parts = list(path.resolve().parts)
    first = next((i for i, part in enumerate(parts) if part in GROUPS), None)
    return "" if first is None else "/".join(parts[first:-2])


def import_problem(path, name, origin, licence, folder):
    """Writes the task; returns columns of the report."""
    problem = read_problem(path)
    floating = any(a.ctype in ("double", "float") for a in problem.arrays)
    exact = read_problem(path, "double") if floating else problem
    measurer = _measurer(problem, exact)
    plan = measurer.plan
    tensors = _tensors(problem, plan)
    check_arguments(tensors, problem.axes)
    ranges = {axis: (least, measurer.longest) for axis, least in _least(measurer).items()}
    workloads, reduced = _workloads(measurer, ranges, name)
    file = TaskFile(
        name=name, description=_description(problem, plan, reduced), op_type="polybench", axes=problem.axes,
        ranges=ranges, tensors=tensors, tolerance=_tolerance(measurer, workloads), workloads=workloads,
        flops=measurer.flops, source=origin, licence=licence, category=_category(path), reference="reference.cpp", kernels="naive.cpp")
    write_task_file(file, folder, {"reference.cpp": reference_text(exact, plan, origin),
                                   "naive.cpp": naive_text(problem, plan, origin, name)})
    return dict(axes=str(len(problem.axes)), tensors=str(len(tensors)), reduced="reduced" if reduced else "")
