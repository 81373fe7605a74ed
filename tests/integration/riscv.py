#!/usr/bin/env python3
# Times nothing: may run beside others.
"""Runs a small search on the simulated RISC-V chip twice with the same history, and kernels that
cheat there."""

import sys

sys.path.insert(0, sys.path[0] + "/../support")
from needs import need_of_machine  # noqa: E402
from program import NEGATIVE, SOURCE, carry_out, fresh_folder, json_of, must, show, write  # noqa: E402

HEAD = '#include <cstddef>\nextern "C" void kernel(const float* x, float* y, std::size_t rows, std::size_t cols) {\n'
CHEATS = {  # source of the body, verdict, reason, what the message says
    "reads_a_counter": ('  asm volatile("csrr zero, cycle");\n', "rejected", "forbidden_instruction", "csrr"),
    "writes_outside": ("  y[rows * cols + (1 << 20)] = x[0];\n", "runtime_error", "trap", "store access fault"),
    "never_returns": ("  for (volatile float sink = x[0];;) sink = y[0];\n", "timeout", "call_timeout", "no return"),
}


def searched(name):
    must("run", SOURCE / "configs/riscv.yaml", "task=riscv/depthwise_conv1d", "budget.evaluations=3",
         "islands.count=1", "verify.cells=1", "verify.naive_flag_sets=0", "-o", name)
    return show(name)


def a_search_is_reproducible():
    first, second = searched("first"), searched("second")
    assert first["history_hash"] == second["history_hash"], (first, second)
    assert first["evaluations"] == second["evaluations"] >= 3, first
    verified = first["champion"]["verified"]  # against the naive kernel
    assert verified == second["champion"]["verified"], (first, second)
    assert verified["bench"]["speedup"] > 2 and verified["holdout"]["speedup"] > 2, verified
    must("verify", "first", "--replay")


def cheats_are_told():
    for name, (body, verdict, reason, said) in CHEATS.items():
        write({f"{name}.cpp": HEAD + body + "}\n"})
        answer = json_of("eval", "riscv/softmax", f"{name}.cpp", "device=riscv", "--only", "correctness", codes=(NEGATIVE,))
        assert (answer["verdict"], answer["reason"]) == (verdict, reason), (name, answer)
        assert said in answer["message"], (name, answer["message"])


if __name__ == "__main__":
    fresh_folder("riscv")
    need_of_machine("chip riscv")
    carry_out(a_search_is_reproducible, cheats_are_told)
