# RMS normalisation, a block for each row: accesses of four floats that stay in registers where a row fits them, else two
# passes over it. Sums go through shuffles and shared memory.
# @task rmsnorm
# @knob THREADS int {32, 64, 128, 256, 512, 1024} = 256
# @knob KEPT int {1, 2, 4, 8, 16} = 4               accesses of a thread that stay in registers
# @knob UNROLL int {1, 2, 4} = 4                    accesses under way together in the loops over longer rows
# @require THREADS * KEPT <= 4096
# @launch kept   grid=(rows) args=(x, weight, y, int32(cols)) when=cols % 4 == 0 && cols <= 4*THREADS*KEPT
# @launch looped grid=(rows) args=(x, weight, y, int32(cols)) when=cols % 4 != 0 || cols > 4*THREADS*KEPT
import operator

import cutlass
from cutlass import cute


def joined_in_block(value, thread, THREADS):
    """The sum of a value of each thread, for all of them."""
    value = cute.arch.warp_reduction(value, operator.add)
    WARPS = THREADS // 32
    parts = cute.make_tensor(cute.arch.alloc_smem(cutlass.Float32, WARPS), cute.make_layout(WARPS))
    parts[thread // 32] = value
    cute.arch.sync_threads()
    total = cutlass.Float32(0.0)
    for w in range(WARPS):
        total = total + parts[w]
    return total


def inverse_of(squares, cols):
    # An infinity would leave zeros beside it: the row is NaN by the task. (inf - inf is NaN, a finite number's 0.)
    return cute.math.rsqrt(squares / cutlass.Float32(cols) + 1e-5) + (squares - squares)


def four(pointer, at):
    # Said to be aligned so that the compiler makes one access: align() would round up when the kernel runs.
    address = cute.make_ptr(cutlass.Float32, (pointer + at * 4).toint(), cute.AddressSpace.gmem, assumed_align=16)
    return cute.make_tensor(address, cute.make_layout(4))


def row_of(pointer, cols):
    block, _, _ = cute.arch.block_idx()
    return pointer + cutlass.Int64(block) * cols


@cute.kernel
def kept_kernel(x: cute.Pointer, weight: cute.Pointer, y: cute.Pointer, cols: cutlass.Int32,
                THREADS: cutlass.Constexpr, KEPT: cutlass.Constexpr):
    thread, _, _ = cute.arch.thread_idx()
    source, target = row_of(x, cols), row_of(y, cols)
    values = cute.make_rmem_tensor(cute.make_layout((4, KEPT)), cutlass.Float32)
    values.fill(0.0)
    for k in cutlass.range_constexpr(KEPT):
        if thread + k * THREADS < cols // 4:
            values[None, k].store(four(source, thread + k * THREADS).load())
    squares = cutlass.Float32(0.0)
    for i in cutlass.range_constexpr(4 * KEPT):
        squares = squares + values[i] * values[i]
    inverse = inverse_of(joined_in_block(squares, thread, THREADS), cols)
    for k in cutlass.range_constexpr(KEPT):
        at = thread + k * THREADS
        if at < cols // 4:
            four(target, at).store(values[None, k].load() * (four(weight, at).load() * inverse))


@cute.kernel
def looped_kernel(x: cute.Pointer, weight: cute.Pointer, y: cute.Pointer, cols: cutlass.Int32,
                  THREADS: cutlass.Constexpr, UNROLL: cutlass.Constexpr):
    thread, _, _ = cute.arch.thread_idx()
    layout = cute.make_layout(cols)
    source, target = cute.make_tensor(row_of(x, cols), layout), cute.make_tensor(row_of(y, cols), layout)
    weights = cute.make_tensor(weight, layout)
    squares = cutlass.Float32(0.0)
    for at in cutlass.range(thread, cols, THREADS, unroll=UNROLL):
        squares = squares + source[at] * source[at]
    inverse = inverse_of(joined_in_block(squares, thread, THREADS), cols)
    for at in cutlass.range(thread, cols, THREADS, unroll=UNROLL):
        target[at] = source[at] * (weights[at] * inverse)


@cute.jit
def kept(x: cute.Pointer, weight: cute.Pointer, y: cute.Pointer, cols: cutlass.Int32, THREADS: cutlass.Constexpr,
         KEPT: cutlass.Constexpr):
    kept_kernel(x, weight, y, cols, THREADS, KEPT).launch(grid=(1, 1, 1), block=(THREADS, 1, 1))


@cute.jit
def looped(x: cute.Pointer, weight: cute.Pointer, y: cute.Pointer, cols: cutlass.Int32, THREADS: cutlass.Constexpr,
           UNROLL: cutlass.Constexpr):
    looped_kernel(x, weight, y, cols, THREADS, UNROLL).launch(grid=(1, 1, 1), block=(THREADS, 1, 1))
