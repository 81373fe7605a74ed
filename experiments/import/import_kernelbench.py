"""Imports KernelBench problems as tasks.

Each problem is imported by a process of its own, with limits of time and memory, so that one
which hangs or crashes is one refused row of the report.
"""

import argparse
import contextlib
import json
import multiprocessing
import multiprocessing.connection
import os
import pathlib
import re
import resource
import sys
import time

COLUMNS = ("problem", "result", "axes", "tensors", "packed", "reduced", "reason")


def task_name(path):
    """level1/19_ReLU.py: level1_19_relu."""
    level = path.parent.name if re.fullmatch(r"level\d+", path.parent.name) else ""
    words = re.sub(r"[^a-z0-9]+", "_", f"{level}_{path.stem}".lower())
    return re.sub(r"_+", "_", words).strip("_")


def problem_files(path):
    """Python files of a problem or a folder of problems, in natural order."""
    if path.is_file():
        return [path]
    files = [p for p in path.rglob("*.py") if re.match(r"\d+_|level", p.name) or p.parent == path]
    return sorted(files, key=lambda p: [int(w) if w.isdigit() else 0 for w in re.findall(r"\d+|\D+", str(p))])


def import_one(path, out, origin, licence, connection):
    """Runs in a child: sends one row of the report."""
    name = task_name(path)
    row = dict.fromkeys(COLUMNS, "")
    row.update(problem=name, result="refused")
    try:
        import torch
        torch.set_num_threads(1)
        from module_task import make_task, write_task
        source = path.read_text(encoding="utf-8")
        task = make_task(source, str(path), name, origin, licence)
        write_task(task, source, out / name)
        row.update(result="imported", axes=str(len(task.axes.published)), tensors=str(len(task.tensors)),
                   packed="packed" if task.packed else "", reduced="reduced" if task.reduced() else "")
    except MemoryError:
        row["reason"] = "needs more memory than an import may take"
    except Exception as error:
        from module_probe import Refused
        kind = "" if isinstance(error, Refused) else f"{type(error).__name__}: "
        row["reason"] = (kind + str(error)).split("\n")[0]
    connection.send(row)


def limited(bytes_limit, *arguments):
    resource.setrlimit(resource.RLIMIT_AS, (bytes_limit, bytes_limit))
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # a problem that prints would spoil the table
    import_one(*arguments)


class Running:
    """A child and its time limit."""

    def __init__(self, context, index, name, arguments, options):
        self.index, self.name = index, name
        self.connection, far = context.Pipe(duplex=False)
        self.deadline = time.monotonic() + options.seconds
        self.process = context.Process(target=limited, args=(options.memory << 30, *arguments, far))
        self.process.start()
        far.close()

    def row(self):
        """The child's row if it is through or past its limit, else None."""
        row = None
        if self.connection.poll():
            try:
                row = self.connection.recv()
            except EOFError:
                self.process.join()
                row = self._refused(f"the import stopped with exit code {self.process.exitcode}")
        elif time.monotonic() > self.deadline:
            self.process.kill()
            row = self._refused("the import took longer than its time limit")
        if row is not None:
            self.process.join()
        return row

    def _refused(self, reason):
        return {**dict.fromkeys(COLUMNS, ""), "problem": self.name, "result": "refused", "reason": reason}


def import_all(files, options):
    """Rows of the report in the order of the files."""
    import torch  # once, before children are forked
    with contextlib.suppress(ImportError):  # PyTorch 1.13 has none
        import torch.utils.flop_counter  # noqa: F401
    import module_task  # noqa: F401
    torch.set_num_threads(1)
    context = multiprocessing.get_context("fork")
    rows, waiting, running = {}, list(enumerate(files)), []
    while waiting or running:
        while waiting and len(running) < options.jobs:
            index, path = waiting.pop(0)
            arguments = (path, options.out, f"{options.source} {path.parent.name}/{path.name}", options.licence)
            running.append(Running(context, index, task_name(path), arguments, options))
        multiprocessing.connection.wait([one.connection for one in running], timeout=0.5)
        for one in list(running):
            row = one.row()
            if row is not None:
                running.remove(one)
                rows[one.index] = row
                print(f"{row['problem']}: {row['result']} {row['reason']}", file=sys.stderr, flush=True)
    return [rows[index] for index in sorted(rows)]


def print_table(rows):
    widths = [max([len(c)] + [len(row[c]) for row in rows]) for c in COLUMNS]
    for row in [dict(zip(COLUMNS, COLUMNS)), *rows]:
        print("  ".join(row[c].ljust(w) for c, w in zip(COLUMNS, widths)).rstrip())


def main():
    parser = argparse.ArgumentParser(description="Imports KernelBench problems as tasks.")
    parser.add_argument("path", type=pathlib.Path, help="a problem, or a folder of problems")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="folder of the tasks")
    parser.add_argument("--source", default="KernelBench", help="what the problems are from")
    parser.add_argument("--licence", default="MIT", help="licence of the problems")
    parser.add_argument("--references", type=pathlib.Path, required=True, help="folder of kernelevolve_reference.py")
    parser.add_argument("--json", action="store_true", help="print the rows as JSON")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="problems at a time")
    parser.add_argument("--seconds", type=int, default=60, help="time limit of a problem")
    parser.add_argument("--memory", type=int, default=6, help="GiB of address space of a problem")
    options = parser.parse_args()
    if not options.path.exists():
        parser.error(f"no file or folder '{options.path}'")
    sys.path.append(str(options.references))
    options.out.mkdir(parents=True, exist_ok=True)
    rows = import_all(problem_files(options.path), options)
    text = ["\t".join(COLUMNS)] + ["\t".join(row[c] for c in COLUMNS) for row in rows]
    (options.out / "import.tsv").write_text("\n".join(text) + "\n", encoding="utf-8")
    imported = sum(row["result"] == "imported" for row in rows)
    if options.json:
        print(json.dumps({"problems": rows}, indent=2))
    else:
        print_table(rows)
        print(f"{imported} imported, {len(rows) - imported} refused")
    return 0 if imported else 1


if __name__ == "__main__":
    sys.exit(main())
