# RMS normalisation, a block for each row: parts of a row stay in registers where it fits them, else two passes over it.
# Sums go through shuffles of waves of 64 lanes and LDS.
# @task rmsnorm
# @knob THREADS int {64, 128, 256, 512, 1024} = 256
# @knob KEPT int {1, 2, 4, 8, 16, 32} = 16          floats of a thread that stay in registers
# @require THREADS * KEPT <= 16384
# @launch kept   grid=(rows) args=(x, weight, y, int32(cols)) when=cols <= THREADS*KEPT
# @launch looped grid=(rows) args=(x, weight, y, int32(cols)) when=cols > THREADS*KEPT
import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.expr import gpu, range_constexpr

WAVE = 64


def joined_in_block(value, thread, THREADS):
    """The sum of a value of each thread, for all of them."""
    for step in range_constexpr(6):
        value = value + value.shuffle_xor(WAVE >> (step + 1), WAVE)
    parts = fx.SharedAllocator().allocate(fx.Array[fx.Float32, THREADS // WAVE]).peek()
    parts = parts.view(fx.make_layout(THREADS // WAVE, 1))
    parts[thread // WAVE] = value
    gpu.barrier()
    total = fx.Float32(0.0)
    for w in range_constexpr(THREADS // WAVE):
        total = total + parts[w]
    return total


def inverse_of(squares, cols):
    # An infinity would leave zeros beside it: the row is NaN by the task. (inf - inf is NaN, a finite number's 0.)
    return fx.rsqrt(squares / cols.to(fx.Float32) + 1e-5) + (squares - squares)


def row_of(pointer, cols):
    return fx.make_view(pointer + fx.Int64(fx.block_idx.x) * fx.Int64(cols), fx.make_layout(cols, 1))


@flyc.kernel
def kept_kernel(x: fx.Pointer, weight: fx.Pointer, y: fx.Pointer, cols: fx.Int32, THREADS: fx.Constexpr[int],
                KEPT: fx.Constexpr[int]):
    thread = fx.thread_idx.x
    source, target = row_of(x, cols), row_of(y, cols)
    weights = fx.make_view(weight, fx.make_layout(cols, 1))
    values = []
    squares = fx.Float32(0.0)
    for k in range_constexpr(KEPT):
        value = fx.Float32(0.0)
        if thread + k * THREADS < cols:
            value = source[thread + k * THREADS]
        values.append(value)
        squares = squares + value * value
    inverse = inverse_of(joined_in_block(squares, thread, THREADS), cols)
    for k in range_constexpr(KEPT):
        if thread + k * THREADS < cols:
            target[thread + k * THREADS] = values[k] * (weights[thread + k * THREADS] * inverse)


@flyc.kernel
def looped_kernel(x: fx.Pointer, weight: fx.Pointer, y: fx.Pointer, cols: fx.Int32, THREADS: fx.Constexpr[int]):
    thread = fx.thread_idx.x
    source, target = row_of(x, cols), row_of(y, cols)
    weights = fx.make_view(weight, fx.make_layout(cols, 1))
    squares = fx.Float32(0.0)
    for at in range(thread, cols, THREADS):
        squares = squares + source[at] * source[at]
    inverse = inverse_of(joined_in_block(squares, thread, THREADS), cols)
    for at in range(thread, cols, THREADS):
        target[at] = source[at] * (weights[at] * inverse)


@flyc.jit
def kept(x: fx.Pointer, weight: fx.Pointer, y: fx.Pointer, cols: fx.Int32, THREADS: fx.Constexpr[int],
         KEPT: fx.Constexpr[int]):
    kept_kernel(x, weight, y, cols, THREADS, KEPT).launch(grid=(1, 1, 1), block=(THREADS, 1, 1))


@flyc.jit
def looped(x: fx.Pointer, weight: fx.Pointer, y: fx.Pointer, cols: fx.Int32, THREADS: fx.Constexpr[int]):
    looped_kernel(x, weight, y, cols, THREADS).launch(grid=(1, 1, 1), block=(THREADS, 1, 1))
