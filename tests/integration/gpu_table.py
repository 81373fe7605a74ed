#!/usr/bin/env python3
"""experiments/gpu_baselines.py: its table of a run and of PyTorch's figures, both made by hand; and the formulations in
PyTorch of all tasks, which take the inputs of their task in order. Needs neither PyTorch nor a GPU."""
import ast
import json
import os
import pathlib
import re
import sqlite3
import struct
import subprocess
import sys

SOURCE = pathlib.Path(os.environ["KE_SOURCE"])
SCRIPT = SOURCE / "experiments/gpu_baselines.py"
TASKS = SOURCE / "configs/tasks/recsys"


def run_file(path, device="Made GPU; driver 1; cold caches"):
    """A run whose champion takes 10, 20 and 30 us in three clusters, and half the anchor's time."""
    path.unlink(missing_ok=True)
    database = sqlite3.connect(path)
    database.executescript((SOURCE / "archive/schema.sql").read_text())
    database.execute("PRAGMA foreign_keys = OFF")
    database.execute("INSERT INTO run VALUES (1, 1, '', NULL, 'recsys/softmax', NULL, 7)")
    database.execute("INSERT INTO evaluator VALUES (1, 'cuda', ?, '', 1, 1)", (device,))
    database.execute("INSERT INTO stop VALUES (1, 'budget', 60, 60, 5, NULL, NULL)")
    database.execute("INSERT INTO attempt VALUES (1, x'01', NULL, 'verify', 1, 'anchor', NULL, 0, 'ok', '', '', NULL, "
                     "NULL, 0, 0, 0, 0, x'00')")
    database.execute("INSERT INTO measurement VALUES (1, 'none', 2.0, 1.9, 2.1, 0.01)")
    database.execute("INSERT INTO workload_timing VALUES (1, 1, 0, 'rows=1', 'bench', 2.0, 1.9, 2.1, 2e4, 4e4, 1e3)")
    for number, us in enumerate((20, 10, 30)):
        samples = struct.pack("<4q", 1000 * us, 99000, 99000, 1000 * us)
        database.execute("INSERT INTO cluster VALUES (1, ?, 0, 'ABBA', ?, x'')", (number, samples))
    for role, speedup in (("bench", 2.0), ("holdout", 0.5)):
        database.execute("INSERT INTO verified VALUES (5, 'anchor', ?, ?, ?, ?, x'01', '', x'00')",
                         (role, speedup, speedup - 0.1, speedup + 0.1))
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
                           "expert compile ieee": 40})
    said = table(run, pytorch)
    cells = [cell.strip() for line in said.stdout.splitlines() if line.startswith("| softmax")
             for cell in line.strip("|").split("|")]
    wanted = ["softmax", "5.0", "80.0 [79.0, 81.0]", "5.0 [4.0, 6.0]", "60.0 [59.0, 61.0]", "-", "40.0 [39.0, 41.0]",
              "s7, 60 ev.", "20.0 [10.0, 30.0]", "3.00 [1.97, 6.10]", "2.00 [1.30, 4.10]", "2.00 [1.90, 2.10]",
              "0.50 [0.40, 0.60]"]
    failed = check(f"the row holds the figures {said.stderr}", cells == wanted)
    failed += check("means are printed", "1 tasks, geometric mean: 3.00" in said.stdout and "2.00 with" in said.stdout)
    failed += check("without a run the row has PyTorch's figures alone", "| - | - | - |" in table(pytorch).stdout)
    for half, floor in ((False, "16.0"), (True, "5.0")):  # 256 and 4,096 operations a cycle; bytes take 5 us
        pytorch_file(pytorch, {"plain eager ieee": 80}, flops=256 * 1000 * 16, half=half)
        failed += check(f"the floor of {'half' if half else 'single'} precision",
                        f"| softmax | {floor} |" in table(pytorch).stdout)
    run_file(run, "Other GPU; driver 1")
    said = table(run, pytorch)
    failed += check("another device is refused", said.returncode != 0 and "Other GPU" in said.stderr)
    pytorch.write_text("{}")
    for what, files in (("no run file", (pytorch, pytorch)), ("no figures", (run, run)), ("no schema", (pytorch,))):
        said = table(*files)
        failed += check(f"{what}: {said.stderr.strip()}", said.returncode == 1 and said.stderr.count("\n") == 1)
    return failed


def check_formulations():
    failed = 0
    for folder in sorted(path.parent for path in TASKS.glob("*/task.yaml")):
        text = (folder / "task.yaml").read_text()
        signature = re.search(r"^signature: \[(.*)\]", text, re.M).group(1).split(", ")
        inputs = re.findall(r"^  (\w+):", text.split("\ninputs:\n")[1].split("\noutputs:")[0] + "\n", re.M)
        wanted = [name for name in signature if name in inputs]
        module = ast.parse((folder / "pytorch.py").read_text())
        functions = {node.name: [argument.arg for argument in node.args.args]
                     for node in module.body if isinstance(node, ast.FunctionDef)}
        failed += check(f"{folder.name}: {functions}", "plain" in functions and
                        all(arguments == wanted for arguments in functions.values()))
    return failed


if __name__ == "__main__":
    sys.exit(1 if check_table() + check_formulations() else 0)
