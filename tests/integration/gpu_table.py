#!/usr/bin/env python3
# Times nothing: may run beside others.
"""Tests experiments/gpu_baselines.py: its table from hand-made runs and PyTorch figures; the
PyTorch formulations of all tasks, which take their task's inputs in order; and the parts of
experiments/gpu_benchmark.sh, with a stand-in for the program. Needs neither PyTorch nor a GPU."""
import ast
import hashlib
import json
import math
import os
import pathlib
import re
import shutil
import sqlite3
import struct
import subprocess
import sys

SOURCE = pathlib.Path(os.environ["KE_SOURCE"])
SCRIPT = SOURCE / "experiments/gpu_baselines.py"
BENCHMARK = SOURCE / "experiments/gpu_benchmark.sh"
TASKS = SOURCE / "configs/tasks/recsys"


# Interrupts its first search; each later one ends.
STAND_IN = """#!/bin/sh
echo "$@" >>calls
case $1 in
  doctor) echo "cuda driver ok made"; echo "cuda compiler ok made" ;;
  run) for word; do folder=$word; [ "$last" = --out ] && break; last=$word; done
       mkdir -p "$folder"; touch "$folder/index.json"; [ -e ended ] || exit 130; cp made.kev "$folder" ;;
  resume) touch ended; cp made.kev "$2" ;;
esac
"""


def run_file(path, device="Made GPU; driver 1; cold caches", config="", bench=(2.0, 1.9, 2.1), seed=7):
    """A run whose champion takes 10, 20 and 30 us in three clusters, and half the anchor's time."""
    path.unlink(missing_ok=True)
    database = sqlite3.connect(path)
    database.executescript((SOURCE / "archive/schema.sql").read_text())
    database.execute("PRAGMA foreign_keys = OFF")
    database.execute("INSERT INTO run VALUES (1, 1, ?, NULL, 'recsys/softmax', NULL, ?)", (config, seed))
    database.execute("INSERT INTO evaluator VALUES (1, 'cuda', ?, '', 1, 1)", (device,))
    database.execute("INSERT INTO stop VALUES (1, 'budget', 60, 60, 5, NULL, NULL)")
    database.execute("INSERT INTO attempt VALUES (1, x'01', NULL, 'verify', 1, 'anchor', NULL, 0, 'ok', '', '', NULL, "
                     "NULL, 0, 0, 0, 0, x'00')")
    database.execute("INSERT INTO measurement VALUES (1, 'none', 2.0, 1.9, 2.1, 0.01)")
    database.execute("INSERT INTO workload_timing VALUES (1, 1, 0, 'rows=1', 'bench', 2.0, 1.9, 2.1, 2e4, 4e4, 1e3)")
    for number, us in enumerate((20, 10, 30)):
        samples = struct.pack("<4q", 1000 * us, 99000, 99000, 1000 * us)
        database.execute("INSERT INTO cluster VALUES (1, ?, 0, 'ABBA', ?, x'')", (number, samples))
    for role, figures in (("bench", bench), ("holdout", (0.5, 0.4, 0.6))):
        database.execute("INSERT INTO verified VALUES (5, 'anchor', ?, ?, ?, ?, x'01', '', x'00')", (role, *figures))
    database.commit()
    database.close()


def change(path, statement):
    database = sqlite3.connect(path)
    database.execute("PRAGMA foreign_keys = OFF")
    database.execute(statement)
    database.commit()
    database.close()


def pytorch_file(path, arms, **costs):
    figures = {name: {"us": us, "low": us - 1, "high": us + 1} for name, us in arms.items()}
    task = {"workload": "rows=1", "bytes": 5000, "flops": 0, "arms": figures, **costs}
    path.write_text(json.dumps({
        "schema": "kernelevolve-pytorch/1", "device": "Made GPU", "driver": "1", "torch": "2", "date": "2026",
        "multiprocessors": 1, "clocks_mhz": {"sm_max": "1000"}, "copy_bytes_per_us": 1000, "tasks": {"softmax": task}}))


def table(*files):
    return subprocess.run([sys.executable, SCRIPT, "table", *map(str, files)], capture_output=True, text=True)


def check(what, good):
    print(f"{'ok  ' if good else 'FAIL'} {what}")
    return 0 if good else 1


def check_table():
    folder = pathlib.Path.cwd()
    run, pytorch = folder / "made.softmax.s7.kev", folder / "pytorch.json"
    run_file(run)
    pytorch_file(pytorch, {"plain eager ieee": 80, "plain compile ieee": 60, "plain eager default": 5,
                           "expert compile ieee": 40, "channels_last graphs ieee": 25, "channels_last eager default": 1})
    said = table(run, pytorch)
    cells = [cell.strip() for line in said.stdout.splitlines() if line.startswith("| softmax")
             for cell in line.strip("|").split("|")]
    wanted = ["softmax", "5.0", "80.0 [79.0, 81.0]", "5.0 [4.0, 6.0]", "60.0 [59.0, 61.0]", "-", "40.0 [39.0, 41.0]",
              "25.0 [24.0, 26.0]", "s7, 60 ev.", "20.0 [10.0, 30.0]", "3.00 [1.97, 6.10]", "2.00 [1.30, 4.10]",
              "1.25 [0.80, 2.60]", "2.00 [1.90, 2.10]", "-", "-",
              "0.50 [0.40, 0.60]"]
    failed = check(f"the row holds the figures {said.stderr}", cells == wanted)
    failed += check("means are printed", "1 tasks, geometric mean over PyTorch's best of eager and compiled: 3.00" in
                    said.stdout and "over PyTorch with expert formulations: 2.00" in said.stdout and
                    "with channels last on both sides too: 1.25" in said.stdout)
    failed += check("without a run the row has PyTorch's figures alone", "| - | - | - |" in table(pytorch).stdout)
    failed += check("without PyTorch the floor is the judge's", "| softmax | 1.0 | - |" in table(run).stdout)
    for half, floor in ((False, "16.0"), (True, "5.0")):  # 256 and 4,096 operations a cycle; bytes take 5 us
        pytorch_file(pytorch, {"plain eager ieee": 80}, flops=256 * 1000 * 16, half=half)
        failed += check(f"the floor of {'half' if half else 'single'} precision",
                        f"| softmax | {floor} |" in table(pytorch).stdout)
    run_file(run, "Other GPU; driver 1")
    said = table(run, pytorch)
    failed += check("another device is refused", said.returncode != 0 and "Other GPU" in said.stderr)
    pytorch.write_text("{}")
    for what, files in (("no run file", (pytorch, pytorch)), ("no schema", (pytorch,))):
        said = table(*files)
        failed += check(f"{what}: {said.stderr.strip()}", said.returncode == 1 and said.stderr.count("\n") == 1)
    return failed


def check_arms():
    """Checks ratios of speedups, whose relative errors add in quadrature: 5 % and 12 % make 13
    %."""
    folder = pathlib.Path.cwd()
    arms = {name: folder / f"made.{name}.kev" for name in ("evolution", "random", "naive")}
    run_file(arms["evolution"], bench=(2.0, 2.0 / 1.05, 2.0 * 1.05))
    run_file(arms["random"], config="a = b\nstrategy.kind = random\n", bench=(1.6, 1.6 / 1.12, 1.6 * 1.12))
    run_file(arms["naive"], config="start = naive\n", bench=(0.5, 0.5, 0.5))
    said = table(*arms.values()).stdout
    row = next(line for line in said.splitlines() if line.startswith("| softmax"))
    low, high = (float(end) for end in re.search(r"1\.25 \[([\d.]+), ([\d.]+)\]", row).groups())
    spread = math.exp(math.hypot(math.log(1.05), math.log(1.12)))
    failed = check("random search stands beside", abs(low - 1.25 / spread) < 0.006 and abs(high - 1.25 * spread) < 0.006)
    failed += check("so does the naive start", "4.00 [3.81, 4.20]" in row and said.count("| softmax") == 1)
    failed += check("its mean is printed", "1 tasks, geometric mean over random search: 1.25\n" in said)
    # Ratios 1.25, 1.25 and 2.00: scipy.stats.t.interval(0.95, 2, *mean and standard error of the logarithms*)
    for seed, gain in ((8, 1.6), (9, 1.0)):
        run_file(arms["random"].with_name(f"made.random{seed}.kev"), config="strategy.kind = random", seed=seed,
                 bench=(gain, gain, gain))
        run_file(arms["evolution"].with_name(f"made.evolution{seed}.kev"), seed=seed)
    said = table(*sorted(folder.glob("made.*.kev"))).stdout
    failed += check("so is an interval over seeds", "over random search: 1.46; 3 seeds: 1.462 [0.745, 2.869]" in said)
    change(folder / "made.random9.kev", "DELETE FROM stop")
    change(folder / "made.random8.kev", "UPDATE verified SET speedup = 0, ci_low = 0, ci_high = 0, note = 'suspicious'")
    said = table(*sorted(folder.glob("made.*.kev"))).stdout
    failed += check("what has not ended or was refused has no figure, and that is said",
                    "made.random9 has no figure: its search has not ended\n" in said and
                    "made.random8 has no figure: suspicious\n" in said and "over random search: 1.25\n" in said)
    change(folder / "made.evolution8.kev", "DELETE FROM stop")
    said = table(folder / "made.evolution8.kev")
    return failed + check("nor has a table without any run that has ended", said.returncode == 0 and
                          "made.evolution8 has no figure" in said.stdout and "| softmax" not in said.stdout)


def check_parts():
    """The first part ends at once, the second resumes and prints the table, the third has nothing
    left to do."""
    folder = pathlib.Path.cwd() / "parts"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    (folder / "stand_in").write_text(STAND_IN)
    (folder / "stand_in").chmod(0o755)
    (folder / "torch.py").write_text("raise ImportError")
    run_file(folder / "made.kev")
    said = [subprocess.run([BENCHMARK, "-a", "evolution naive", "out", "budget.evaluations=9"], cwd=folder, text=True,
                           capture_output=True, env={**os.environ, "KERNELEVOLVE": str(folder / "stand_in"), "PYTHONPATH": str(folder)})
            for _ in range(3)]
    searches = [line.split() for line in (folder / "calls").read_text().splitlines() if not line.startswith("doctor")]
    failed = check(f"exit codes {[one.returncode for one in said]} {said[1].stderr}", [3, 0, 0] == [one.returncode for one in said])
    failed += check("it goes on where it stopped", [words[0] for words in searches] == ["run", "resume", "run"])
    failed += check("arms and keys are passed on", "kernels=naive" in searches[2] and "kernels=naive" not in searches[0] and
                    "budget.evaluations=9" in searches[2])
    return failed + check("the table is printed", all("20.0 [10.0, 30.0]" in one.stdout for one in said[1:]))


def check_formulations():
    failed = 0
    for folder in sorted(path.parent for path in TASKS.glob("*/task.yaml")):
        text = (folder / "task.yaml").read_text()
        if "\nextends: " in text:
            continue  # uses the words of the other task
        signature = re.search(r"^signature: \[(.*)\]", text, re.M).group(1).split(", ")
        inputs = re.findall(r"^  (\w+):", text.split("\ninputs:\n")[1].split("\noutputs:")[0] + "\n", re.M)
        wanted = [name for name in signature if name in inputs]
        module = ast.parse((folder / "pytorch.py").read_text())
        functions = {node.name: [argument.arg for argument in node.args.args]
                     for node in module.body if isinstance(node, ast.FunctionDef)}
        failed += check(f"{folder.name}: {functions}", "plain" in functions and
                        all(arguments == wanted for arguments in functions.values()))
    return failed


def check_anchors():
    """Champions' opponents are fixed before the measurement; a change must be recorded in
    anchors.sha256."""
    hashes = [line.split() for line in (TASKS / "anchors.sha256").read_text().splitlines()]
    changed = [name for known, name in hashes if hashlib.sha256((TASKS / name).read_bytes()).hexdigest() != known]
    unlisted = {str(path.relative_to(TASKS)) for path in TASKS.glob("*/structured.cu")} - {name for _, name in hashes}
    return check(f"anchors are those that were hashed {changed} {unlisted}", not changed and not unlisted)


if __name__ == "__main__":
    sys.exit(1 if check_anchors() + check_table() + check_arms() + check_parts() + check_formulations() else 0)
