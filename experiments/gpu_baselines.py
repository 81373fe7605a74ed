#!/usr/bin/env python3
"""System against PyTorch: times PyTorch on the tasks of configs/tasks/recsys, and sets runs of the search beside it.

usage: experiments/gpu_baselines.py measure [TASK...] -o pytorch.json    on the GPU that the runs were made on; goes on
                                                                         with a file that it began
       experiments/gpu_baselines.py table RUN.kev... [pytorch.json]      anywhere, needs nothing beyond Python

A task's pytorch.py says what is timed: `plain(inputs...)` as the documentation of PyTorch suggests it, and maybe
`expert(inputs...)`, a formulation of someone who knows better, and `channels_last(inputs...)`, one whose inputs and
results lie otherwise: `prepare_channels_last(inputs...)` makes its inputs, outside of the clock, so it has a column of its
own. `measure` needs torch and PyYAML.

Times are of the device alone, as the judge takes them: caches flushed in front of each call, events around it, the
host far ahead of the device. A round is the median of some calls; arms take turns within a round, in random order. A
figure is the median of the rounds, its interval the least and the largest, which hold the true median with 97 % at six
rounds. Of a champion likewise, with the clusters of its verification as rounds. Products and convolutions of float32 are
in IEEE single precision, as kernels of ours must be; `default` is what PyTorch does when nobody asks: TF32 in convolutions.

Each line of the table is a run that evolved kernels. Runs of the same task and seed that drew at random (strategy:
random) or started from the naive kernel alone (kernels: naive) are set beside it: their champion's time over its own, from
the speedups of both over the anchor. Intervals over seeds are Student's, 95 %, of the seeds' geometric means.
"""
import argparse
import datetime
import importlib.util
import json
import math
import pathlib
import random
import sqlite3
import statistics
import struct
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
TASKS = ROOT / "configs/tasks/recsys"
SCHEMA = "kernelevolve-pytorch/1"
ROUNDS, CALLS, WARM_UP = 6, 15, 5
FLUSHED_CACHES = 3        # bytes read before each call, in sizes of the L2 cache
AHEAD_CYCLES = 300_000    # wait while the host enqueues a call; pytorch.py may override it
FLOPS_OF_MULTIPROCESSOR = {False: 2 * 128, True: 4096}  # per cycle: float32; half types
RANKING = ("embedding_bag", "dot_interaction", "fm_interaction", "depthwise_conv1d", "conv1d", "conv1d_f16", "map_id",
           "truncate_32")  # operators of ranking models; the others are general
T_975 = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262)  # Student's t with 1, 2, .. degrees of freedom
MODES = ("ieee", "default")
MODE = "max-autotune-no-cudagraphs"  # of torch.compile; `graphs` is what that made, captured as one CUDA graph


def fail(message):
    sys.exit(f"gpu_baselines: {message}")


# --- tasks ---

def evaluated(expression, axes):
    """Evaluates a number of task.yaml: integers, axes, + - * /, min, max, ceil_div."""
    names = dict(axes, min=min, max=max, ceil_div=lambda a, b: -(-a // b), __builtins__={})
    return int(eval(str(expression).replace("/", "//"), names))


class Task:
    def __init__(self, name):
        import yaml
        self.name, folder = name, TASKS / name
        self.document = yaml.safe_load((folder / "task.yaml").read_text())
        if "extends" in self.document:
            folder = folder / self.document["extends"]
            self.document = yaml.safe_load((folder / "task.yaml").read_text()) | self.document
        bench = next(one for one in self.document["workloads"] if one["role"] == "bench")
        fixed = {axis: value for axis, value in self.document["axes"].items() if value != "var"}
        self.axes = fixed | {axis: value for axis, value in bench.items() if axis != "role"}
        spec = importlib.util.spec_from_file_location(f"pytorch_{name}", folder / "pytorch.py")
        self.module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self.module)

    def cost(self, key):
        return evaluated(self.document["cost"][key], self.axes)

    def half(self):
        return any(spec["dtype"] in ("float16", "bfloat16") for spec in self.document["inputs"].values())

    def workload(self):
        axes = [axis for axis, value in self.document["axes"].items() if value == "var"]
        return " ".join(f"{axis}={self.axes[axis]}" for axis in axes)

    def inputs(self, torch):
        """Inputs on the device; each has the first class of its list."""
        made = []
        for name in self.document["signature"]:
            if name not in self.document["inputs"]:
                continue
            spec = self.document["inputs"][name]
            shape = [evaluated(length, self.axes) for length in spec["shape"]]
            dtype = getattr(torch, spec["dtype"])
            if "range" in spec or dtype == torch.bool:
                low, high = (evaluated(end, self.axes) for end in spec.get("range", (0, 2)))
                made.append(torch.randint(low, high, shape, device="cuda").to(dtype))
                continue
            values = torch.randn(shape, device="cuda").to(dtype) * spec.get("scale", 1)
            made.append(values.sort().values if spec["classes"][0] == "sorted" else values)
        return getattr(self.module, "prepare", lambda *same: same)(*made)


def task_names():
    return sorted(path.parent.name for path in TASKS.glob("*/task.yaml"))


# --- timing ---

class Clock:
    """Times calls after flushing the caches."""

    def __init__(self, torch):
        self.torch = torch
        cache = torch.cuda.get_device_properties(0).L2_cache_size
        self.other = torch.ones(FLUSHED_CACHES * cache // 4, device="cuda")
        self.ahead_cycles = AHEAD_CYCLES

    def call_us(self, call):
        begin, end = (self.torch.cuda.Event(enable_timing=True) for _ in range(2))
        self.torch.cuda._sleep(self.ahead_cycles)
        self.other.sum()
        begin.record()
        call()
        end.record()
        self.torch.cuda.synchronize()
        return begin.elapsed_time(end) * 1e3

    def rounds(self, arms):
        """Median of each round in us, by arm."""
        taken = {name: [] for name in arms}
        for call in arms.values():
            for _ in range(WARM_UP):
                self.call_us(call)
        for _ in range(ROUNDS):
            for name in random.sample(list(arms), len(arms)):
                taken[name].append(statistics.median(self.call_us(arms[name]) for _ in range(CALLS)))
        return taken


def relative_error(torch, got, want):
    """Norm of the difference from double precision over the norm of that, some rows at a time."""
    wrong = right = 0.0
    for part, true in zip(got.split(1024), want.split(1024)):
        wrong += float((part.double() - true).square().sum())
        right += float(true.square().sum())
    return math.sqrt(wrong / right) if right > 0 else math.sqrt(wrong)


def functions_of(task):
    """(formulation, function, converter of the task's inputs) for a task; some only for
    torch.compile."""
    def as_they_are(*inputs):
        return inputs
    yield "plain", task.module.plain, as_they_are
    if hasattr(task.module, "expert"):
        yield "expert", task.module.expert, as_they_are
    if hasattr(task.module, "channels_last"):
        yield "channels_last", task.module.channels_last, task.module.prepare_channels_last


def captured(torch, call):
    """Captures the call as a CUDA graph; replaying it returns the tensor that it fills."""
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result = call()

    def replay():
        graph.replay()
        return result
    return replay


def formulated(torch, function, inputs):
    """(arm, call without arguments) of a formulation, compiled once."""
    if not getattr(function, "compiled_only", False):
        yield "eager", lambda: function(*inputs)
    compiled = torch.compile(function, mode=MODE, dynamic=False)

    def call():
        return compiled(*inputs)
    yield "compile", call
    yield "graphs", captured(torch, call)


def arms_of(torch, task, inputs, want, problems):
    """Functions to time, as calls without arguments, and the error of each."""
    arms, errors = {}, {}
    torch._dynamo.reset()
    for formulation, function, prepared in functions_of(task):
        name = formulation
        try:
            for arm, call in formulated(torch, function, prepared(*inputs)):
                name = f"{formulation} {arm}"
                for _ in range(3):
                    call()
                errors[name] = relative_error(torch, call(), want)
                arms[name] = call
        except Exception as problem:  # compilers may raise anything
            problems[f"{task.name} after {name}"] = f"{type(problem).__name__}: {problem}"[:300]
    return arms, errors


def measured(torch, clock, name, problems):
    task = Task(name)
    inputs = task.inputs(torch)
    clock.ahead_cycles = getattr(task.module, "host_ahead_cycles", AHEAD_CYCLES)
    want = task.module.plain(*(t.double() if t.is_floating_point() else t for t in inputs))
    result = {"workload": task.workload(), "bytes": task.cost("bytes"), "flops": task.cost("flops"),
              "half": task.half(), "arms": {}}
    for mode in MODES if getattr(task.module, "convolution", False) else MODES[:1]:
        torch.backends.cuda.matmul.allow_tf32 = False
        torch.backends.cudnn.allow_tf32 = mode == "default"
        arms, errors = arms_of(torch, task, inputs, want, problems)
        for arm, rounds in clock.rounds(arms).items():
            result["arms"][f"{arm} {mode}"] = {
                "us": statistics.median(rounds), "low": min(rounds), "high": max(rounds), "rounds": rounds,
                "error": errors[arm]}
    return result


def smi(fields):
    """Output of nvidia-smi for the first GPU."""
    said = subprocess.run(["nvidia-smi", "-i", "0", f"--query-gpu={fields}", "--format=csv,noheader,nounits"],
                          capture_output=True, text=True)
    return said.stdout.strip()


def copy_bytes_per_us(torch, clock):
    """Bytes read and written per us by a large copy."""
    source = torch.empty(2**28, device="cuda")
    target = torch.empty_like(source)
    least = min(clock.call_us(lambda: target.copy_(source)) for _ in range(10))
    return 2 * source.numel() * 4 / least


def begun(path, result):
    """Earlier measurements of the same things on the same machine, as (tasks, problems)."""
    if not pathlib.Path(path).exists():
        return {}, {}
    document = read_pytorch(path)
    for key in ("device", "driver", "torch"):
        if document[key] != result[key]:
            fail(f"{path}: measured with {key} '{document[key]}', here it is '{result[key]}'")
    return document["tasks"], document["problems"]


def measure(options):
    unknown = sorted(set(options.tasks) - set(task_names()))
    if unknown:
        fail(f"no task '{unknown[0]}'; there are {', '.join(task_names())}")
    import torch
    torch.set_grad_enabled(False)
    start, clock = time.monotonic(), Clock(torch)
    properties = torch.cuda.get_device_properties(0)
    result = {
        "schema": SCHEMA, "device": properties.name,
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "torch": torch.__version__, "cuda": torch.version.cuda, "cudnn": torch.backends.cudnn.version(),
        "triton": __import__("triton").__version__, "driver": smi("driver_version"),
        "clocks_mhz": {"sm": smi("clocks.sm"), "sm_max": smi("clocks.max.sm"), "memory": smi("clocks.mem")},
        "multiprocessors": properties.multi_processor_count, "rounds": ROUNDS, "calls": CALLS,
        "default_tf32": {"matmul": torch.backends.cuda.matmul.allow_tf32, "cudnn": torch.backends.cudnn.allow_tf32},
        "copy_bytes_per_us": copy_bytes_per_us(torch, clock),
        "empty_kernel_us": statistics.median(clock.call_us(lambda: torch.cuda._sleep(0)) for _ in range(CALLS))}
    result["tasks"], problems = begun(options.out, result)
    result["problems"] = problems
    left = [name for name in options.tasks or task_names() if name not in result["tasks"] and name not in problems]
    for name in left:
        if time.monotonic() - start > options.limit:
            print(f"{options.limit:.0f} s are over; the same command goes on with {name}")
            return 3
        try:
            result["tasks"][name] = measured(torch, clock, name, problems)
        except torch.OutOfMemoryError as problem:
            problems[name] = str(problem)[:300]
        torch.cuda.empty_cache()
        print(name, {arm: round(one["us"], 1) for arm, one in result["tasks"].get(name, {"arms": {}})["arms"].items()},
              flush=True)
        result["clocks_mhz"]["sm_at_work"] = smi("clocks.sm")
        whole = pathlib.Path(f"{options.out}.part")  # a kill keeps the old file
        whole.write_text(json.dumps(result, indent=1) + "\n")
        whole.replace(options.out)
    for what, why in problems.items():
        print(f"{what}: {why}", file=sys.stderr)
    return 0


# --- table ---

class Run:
    """The verified champion of a run file."""

    def __init__(self, path):
        self.name = pathlib.Path(path).stem
        try:
            self.database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
            task, self.seed = self.one("SELECT task, seed FROM run")
        except sqlite3.Error as problem:
            fail(f"{path}: not a run file: {problem}")
        self.task = pathlib.PurePath(task).name
        lines = self.one("SELECT config_text FROM run")[0].splitlines()
        self.arm = "naive" if "start = naive" in lines else "random" if "strategy.kind = random" in lines else "evolution"
        self.device = (self.one("SELECT device_class FROM evaluator") or [""])[0]
        stopped = self.one("SELECT champion_id, evaluations FROM stop")
        self.ended = stopped is not None
        self.champion, self.evaluations = stopped or (None, 0)

    def one(self, query, *values):
        return self.database.execute(query, values).fetchone()

    def speedup(self, baseline, role):
        """(figure, low, high), or None: not verified, or not found good."""
        found = self.one("SELECT speedup, ci_low, ci_high FROM verified WHERE candidate_id = ? AND baseline = ? "
                         "AND role = ?", self.champion, baseline, role)
        return found if found and found[0] else None

    def refusals(self):
        """Reasons why the champion has no figure against the anchor."""
        return [why for why, in self.database.execute(
            "SELECT DISTINCT note FROM verified WHERE candidate_id = ? AND baseline = 'anchor' AND note != '' AND "
            "coalesce(speedup, 0) = 0", (self.champion,))]

    def floor_us(self):
        """Time for the bench workload's compulsory bytes at the judge's copy rate; None = no
        figure."""
        found = self.one("SELECT t.floor_ns FROM verified v JOIN attempt a ON a.key = v.fact_key JOIN workload_timing t "
                         "ON t.attempt_id = a.id WHERE v.candidate_id = ? AND t.role = 'bench'", self.champion)
        return found[0] / 1e3 if found and found[0] else None

    def bench_us(self, baseline):
        """Median over clusters of the champion's median call, with the least and the largest."""
        medians = []
        rows = self.database.execute(
            "SELECT c.arms, c.samples_ns FROM verified v JOIN attempt a ON a.key = v.fact_key "
            "JOIN workload_timing t ON t.attempt_id = a.id JOIN cluster c ON c.timing_id = t.id "
            "WHERE v.candidate_id = ? AND v.baseline = ? AND v.role = 'bench' AND t.role = 'bench'",
            (self.champion, baseline))
        for arms, samples in rows:
            values = struct.unpack(f"<{len(samples) // 8}q", samples)
            medians.append(statistics.median(ns for arm, ns in zip(arms, values) if arm == "A") / 1e3)
        return (statistics.median(medians), min(medians), max(medians)) if medians else None


def read_pytorch(path):
    try:
        document = json.loads(pathlib.Path(path).read_text())
    except (OSError, ValueError) as problem:
        fail(f"{path}: not what `measure` writes: {problem}")
    if document.get("schema") != SCHEMA:
        fail(f"{path}: schema is {document.get('schema')}, not {SCHEMA}")
    return document


def floor_us(task, pytorch):
    """Time for the compulsory bytes at the copy rate, or for the usual operations at the
    multiply-add rate of the inputs' type."""
    flops = FLOPS_OF_MULTIPROCESSOR[task.get("half", False)]
    rate = pytorch["multiprocessors"] * flops * float(pytorch["clocks_mhz"]["sm_max"])
    return max(task["bytes"] / pytorch["copy_bytes_per_us"], task["flops"] / rate)


def best(arms, *words):
    """Fastest arm whose name begins with one of the words and ends with `ieee`."""
    fitting = [one for name, one in arms.items() if name.startswith(words) and name.endswith("ieee")]
    return min(fitting, key=lambda one: one["us"], default=None)


def shown_us(figure):
    return f"{figure[0]:.1f} [{figure[1]:.1f}, {figure[2]:.1f}]" if figure else "-"


def shown_ratio(figure):
    return f"{figure[0]:.2f} [{figure[1]:.2f}, {figure[2]:.2f}]" if figure else "-"


def arm_us(arms, name):
    one = arms.get(name)
    return shown_us((one["us"], one["low"], one["high"])) if one else "-"


def against(ours, theirs):
    """Their time over ours, from the ends of both intervals."""
    return (theirs["us"] / ours[0], theirs["low"] / ours[2], theirs["high"] / ours[1]) if ours and theirs else None


def over(ours, other):
    """The other champion's time over ours, from the speedups of both over the anchor."""
    if not ours or not other:
        return None
    ratio = ours[0] / other[0]
    spread = math.exp(math.hypot(*(math.log(one[2] / one[1]) / 2 for one in (ours, other))))
    return ratio, ratio / spread, ratio * spread


COLUMNS = ("task", "floor", "eager", "default eager", "compile", "with graphs", "expert", "channels last", "run", "ours",
           "over plain", "over expert too", "over channels last too", "over defaults", "over random search",
           "over naive start", "holdout over defaults")
FORMULATIONS = {"PyTorch's best of eager and compiled": ("plain",),
                "PyTorch with expert formulations": ("plain", "expert"),
                "PyTorch with channels last on both sides too": ("plain", "expert", "channels_last")}


def cells_of_pytorch(name, pytorch):
    arms = pytorch["tasks"][name]["arms"] if name in pytorch["tasks"] else {}
    others = [best(arms, formulation) for formulation in ("expert", "channels_last")]
    return (*(arm_us(arms, f"plain {arm}") for arm in ("eager ieee", "eager default", "compile ieee", "graphs ieee")),
            *(shown_us((one["us"], one["low"], one["high"])) if one else "-" for one in others))


def row_of(name, pytorch, run, beside):
    """Cells of a line, and the run's figures against plain formulations and against all. `beside`:
    comparison runs by arm."""
    known = pytorch["tasks"].get(name)
    ours = run.bench_us("anchor") if run else None
    floor = floor_us(known, pytorch) if known else run.floor_us()
    over_pytorch = {what: against(ours, best(known["arms"], *words)) if known else None
                    for what, words in FORMULATIONS.items()}
    gain = run.speedup("anchor", "bench") if run else None
    others = [over(gain, beside[arm].speedup("anchor", "bench")) if arm in beside else None for arm in ("random", "naive")]
    cells = (name, f"{floor:.1f}" if floor else "-", *cells_of_pytorch(name, pytorch),
             f"s{run.seed}, {run.evaluations} ev." if run else "-", shown_us(ours), *map(shown_ratio, over_pytorch.values()),
             shown_ratio(gain), *map(shown_ratio, others),
             shown_ratio(run.speedup("anchor", "holdout") if run else None))
    return cells, over_pytorch | {"the defaults": gain, "random search": others[0]}


def geometric_mean(figures):
    return math.exp(statistics.fmean(math.log(figure) for figure in figures))


def over_seeds(figures):
    """Text of the interval of the mean over seeds with the same tasks; `figures`: per task, by
    seed."""
    seeds = set.intersection(*(set(by_seed) for by_seed in figures))
    if not 2 <= len(seeds) <= len(T_975) + 1:
        return ""
    means = [statistics.fmean(math.log(by_seed[seed]) for by_seed in figures) for seed in sorted(seeds)]
    middle = statistics.fmean(means)
    half = T_975[len(means) - 2] * statistics.stdev(means) / math.sqrt(len(means))
    return f"; {len(means)} seeds: {math.exp(middle):.3f} [{math.exp(middle - half):.3f}, {math.exp(middle + half):.3f}]"


def print_means(figures):
    """Prints means over all tasks and over ranking operators; `figures`: per task, by opponent and
    seed."""
    for what, names in (("tasks", list(figures)), ("operators of ranking models", [one for one in RANKING if one in figures])):
        for against_what in dict.fromkeys(key for name in names for key in figures[name]):
            found = [figures[name][against_what] for name in names if against_what in figures[name]]
            mean = geometric_mean([geometric_mean(list(by_seed.values())) for by_seed in found])
            print(f"{len(found)} {what}, geometric mean over {against_what}: {mean:.2f}{over_seeds(found)}")


def heading(pytorch, runs):
    if not pytorch["tasks"]:
        device = runs[0].device if runs else "no run has ended"
        return f"Evolved kernels, bench workloads, us of the device [interval]: {device}; PyTorch was not measured"
    empty = pytorch.get("empty_kernel_us")
    return (f"System against PyTorch, bench workloads, us of the device [interval]: {pytorch['device']}, driver "
            f"{pytorch['driver']}, torch {pytorch['torch']}, {pytorch['date']}\n" +
            (f"An empty kernel takes {empty:.1f} us of each figure, and of no floor." if empty else
             "How much of each figure an empty kernel takes was not measured."))


def table(options):
    with_pytorch = options.files[-1].endswith(".json")
    pytorch = read_pytorch(options.files[-1]) if with_pytorch else {"tasks": {}}
    all_runs = [Run(path) for path in (options.files[:-1] if with_pytorch else options.files)]
    runs = [run for run in all_runs if run.ended]
    for run in runs if with_pytorch else []:
        if not run.device.startswith(pytorch["device"]):
            fail(f"{run.name}: made on '{run.device}', {options.files[-1]} on '{pytorch['device']}'")
    print(heading(pytorch, runs) + "\n")
    print("| " + " | ".join(COLUMNS) + " |\n" + "|---" * len(COLUMNS) + "|")
    all_figures = {}
    for name in dict.fromkeys([*pytorch["tasks"], *(run.task for run in runs)]):
        figures = {}
        evolved = [run for run in runs if run.task == name and run.arm == "evolution"]
        for run in evolved or ([None] if name in pytorch["tasks"] else []):
            beside = {other.arm: other for other in runs if run and (other.task, other.seed) == (name, run.seed)}
            cells, found = row_of(name, pytorch, run, beside)
            print("| " + " | ".join(cells) + " |")
            for what, figure in found.items():
                if figure:
                    figures.setdefault(what, {})[run.seed] = figure[0]
        if figures:
            all_figures[name] = figures
    print()
    for run in all_runs:
        for why in run.refusals() if run.ended else ["its search has not ended"]:
            print(f"{run.name} has no figure: {why}")
    print_means(all_figures)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(required=True)
    verb = verbs.add_parser("measure")
    verb.add_argument("tasks", nargs="*", help="names below configs/tasks/recsys; all if none is given")
    verb.add_argument("-o", "--out", required=True)
    verb.add_argument("--limit", type=float, default=math.inf,
                      help="seconds after which no further task is begun, with exit code 3")
    verb.set_defaults(run=measure)
    verb = verbs.add_parser("table")
    verb.add_argument("files", nargs="+", help="run files, then maybe what `measure` wrote")
    verb.set_defaults(run=table)
    options = parser.parse_args()
    sys.exit(options.run(options))


if __name__ == "__main__":
    main()
