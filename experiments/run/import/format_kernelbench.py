"""Formats `kernelbench` and `module`: Python files with class Model, get_inputs() and get_init_inputs()."""

import contextlib
import re


def load():
    """Imports the modules that problems need before processes are forked."""
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


def problem_name(path):
    """Name of a problem: level1_19_ReLU for level1/19_ReLU.py."""
    level = path.parent.name if re.fullmatch(r"level\d+", path.parent.name) else ""
    return f"{level}_{path.stem}"


def import_problem(path, name, origin, licence, folder):
    """Writes the task; returns columns of the report."""
    from module_task import make_task, write_task
    source = path.read_text(encoding="utf-8")
    task = make_task(source, str(path), name, origin, licence)
    level = re.fullmatch(r"level(\d+)", path.parent.name)
    task.category = f"level {level[1]}" if level else ""
    write_task(task, source, folder)
    return dict(axes=str(len(task.axes.published)), tensors=str(len(task.tensors)),
                packed="packed" if task.packed else "", reduced="reduced" if task.reduced() else "")
