# Sums of rows: a thread a row. An example of the form only.
# @knob THREADS int {128, 256} = 128
# @launch run grid=(ceil_div(rows, THREADS)) args=(x, y, int32(rows), int32(cols))
import cutlass
import cutlass.cute as cute


@cute.kernel
def row_sums(x: cute.Pointer, y: cute.Pointer, rows: cutlass.Int32, cols: cutlass.Int32, THREADS: cutlass.Constexpr):
    thread, _, _ = cute.arch.thread_idx()
    block, _, _ = cute.arch.block_idx()
    row = block * THREADS + thread
    if row < rows:
        source = cute.make_tensor(x, cute.make_layout((rows, cols), stride=(cols, 1)))
        target = cute.make_tensor(y, cute.make_layout(rows))
        total = cutlass.Float32(0)
        for c in cutlass.range(cols):
            total += source[row, c]
        target[row] = total


@cute.jit
def run(x: cute.Pointer, y: cute.Pointer, rows: cutlass.Int32, cols: cutlass.Int32, THREADS: cutlass.Constexpr):
    row_sums(x, y, rows, cols, THREADS).launch(grid=(rows, 1, 1), block=(THREADS, 1, 1))
