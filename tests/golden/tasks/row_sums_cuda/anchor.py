# Sums of rows: a program a row. An example of the form only.
# @knob BLOCK int {1024, 2048, 4096} = 2048   columns at a time
# @knob num_warps int {4, 8} = 8
# @launch row_sums grid=(rows) args=(x, y, int32(cols))
import triton
import triton.language as tl


@triton.jit
def row_sums(x, y, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    start = x + row.to(tl.int64) * cols
    total = tl.zeros([BLOCK], tl.float32)
    for first in range(0, cols, BLOCK):
        total += tl.load(start + first + at, mask=first + at < cols, other=0.0)
    tl.store(y + row, tl.sum(total, 0))
