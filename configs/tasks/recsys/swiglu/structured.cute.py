# Gated linear unit: accesses of four floats, several of a thread in flight; what is left over goes one by one.
# @task swiglu
# @knob THREADS int {64, 128, 256, 512, 1024} = 256
# @knob STEPS int {1, 2, 4, 8} = 2                   accesses of a thread in flight
# @knob SIGMOID enum {exact, fast} = exact           how exp(-gate) is made
# @launch run grid=(max(1, ceil_div(rows*cols, 4*THREADS*STEPS))) args=(gate, up, y, rows*cols)
import cutlass
from cutlass import cute


def gated(gate, up, SIGMOID):
    return gate / (1.0 + cute.math.exp(-gate, fastmath=SIGMOID == "fast")) * up


def four(pointer, at):
    # Said to be aligned so that the compiler makes one access: align() would round up when the kernel runs.
    address = cute.make_ptr(cutlass.Float32, (pointer + at * 4).toint(), cute.AddressSpace.gmem, assumed_align=16)
    return cute.make_tensor(address, cute.make_layout(4))


@cute.kernel
def swiglu(gate: cute.Pointer, up: cute.Pointer, y: cute.Pointer, n: cutlass.Int64, THREADS: cutlass.Constexpr,
           STEPS: cutlass.Constexpr, SIGMOID: cutlass.Constexpr):
    thread, _, _ = cute.arch.thread_idx()
    block, _, _ = cute.arch.block_idx()
    count = n // 4
    first = cutlass.Int64(block) * (THREADS * STEPS) + thread
    gates = cute.make_rmem_tensor(cute.make_layout((4, STEPS)), cutlass.Float32)
    ups = cute.make_rmem_tensor(cute.make_layout((4, STEPS)), cutlass.Float32)
    for s in cutlass.range_constexpr(STEPS):
        if first + s * THREADS < count:
            gates[None, s].store(four(gate, first + s * THREADS).load())
            ups[None, s].store(four(up, first + s * THREADS).load())
    for s in cutlass.range_constexpr(STEPS):
        if first + s * THREADS < count:
            four(y, first + s * THREADS).store(gated(gates[None, s].load(), ups[None, s].load(), SIGMOID))
    rest = count * 4 + thread
    if block == 0 and rest < n:
        all_of = cute.make_layout(n)
        at = cute.make_tensor(y, all_of)
        at[rest] = gated(cute.make_tensor(gate, all_of)[rest], cute.make_tensor(up, all_of)[rest], SIGMOID)


@cute.jit
def run(gate: cute.Pointer, up: cute.Pointer, y: cute.Pointer, n: cutlass.Int64, THREADS: cutlass.Constexpr,
        STEPS: cutlass.Constexpr, SIGMOID: cutlass.Constexpr):
    swiglu(gate, up, y, n, THREADS, STEPS, SIGMOID).launch(grid=(1, 1, 1), block=(THREADS, 1, 1))
