#!/usr/bin/env python3
"""Times the PyTorch opponents of finished runs of imported modules outside the judge, and compares.

usage: opponent_times.py [--tasks FOLDER] [--limit PERCENT] RUN.kev...

Each form (eager, torch.compile, both in TF32) runs in a process of its own, at all shapes at which the run's champion was
verified, in an order of its own; the judge saw another. On a GPU by CUDA events, behind memory that empties the caches; on
a processor by the clock, with the task's threads. Exit code 1 if a form's times are more than PERCENT (5, on processors 10)
from the judge's at a tenth of its shapes or more."""
import argparse
import json
import pathlib
import random
import re
import runpy
import sqlite3
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "fitness/reference/python"), str(ROOT / "experiments/run/import")]
from shape_formulas import evaluate  # noqa: E402

CALLS, SECONDS = 101, 3.0  # of a shape, whichever ends first; three calls at the least
QUERY = ("SELECT f.baseline, f.role, t.workload, t.opponent_ns FROM verified f JOIN attempt a ON a.key = f.fact_key "
         "JOIN workload_timing t ON t.attempt_id = a.id AND t.role = f.role WHERE t.opponent_ns > 0")


def judged(path):
    """{form: {(role, shape): ns}} of a run, and its task's name."""
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as run:
        name, = run.execute("SELECT task FROM run").fetchone()
        anchor = run.execute("SELECT value FROM task_label WHERE name = 'anchor'").fetchone()
        forms = {}
        for baseline, role, shape, ns in run.execute(QUERY):
            form = anchor[0] if baseline == "anchor" and anchor else baseline
            if form.startswith("pytorch_"):
                forms.setdefault(form, {}).setdefault((role, shape), []).append(ns)
    return name, {form: {at: statistics.median(all_of) for at, all_of in shapes.items()} for form, shapes in forms.items()}


def inputs_of(task):
    """[(expressions of lengths, dtype, fixed, (low, high) or None, scale)] of a task.yaml that import wrote."""
    tensors = []
    for line in re.search(r"^inputs:\n((?:  .*\n)+)", task, re.MULTILINE)[1].splitlines():
        shape = [one.strip().strip('"') for one in re.search(r"shape: \[(.*?)\]", line)[1].split(",") if one.strip()]
        integers = re.search(r"range: \[(-?\d+), \"?(.*?)\"?\]", line)
        scale = re.search(r"[ {]scale: ([\d.e+-]+)", line)
        tensors.append((shape, re.search(r"dtype: (\w+)", line)[1], "changes: never" in line,
                        integers and integers.groups(), float(scale[1]) if scale else 1.0))
    return tensors


def drawn(torch, tensors, axes, device):
    made = []
    for shape, dtype, fixed, integers, scale in tensors:
        dims = [evaluate(length, axes) for length in shape]
        kind = getattr(torch, dtype)
        if dtype == "bool":
            value = torch.rand(dims, device=device) < 0.5
        elif integers:
            value = torch.randint(int(integers[0]), evaluate(integers[1], axes), dims, dtype=kind, device=device)
        else:
            value = (torch.randn(dims, device=device) * scale).to(kind)
        made.append((value, fixed))
    return made


def on_gpu(torch, call):
    flush = torch.empty(512 << 20, dtype=torch.uint8, device="cuda")
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))

    def once():
        flush.sum()
        torch.cuda._sleep(400_000)  # the host gets ahead
        begin.record()
        call()
        end.record()
        torch.cuda.synchronize()
        return begin.elapsed_time(end) * 1e6
    return once


def on_processor(call):
    def once():
        begin = time.perf_counter_ns()
        call()
        return time.perf_counter_ns() - begin
    return once


def median_time(once):
    for _ in range(3):
        once()
    times, until = [], time.monotonic() + SECONDS
    while len(times) < 3 or (len(times) < CALLS and time.monotonic() < until):
        times.append(once())
    return statistics.median(times)


def measure(folder, form, shapes):
    """Prints {shape: ns} as JSON; the process does nothing else."""
    import torch
    task = (folder / "task.yaml").read_text()
    on_cuda = torch.cuda.is_available() and re.search(r"^language: (cuda|hip)", task, re.MULTILINE)
    torch.set_num_threads(int(re.search(r"^threads: (\d+)", task, re.MULTILINE)[1]))
    tf32 = form.endswith("_tf32")
    reference = runpy.run_path(str(folder / "reference.py"), run_name="reference")["reference"]
    found = {}
    for shape in shapes:
        axes = {name: int(length) for name, length in re.findall(r"(\w+)=(\d+)", shape)}
        tensors = drawn(torch, inputs_of(task), axes, "cuda" if on_cuda else "cpu")
        model = reference.model(axes, [value for value, fixed in tensors if fixed])
        if on_cuda:
            model = model.to("cuda")  # buffers, which are no tensors of the task
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = tf32
        given = [value for value, fixed in tensors if not fixed]
        called = model
        if "compiled" in form:
            torch._dynamo.reset()
            called = torch.compile(model, dynamic=False)
        with torch.no_grad():
            def call(called=called, given=given):
                return reference.call(called, given)
            found[shape] = median_time(on_gpu(torch, call) if on_cuda else on_processor(call))
    name = torch.cuda.get_device_name() if on_cuda else "the processor"
    print(json.dumps({"device": name, "times": found}))


def compare(path, tasks, limit):
    name, forms = judged(path)
    folder = next((at for at in (tasks / name, tasks) if (at / "task.yaml").is_file()), None)
    if folder is None or not forms:
        sys.exit(f"{path}: {'no figures over PyTorch' if folder else f'no task {name} in {tasks}'}")
    good = True
    for form, shapes in sorted(forms.items()):
        order = sorted({shape for _, shape in shapes})
        random.Random(form).shuffle(order)
        done = subprocess.run([sys.executable, __file__, "--measure", folder, form, *order], stdout=subprocess.PIPE, text=True)
        if done.returncode:
            sys.exit(f"{name}, {form}: ended with {done.returncode}")
        answer = json.loads(done.stdout.splitlines()[-1])
        most = limit or (10 if answer["device"] == "the processor" else 5)
        far = 0
        for (role, shape), ns in sorted(shapes.items()):
            own = answer["times"][shape]
            far += abs(ns / own - 1) > most / 100
            print(f"{name}  {form}  {role}  {shape}  judge {ns / 1e3:.1f} us  outside {own / 1e3:.1f} us  {100 * (ns / own - 1):+.1f} %")
        print(f"{name}  {form}: {len(shapes) - far} of {len(shapes)} shapes within {most:g} %, on {answer['device']}", flush=True)
        good = good and far <= len(shapes) // 10
    return good


def main():
    if sys.argv[1:2] == ["--measure"]:
        measure(pathlib.Path(sys.argv[2]), sys.argv[3], sys.argv[4:])
        return 0
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tasks", type=pathlib.Path, default=pathlib.Path("tasks"))
    parser.add_argument("--limit", type=float, default=0)
    parser.add_argument("runs", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    return 0 if all([compare(path, options.tasks, options.limit) for path in options.runs]) else 1


if __name__ == "__main__":
    sys.exit(main())
