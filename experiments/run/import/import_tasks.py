"""Makes tasks from problems in one of the formats below.

Imports each problem in a separate process with limits of time and memory, so that a hang or crash
only gives one refused row in the report."""

import argparse
import importlib
import json
import multiprocessing
import multiprocessing.connection
import os
import pathlib
import re
import resource
import sys
import time

from licences import stated_licence
from task_file import Refused

COLUMNS = ("problem", "result", "axes", "tensors", "packed", "reduced", "reason")
LANGUAGES = ("cpp", "cuda", "hip", "opencl")
FORMATS = {  # name: (module, source of the problems)
    "kernelbench": ("format_kernelbench", "KernelBench"),
    "module": ("format_kernelbench", ""),
    "flashinfer": ("format_flashinfer", "FlashInfer-Bench"),
    "sol": ("format_flashinfer", "SOL-ExecBench"),
    "polybench": ("format_polybench", "PolyBench/C"),
}


def task_name(text):
    """Task name, e.g. level1_19_relu for level1_19_ReLU."""
    return re.sub(r"_+", "_", re.sub(r"[^a-z0-9]+", "_", text.lower())).strip("_")


def named(reader, files):
    """[(name, file)]; repeated names get a number."""
    made = {}
    for path in files:
        name = first = task_name(reader.problem_name(path))
        number = 1
        while name in made:
            number += 1
            name = f"{first}_{number}"
        made[name] = path
    return list(made.items())


def add_language(folder, language):
    """States the kernels' language in a task without kernels."""
    path = folder / "task.yaml"
    text = path.read_text(encoding="utf-8")
    if language != "cpp" and not re.search(r"^(kernels|language):", text, re.MULTILINE):
        path.write_text(f"{text}language: {language}\n", encoding="utf-8")


def import_one(reader, path, name, out, origin, licence, language, connection):
    """Runs in a child process; sends one row of the report."""
    row = dict.fromkeys(COLUMNS, "")
    row.update(problem=name, result="refused")
    try:
        row.update(reader.import_problem(path, name, origin, licence, out / name), result="imported")
        add_language(out / name, language)
    except MemoryError:
        row["reason"] = "needs more memory than an import may take"
    except Exception as error:
        kind = "" if isinstance(error, Refused) else f"{type(error).__name__}: "
        row["reason"] = (kind + str(error)).split("\n")[0]
    connection.send(row)


def address_space():
    """Bytes mapped by this process: PyTorch for GPUs alone maps more than a problem may use."""
    pages = pathlib.Path("/proc/self/statm").read_text(encoding="ascii").split()[0]
    return int(pages) * resource.getpagesize()


def limited(bytes_limit, *arguments):
    bytes_limit += address_space()
    resource.setrlimit(resource.RLIMIT_AS, (bytes_limit, bytes_limit))
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # output of a problem would spoil the table
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
        """The child's row if it has finished or exceeded its limit, else None."""
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


def import_all(reader, files, options):
    """Rows of the report in the order of the files."""
    reader.load()
    context = multiprocessing.get_context("fork")
    rows, waiting, running = {}, list(enumerate(named(reader, files))), []
    while waiting or running:
        while waiting and len(running) < options.jobs:
            index, (name, path) = waiting.pop(0)
            licence = stated_licence(path) if options.licence is None else options.licence
            origin = f"{options.source} {path.parent.name}/{path.name}" if options.source else ""
            arguments = (reader, path, name, options.out, origin, licence, options.language)
            running.append(Running(context, index, name, arguments, options))
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


def options_of(arguments):
    parser = argparse.ArgumentParser(description="Makes tasks of the problems of other collections.")
    parser.add_argument("format", choices=FORMATS)
    parser.add_argument("path", type=pathlib.Path, help="a problem, or a folder of problems")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="folder of the tasks")
    parser.add_argument("--source", help="what the problems are from")
    parser.add_argument("--licence", help="licence of the problems, if not that of their copy")
    parser.add_argument("--language", choices=LANGUAGES, default="cpp", help="of the kernels, where there are none yet")
    parser.add_argument("--references", type=pathlib.Path, required=True, help="folder of kernelevolve_reference.py")
    parser.add_argument("--json", action="store_true", help="print the rows as JSON")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="problems at a time")
    parser.add_argument("--seconds", type=int, default=180, help="time limit of a problem")
    parser.add_argument("--memory", type=int, default=6, help="GiB that a problem may map")
    options = parser.parse_args(arguments)
    if not options.path.exists():
        parser.error(f"no file or folder '{options.path}'")
    _, source = FORMATS[options.format]
    options.source = source if options.source is None else options.source
    return options


def main():
    options = options_of(sys.argv[1:])
    sys.path.append(str(options.references))
    reader = importlib.import_module(FORMATS[options.format][0])
    files = reader.problem_files(options.path)
    if not files:
        sys.exit(f"import: there is no problem of format {options.format} in {options.path}")
    options.out.mkdir(parents=True, exist_ok=True)
    rows = import_all(reader, files, options)
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
