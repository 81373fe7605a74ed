# RMS normalisation: a tile of rows stays in registers where its columns fit a block, else two passes over blocks.
# @task rmsnorm
# @knob BLOCK int {1024, 2048, 4096, 8192} = 4096     columns at a time, a power of two
# @knob ROWS int {1, 2, 4, 8} = 1                     rows of a tile
# @knob FETCH enum {plain, evict_first} = plain       whether what is read stays in the caches
# @knob STORE enum {plain, streaming} = plain
# @knob num_warps int {1, 2, 4, 8, 16, 32} = 8
# @knob STAGES int {1, 2, 3} = 2                       blocks on their way in the loops over them
# @require ROWS * BLOCK <= 4096 * num_warps && ROWS * BLOCK >= 64 * num_warps
# @launch tiled  grid=(ceil_div(rows, ROWS)) args=(x, weight, y, int32(rows), int32(cols)) when=cols <= BLOCK
# @launch looped grid=(rows) args=(x, weight, y, int32(cols)) when=cols > BLOCK
import triton
import triton.language as tl


@triton.jit
def load(x, mask, FETCH: tl.constexpr):
    return tl.load(x, mask=mask, other=0.0, eviction_policy="evict_first" if FETCH == "evict_first" else "")


@triton.jit
def store(y, value, mask, STORE: tl.constexpr):
    tl.store(y, value, mask=mask, cache_modifier=".cs" if STORE == "streaming" else "")


@triton.jit
def inverse_of(squares, cols):
    # An infinity would leave zeros beside it: the row is NaN by the task.
    return tl.where(squares < float("inf"), 1 / tl.sqrt(squares / cols + 1e-5), float("nan"))


@triton.jit
def norm_tile(x, weight, y, rows, cols, BLOCK: tl.constexpr, ROWS: tl.constexpr, FETCH: tl.constexpr,
              STORE: tl.constexpr):
    row = tl.arange(0, ROWS)[:, None]
    at = tl.arange(0, BLOCK)[None, :]
    mask = (row < rows) & (at < cols)
    value = load(x + row * cols + at, mask, FETCH)
    inverse = inverse_of(tl.sum(value * value, 1), cols)[:, None]
    scale = tl.load(weight + at, mask=at < cols, other=0.0)
    store(y + row * cols + at, value * inverse * scale, mask, STORE)


@triton.jit
def tiled(x, weight, y, rows, cols, BLOCK: tl.constexpr, ROWS: tl.constexpr, FETCH: tl.constexpr, STORE: tl.constexpr):
    first = tl.program_id(0) * ROWS
    if cols % 4 == 0:  # said so that the compiler sees it: accesses of four floats
        cols = cols // 4 * 4
        offset = first.to(tl.int64) * cols
        norm_tile(x + offset, weight, y + offset, rows - first, cols, BLOCK, ROWS, FETCH, STORE)
    else:
        offset = first.to(tl.int64) * cols
        norm_tile(x + offset, weight, y + offset, rows - first, cols, BLOCK, ROWS, FETCH, STORE)


@triton.jit
def norm_row(x, weight, y, cols, BLOCK: tl.constexpr, STAGES: tl.constexpr, FETCH: tl.constexpr, STORE: tl.constexpr):
    at = tl.arange(0, BLOCK)
    squares = tl.zeros((BLOCK, ), tl.float32)
    for start in tl.range(0, cols, BLOCK, num_stages=STAGES):
        value = load(x + start + at, start + at < cols, FETCH)
        squares += value * value
    inverse = inverse_of(tl.sum(squares, 0), cols)
    for start in tl.range(0, cols, BLOCK, num_stages=STAGES):
        value = load(x + start + at, start + at < cols, FETCH)
        scale = tl.load(weight + start + at, mask=start + at < cols, other=0.0)
        store(y + start + at, value * inverse * scale, start + at < cols, STORE)


@triton.jit
def looped(x, weight, y, cols, BLOCK: tl.constexpr, STAGES: tl.constexpr, FETCH: tl.constexpr, STORE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    if cols % 4 == 0:
        cols = cols // 4 * 4
        norm_row(x + row * cols, weight, y + row * cols, cols, BLOCK, STAGES, FETCH, STORE)
    else:
        norm_row(x + row * cols, weight, y + row * cols, cols, BLOCK, STAGES, FETCH, STORE)
