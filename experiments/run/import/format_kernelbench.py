"""Formats `kernelbench` and `module`: Python files with class Model, get_inputs() and get_init_inputs()."""

import contextlib
import os
import re


def load():
    """Imports the modules that problems need before processes are forked."""
    os.environ["TORCHDYNAMO_DISABLE"] = "1"  # a module's own torch.compile would see the modes of probes
    import torch
    with contextlib.suppress(ImportError):  # missing in PyTorch 1.13
        import torch.utils.flop_counter  # noqa: F401
    import module_probe
    import module_task  # noqa: F401
    torch.set_num_threads(1)
    with contextlib.suppress(Exception):  # PyTorch 1.13 cannot compute without data
        module_probe.warm_up()


def problem_files(path):
    """Python files of a problem or a folder of problems, in natural order."""
    if path.is_file():
        return [path]
    files = [p for p in path.rglob("*.py") if re.match(r"\d+_|level", p.name) or p.parent == path]
    return sorted(files, key=lambda p: [int(w) if w.isdigit() else 0 for w in re.findall(r"\d+|\D+", str(p))])


def signature(task):
    """For each input of the task what it holds of the module: an argument of forward, or dotted names."""
    return [t.dotted if isinstance(t.dotted, list) else [t.dotted] for t in task.tensors if t.role != "output"]


def notes(task):
    from module_description import changed_text
    constant = [f"{', '.join(task.constant)} is the same whatever the inputs"] if task.constant else []
    state = task.runner.problem.state
    changed = [changed_text(state)] if state.changed else []
    served = [f"the bench shapes are {100 * task.served.share:.3g} % of the calls"] if task.served else []
    return "; ".join([*constant, *changed, *served, *filter(None, [task.axes.tried])])


def problem_name(path):
    """Name of a problem: level1_19_ReLU for level1/19_ReLU.py."""
    level = path.parent.name if re.fullmatch(r"level\d+", path.parent.name) else ""
    return f"{level}_{path.stem}"


def import_problem(path, name, origin, licence, folder, **settings):
    """Writes the task; returns columns of the report. settings: further arguments of make_task()."""
    from module_task import make_task, write_task
    source = path.read_text(encoding="utf-8")
    task = make_task(source, str(path), name, origin, licence, **settings)
    level = re.fullmatch(r"level(\d+)", path.parent.name)
    task.category = f"level {level[1]}" if level else ""
    write_task(task, source, folder)
    return dict(axes=str(len(task.axes.published)), tensors=str(len(task.tensors)),
                packed="packed" if task.packed else "", reduced="reduced" if task.reduced() else "", note=notes(task),
                signature=signature(task), gpu_share=task.gpu_share)
