"""What a task that was made of a module says of it: the description, which prompts and packages repeat."""

from module_state import equal_values
from shape_formulas import product_text, sum_text
from task_file import first_of

MODES = {("inference", False): "in inference mode (model.eval())",
         ("train", True): "in training mode, as constructed",
         ("train", False): "in evaluation mode, which its constructor sets with eval()",
         ("train", None): "as constructed: some of its modules in training mode, others in evaluation mode"}


def description(task, problem):
    mode = MODES.get((problem.mode, problem.training), MODES[("inference", False)])
    given = [word for word, known in (("parameters", _has_parameters(task)), ("buffers", problem.state.inputs)) if known]
    sentences = [f"Computes what forward() of class Model in reference.py returns {mode}"
                 f"{', with the given ' * bool(given)}{' and '.join(given)}.",
                 f"Operations, most work first: {', '.join(task.operations)}.",
                 *_types(task), *_arguments(task), *_state(problem.state), *_results(task, problem), *_sizes(task)]
    if task.packed:
        sentences += [_layout(task, tensor) for tensor in task.tensors if isinstance(tensor.dotted, list)]
    return " ".join(sentences)


def _has_parameters(task):
    return any(t.role == "parameter" and t.name not in task.runner.problem.state.inputs for t in task.axes.probe.tensors)


def _types(task):
    problem, made = task.runner.problem, []
    if problem.cast:
        made.append(f"Module and inputs are cast to {problem.cast}.")
    if task.runner.tf32:
        made.append("Products of float32 may cut their factors to TF32 (10 bits after the point) and add in float32: the tolerance "
                    "is made for that, and PyTorch as opponent takes them so.")
    elif problem.settings:
        made.append(f"The file sets {', '.join(problem.settings)}: reference, tolerance and PyTorch as opponent are of "
                    "full precision.")
    return made


def _arguments(task):
    probe = task.axes.probe
    made = []
    for words, values in (("Arguments of forward() that are no inputs", probe.constants),
                          ("Arguments of forward() with their defaults", probe.defaults)):
        if values:
            made.append(f"{words}: {first_of([f'{name} = {value!r}' for name, value in values.items()])}.")
    return made


def _state(state):
    made = []
    if state.fixed:
        listed = first_of([f"{name} ({kind})" for name, kind in state.fixed.items()])
        made.append(f"Constant as constructed, so a kernel may rely on the values: {listed}.")
    if state.idle:
        made.append(f"No output depends on the buffers {first_of(state.idle)}.")
    if state.changed:
        made.append(f"{changed_text(state)}.")
    if state.writes:
        made.append(f"forward() changes {first_of(state.writes)} in place; the operator does not, and computes the outputs of "
                    "the values before the call.")
    return made


def changed_text(state):
    """What a user of the operator must know of buffers that forward() changes for no output, such as running statistics."""
    return f"forward() changes the buffers {first_of(state.changed)}; the operator leaves them as they are"


def _results(task, problem):
    made = []
    dropped = task.axes.probe.dropped
    if dropped:
        listed = first_of([f"{value!r} as {place}" for place, value in dropped.items()])
        made.append(f"forward() also returns what is no tensor and no output: {listed}.")
    if task.constant:
        made.append(f"Outputs that are the same whatever the inputs: {first_of(task.constant)}.")
    return made + equal_values(problem.state.ties)


def _sizes(task):
    if task.axes.published and task.reduced():
        return [f"The bench shape is reduced from the published {sizes_text(task.axes.published)} to what "
                f"{task.limits.text()}."]
    return []


def sizes_text(lengths):
    return ", ".join(f"{axis} {n}" for axis, n in lengths.items())


def _layout(task, tensor):
    """Name, offset and shape of what lies in a packed tensor."""
    shapes = {t.name: shape for t, _, shape, _ in task.axes.texts() if t.role == "parameter"}
    parts, products = [], []
    for name in tensor.dotted:
        parts.append(f"{name} at {sum_text(products)} [{', '.join(map(str, shapes[name]))}]")
        products.append(product_text(shapes[name]))
    return f"The tensor {tensor.name} holds, one after the other: {'; '.join(parts)}."
