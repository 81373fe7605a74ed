#!/usr/bin/env python3
# Times nothing: may run beside others.
"""Runs a small search on the simulated RISC-V chip twice with the same history, and kernels that
cheat there."""

import functools
import json
import os
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from program import call as call_in, machine_has  # noqa: E402

SOURCE = pathlib.Path(os.environ["KE_SOURCE"])
FOLDER = pathlib.Path("riscv").resolve()
call = functools.partial(call_in, FOLDER)
HEAD = '#include <cstddef>\nextern "C" void kernel(const float* x, float* y, std::size_t rows, std::size_t cols) {\n'
CHEATS = {  # source of the body, verdict, reason, what the message says
    "reads_a_counter": ('  asm volatile("csrr zero, cycle");\n', "rejected", "forbidden_instruction", "csrr"),
    "writes_outside": ("  y[rows * cols + (1 << 20)] = x[0];\n", "runtime_error", "trap", "store access fault"),
    "never_returns": ("  for (volatile float sink = x[0];;) sink = y[0];\n", "timeout", "call_timeout", "no return"),
}


def searched(name):
    call("run", str(SOURCE / "configs/riscv.yaml"), "task=riscv/depthwise_conv1d", "budget.evaluations=3",
         "islands.count=1", "verify.cells=1", "verify.naive_flag_sets=0", "-o", name)
    return json.loads(call("show", name, "--json"))["runs"][0]


def a_search_is_reproducible():
    first, second = searched("first"), searched("second")
    assert first["history_hash"] == second["history_hash"], (first, second)
    assert first["evaluations"] == second["evaluations"] >= 3, first
    verified = first["champion"]["verified"]  # against the naive kernel
    assert verified == second["champion"]["verified"], (first, second)
    assert verified["bench"]["speedup"] > 2 and verified["holdout"]["speedup"] > 2, verified
    call("verify", "first", "--replay")


def cheats_are_told():
    for name, (body, verdict, reason, said) in CHEATS.items():
        file = FOLDER / f"{name}.cpp"
        file.write_text(HEAD + body + "}\n")
        answer = json.loads(call("eval", "riscv/softmax", str(file), "device=riscv", "--only", "correctness", "--json",
                                 codes=(1,)))
        assert (answer["verdict"], answer["reason"]) == (verdict, reason), (name, answer)
        assert said in answer["message"], (name, answer["message"])


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    if not machine_has("chip riscv"):
        return 77
    a_search_is_reproducible()
    cheats_are_told()
    return 0


if __name__ == "__main__":
    sys.exit(main())
