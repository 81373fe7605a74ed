"""Chooses what floating tensors of a module's task may hold beside their first class: all that a right kernel passes.

PyTorch in the module's own types is taken for such a kernel. It must stay within a quarter of the tolerance; for varied
lines, where other right kernels may err far more than PyTorch, within a sixteenth."""

import itertools
import math
import time

from module_numbers import IN_ORDER_EQUAL, Errors
from module_state import takes_first
from task_file import FLOATS, UNMEASURED

SLOW = 1.0  # s of a call of the reference: a slower module is tried with nothing else
SECONDS = 4  # of processor time for classes, and again for kinds of lines
CLASS_DRAWS = 2
LINE_DRAWS = 6
MOST_USED = 1 / 16  # of the tolerance, by varied lines: other right kernels err far more than PyTorch there
MOST_USED_OF_TF32 = 1 / 6  # factors that are cut err alike in all kernels; those of the first class use an eighth
# Kinds of lines that are measured. Others of UNMEASURED leave rows of outputs small: errors relative to these, as of
# exp(x) - 1 near 0, are far larger in many draws than in a few.
CANDIDATES = "grown offset one_signed split_signs signs repeated numbers".split()
SPARED = 1 / 8  # of the room for rounding: other right kernels use more of it
WITH_EQUALS = "coarse copies runs plateau".split()
VARIED = -1  # the case of varied lines
# Beside the first class. Where a first class is positive, the others come only if `normal`, of either sign, is stood.
FURTHER = {"normal": ["constant", "one_hot", "sorted", "shifted", "vast"], "positive": ["normal"], "masked": [],
           "sorted": ["clustered", "steps"]}


def choose_contents(task, small):
    """Further classes of the floating tensors, and the kinds of lines that the judge does not draw."""
    floats = [t for t in task.runner.tensors if t.dtype in FLOATS]
    if not all(map(takes_first, task.runner.problem.state.ties)):  # nobody can know which of equal values PyTorch takes
        for tensor in floats:
            tensor.avoid = UNMEASURED + WITH_EQUALS
    elif floats and task.runner.seconds <= SLOW:
        chooser = _Chooser(task, small, floats)
        chooser.choose_classes()
        chooser.choose_lines()


class _Chooser:
    def __init__(self, task, small, floats):
        self.task, self.runner, self.floats = task, task.runner, floats
        self.rounds_to_integers = any(t.dtype not in (*FLOATS, "bool") for t in self.runner.outputs)
        self.deadline = time.process_time() + SECONDS
        quick = [n for n in task.tests if sum(t.elements(n) for t in task.tensors) <= 2 ** 14]
        self.shapes = sorted(quick, key=lambda n: -sum(t.elements(n) for t in task.tensors))[:2] or [small]

    def stands(self, case, draws):
        """True if single precision stays within a quarter of the tolerance, with finite results. Half types may use two
        thirds of it: they round so coarsely that another order of summation hardly adds to the error."""
        return self._used(case, draws) <= 2 / Errors(1, self.runner.float_outputs()).margin

    def _used(self, case, draws):
        """The part of the tolerance that single precision uses; infinite where results are not finite or time is over."""
        tolerance = self.task.tolerance
        found = Errors(tolerance.trailing, self.runner.float_outputs())
        shifted = any(case < len(t.classes) and t.classes[case] == "shifted" for t in self.floats)
        spared = SPARED if shifted else 0.0  # differences of such numbers cancel in any arithmetic
        try:
            for lengths, seed in itertools.product(self.shapes, range(draws)):
                if time.process_time() > self.deadline:
                    return math.inf
                self.runner.add_errors(found, self.runner.drawn(lengths, 1000 + seed, case), lengths, spared)
        except Exception:  # the module does not take such values
            return math.inf
        if self.runner.infinite and not self.task.infinite:
            self.runner.infinite = False
            return math.inf
        return max(found.relative[-1] / tolerance.relative, found.l2 / tolerance.l2)

    def choose_classes(self):
        wanted = {id(t): FURTHER[t.classes[0]] if t.role == "input" else _signs_of(t) for t in self.floats}
        for kind in ("normal", "constant", "one_hot", "sorted", "clustered", "steps", "shifted", "vast"):
            if kind in ("constant", "one_hot") and IN_ORDER_EQUAL * self.task.terms > self.task.tolerance.l2:
                continue  # equal terms round alike: the error of a sum in order then grows as its length
            takers = [t for t in self.floats if kind in wanted[id(t)] and (t.classes[0] != "positive" or kind == "normal"
                                                                           or "normal" in t.classes)]
            for some in [takers] if self._stands_with(takers, kind) else [[t] for t in takers if self._stands_with([t], kind)]:
                for tensor in some:
                    tensor.classes = [*tensor.classes, kind]
        self._drop_cases()

    def _stands_with(self, tensors, kind):
        """True if these may have that class alone, and all others their first."""
        if not tensors:
            return False
        before = [(t, t.classes) for t in self.floats]
        for tensor, classes in before:
            tensor.classes = [kind] if tensor in tensors else classes[:1]
        try:
            return self.stands(0, CLASS_DRAWS)
        finally:
            for tensor, classes in before:
                tensor.classes = classes

    def _drop_cases(self):
        """Leaves out classes that fail where other inputs have others of theirs: all take class i in case i."""
        case = 1
        while case < max(len(t.classes) for t in self.floats):
            if self.stands(case, CLASS_DRAWS):
                case += 1
                continue
            last = [t for t in self.floats if len(t.classes) > case][-1]
            last.classes = last.classes[:case] + last.classes[case + 1:]

    def choose_lines(self):
        """Leaves those kinds of lines in `avoid` that the module does not stand together with the others."""
        self.deadline = time.process_time() + SECONDS
        kinds = {(kind, of_inputs) for kind in CANDIDATES for of_inputs in (True, False)}
        most = MOST_USED_OF_TF32 if self.runner.tf32 else MOST_USED
        while kinds and self._used_with(kinds) > most:
            if time.process_time() > self.deadline:
                kinds = set()
                break
            kinds.remove(min(sorted(kinds), key=lambda kind: self._used_with(kinds - {kind})))
        self._avoid_all_but(kinds)

    def _used_with(self, kinds):
        self._avoid_all_but(kinds)
        return self._used(VARIED, LINE_DRAWS)

    def _avoid_all_but(self, kinds):
        """kinds: of (name, whether of inputs)."""
        for tensor in self.floats:
            tensor.avoid = [kind for kind in UNMEASURED if (kind, tensor.role == "input") not in kinds]
            if self.rounds_to_integers:  # ties of a rounding, which the module decides by its own rounding errors
                tensor.avoid.append("coarse")


def _signs_of(parameter):
    """Trained weights have both signs, whatever those of the constructor."""
    return ["normal"] if parameter.classes[0] == "positive" else []
