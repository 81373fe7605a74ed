"""Makes tasks from problems in one of the formats below.

Imports each problem in a separate process with limits of time and memory, so that a hang or crash
only gives one refused row in the report. A task counts as imported when kernelevolve admits it."""

import argparse
import importlib
import itertools
import json
import multiprocessing
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import time
import warnings

from admission import Waiting, written_folder
from licences import stated_licence
from task_file import Refused, described

GPU_LIMIT = 900  # seconds for writing a task, including the wait for its share of the GPU
MAPPED, MAPPED_FOR_GPU = 6, 24  # GiB that a problem may map; inputs as published are drawn on the host
COLUMNS = ("problem", "result", "axes", "tensors", "packed", "reduced", "reason", "note")
LANGUAGES = ("cpp", "cuda", "hip", "opencl")
DEFAULT_MODES = {"module": "inference", "kernelbench": "train"}  # of formats with modules
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


def free_name(stem, taken):
    """The name itself or, where it is taken, with a number."""
    numbered = (f"{stem}_{number}" for number in itertools.count(2))
    return next(name for name in itertools.chain([stem], numbered) if name not in taken)


def named(reader, files):
    """[(name, file)]; repeated names get a number."""
    made = {}
    for path in files:
        made[free_name(task_name(reader.problem_name(path)), made)] = path
    return list(made.items())


def add_language(folder, language):
    """States the language of the kernels to come, where there are none yet, and the headers that it promises."""
    path = folder / "task.yaml"
    text = path.read_text(encoding="utf-8")
    if not re.search(r"^(kernels|language):", text, re.MULTILINE):
        line = "include: shipped" if language == "cpp" else f"language: {language}"
        path.write_text(f"{text}{line}\n", encoding="utf-8")


def refused_row(name, reason=""):
    return {**dict.fromkeys(COLUMNS, ""), "problem": name, "result": "refused", "reason": reason}


def import_one(reader, path, name, folder, origin, licence, language, settings, connection):
    """Runs in a child process; sends one row of the report."""
    row = refused_row(name)
    try:
        row.update(reader.import_problem(path, name, origin, licence, folder, **settings), result="imported")
        add_language(folder, language)
    except MemoryError:
        row["reason"] = "needs more memory than an import may take"
    except Refused as refused:
        row["reason"] = str(refused).split("\n")[0]
    except Exception as error:
        row["reason"] = described(error, path)
    connection.send(row)


def address_space():
    """Bytes mapped by this process: PyTorch for GPUs alone maps more than a problem may use."""
    pages = pathlib.Path("/proc/self/statm").read_text(encoding="ascii").split()[0]
    return int(pages) * resource.getpagesize()


def limited(bytes_limit, *arguments):
    """bytes_limit: 0 for problems that run on a GPU, whose driver maps far more than any of them uses."""
    if bytes_limit:
        bytes_limit += address_space()
        resource.setrlimit(resource.RLIMIT_AS, (bytes_limit, bytes_limit))
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # output of a problem would spoil the table
    warnings.simplefilter("ignore")  # a problem runs a hundred times
    import_one(*arguments)


class Running:
    """A problem: a child that writes its task, then a check of the task."""

    def __init__(self, context, index, name, arguments, options):
        self.index, self.name, self.options = index, name, options
        self.folder, self.written = options.out / name, written_folder(options.out / name)
        self.waiting = None
        self.connection, far = context.Pipe(duplex=False)
        self.deadline = time.monotonic() + options.limit
        reader, path, *rest = arguments
        self.process = context.Process(target=limited,
                                       args=(options.mapped << 30, reader, path, name, self.written, *rest, far))
        self.process.start()
        far.close()

    def row(self):
        """The problem's row if it is imported or refused, else None."""
        if self.waiting is not None:
            return self.waiting.finished_row()
        row = self._written_row()
        if row is None or row["result"] != "imported":
            return row
        self.waiting = Waiting(row, self.written, self.folder, self.options.program, self.index)
        return None

    def _written_row(self):
        """The child's row if it has finished or exceeded its limit, else None."""
        row = None
        if self.connection.poll():
            try:
                row = self.connection.recv()
            except EOFError:
                self.process.join()
                row = refused_row(self.name, f"the import stopped with exit code {self.process.exitcode}")
        elif time.monotonic() > self.deadline:
            self.process.kill()
            row = refused_row(self.name, "the import took longer than its time limit")
        if row is not None:
            self.process.join()
        return row


def import_all(reader, files, options):
    """Rows of the report in the order of the files."""
    try:
        reader.load()
    except ImportError as error:
        sys.exit(f"import: {sys.executable} cannot be used: {error}; put a python3 first in PATH that has what the format needs")
    context = multiprocessing.get_context("fork")
    rows, waiting, running = {}, list(enumerate(named(reader, files))), []
    while waiting or running:
        while waiting and len(running) < options.jobs:
            index, (name, path) = waiting.pop(0)
            licence = stated_licence(path) if options.licence is None else options.licence
            origin = f"{options.source} {path.parent.name}/{path.name}" if options.source else ""
            arguments = (reader, path, origin, licence, options.language, options.settings)
            running.append(Running(context, index, name, arguments, options))
        time.sleep(0.02)
        for one in list(running):
            row = one.row()
            if row is not None:
                running.remove(one)
                rows[one.index] = row
                print(f"{row['problem']}: {row['result']} {row['reason']}", file=sys.stderr, flush=True)
    return [rows[index] for index in sorted(rows)]


def write_report(rows, path):
    """Rows of problems that earlier calls brought into the same folder stay."""
    lines = ["\t".join(row[c] for c in COLUMNS) for row in rows]
    head, *old = path.read_text(encoding="utf-8").splitlines() if path.exists() else [""]
    names = {row["problem"] for row in rows}
    kept = [line for line in old if head == "\t".join(COLUMNS) and line.split("\t")[0] not in names]
    path.write_text("\n".join(["\t".join(COLUMNS), *kept, *lines]) + "\n", encoding="utf-8")


def table_text(rows):
    """Rows of texts in columns."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    return "".join("  ".join(text.ljust(width) for text, width in zip(row, widths)).rstrip() + "\n" for row in rows)


def options_of(arguments):
    parser = argparse.ArgumentParser(description="Makes tasks of the problems of other collections.")
    parser.add_argument("format", choices=FORMATS)
    parser.add_argument("path", type=pathlib.Path, help="a problem, or a folder of problems")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="folder of the tasks")
    parser.add_argument("--source", help="what the problems are from")
    parser.add_argument("--licence", help="licence of the problems, if not that of their copy")
    parser.add_argument("--language", choices=LANGUAGES, default="cpp", help="of the kernels, where there are none yet")
    parser.add_argument("--mode", choices=("default", *DEFAULT_MODES.values()), default="default", help="of modules")
    parser.add_argument("--dtype", choices=("own", "float32", "bfloat16", "float16"), default="own", help="of modules")
    parser.add_argument("--math", choices=("float32", "tf32"), default="float32", help="of products of float32")
    parser.add_argument("--types", action="append", default=[], help="types that a language has: cpp=float32,int32")
    parser.add_argument("--references", type=pathlib.Path, required=True, help="folder of kernelevolve_reference.py")
    parser.add_argument("--program", required=True, help="kernelevolve, which admits the tasks")
    parser.add_argument("--json", action="store_true", help="print the rows as JSON")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="problems at a time")
    parser.add_argument("--limit", type=int, default=180, help="time limit of writing a task, in seconds")
    parser.add_argument("--memory", type=float, default=0, help="GiB of the GPU that kernels are for; 0 = of this machine's")
    parser.add_argument("--trace", type=pathlib.Path, help="CSV of shapes that a module is called at, and how often")
    parser.add_argument("--seconds", type=float, default=2, help="longest call of the reference at the bench shape")
    options = parser.parse_args(arguments)
    if not options.path.exists():
        parser.error(f"no file or folder '{options.path}'")
    _, source = FORMATS[options.format]
    options.mapped = MAPPED  # 0 = any
    options.source = source if options.source is None else options.source
    options.settings = _settings_of(options, parser)
    return options


def _settings_of(options, parser):
    """Further arguments of a reader's import_problem()."""
    if options.format not in DEFAULT_MODES:
        if (options.mode, options.dtype, options.trace, options.math) != ("default", "own", None, "float32"):
            parser.error("--mode, --dtype, --math and --trace are of formats "
                         f"{' and '.join(DEFAULT_MODES)}, not of {options.format}")
        return {}
    if options.math == "tf32" and (options.language != "cuda" or options.dtype not in ("own", "float32")):
        parser.error("--math tf32 is for float32 on NVIDIA's tensor cores: it needs --language cuda, and no --dtype of 16 bits")
    if options.trace and not options.trace.is_file():
        parser.error(f"--trace: no file '{options.trace}'")
    limits = _limits_of(options)
    mode = DEFAULT_MODES[options.format] if options.mode == "default" else options.mode
    types = dict(one.split("=") for one in options.types)
    return {"mode": mode, "cast": None if options.dtype == "own" else options.dtype, "language": options.language,
            "types": {language: names.split(",") for language, names in types.items()}, "limits": limits,
            "trace": options.trace, "math": options.math}


def _limits_of(options):
    """Of the device that judges the tasks."""
    from module_workloads import GpuLimits, HostLimits
    here = gpu_bytes() if options.language == "cuda" else 0
    if options.language == "cpp" or not (options.memory or here):
        return HostLimits(options.seconds)
    if here:
        options.mapped, options.limit = 0, GPU_LIMIT
    else:
        options.mapped = MAPPED_FOR_GPU
    return GpuLimits(int(options.memory * 2 ** 30) or here * 9 // 10, options.seconds, here=here > 0)


def gpu_bytes():
    """Memory of this machine's first GPU, 0 without one. Asked in a process of its own: children of a process that has used
    a GPU cannot."""
    question = "import torch; print(torch.cuda.get_device_properties(0).total_memory if torch.cuda.is_available() else 0)"
    answer = subprocess.run([sys.executable, "-c", question], capture_output=True, text=True, check=False)
    return int(answer.stdout) if answer.returncode == 0 else 0


def main():
    options = options_of(sys.argv[1:])
    sys.path.append(str(options.references))
    os.environ["KERNELEVOLVE"] = options.program
    reader = importlib.import_module(FORMATS[options.format][0])
    files = reader.problem_files(options.path)
    if not files:
        sys.exit(f"import: there is no problem of format {options.format} in {options.path}")
    options.out.mkdir(parents=True, exist_ok=True)
    rows = import_all(reader, files, options)
    shutil.rmtree(options.out / ".importing", ignore_errors=True)
    write_report(rows, options.out / "import.tsv")
    imported = sum(row["result"] == "imported" for row in rows)
    if options.json:
        print(json.dumps({"problems": rows}, indent=2))
    else:
        table = table_text([COLUMNS, *([row[c] for c in COLUMNS] for row in rows)])
        print(f"{table}{imported} imported, {len(rows) - imported} refused")
    return 0 if imported else 1


if __name__ == "__main__":
    sys.exit(main())
