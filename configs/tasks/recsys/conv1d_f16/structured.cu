// Convolution along a sequence in float16 on tensor cores. A block walks over samples, the next of which are on their
// way into shared memory. A warp holds the weights of its filters and goes along the positions, tile by tile: three
// products, one for each tap, of the same tile of x; those of the outer taps are moved by a position when they are
// added up, so no tile is read off its alignment, nor twice.
// @task conv1d_f16
// @knob TILES int {8, 13, 16, 25, 32} = 16        tiles of 8 positions of a block
// @knob ALONG int {1, 2, 4} = 2                   warps that share them
// @knob DOWN int {1, 2, 3, 4, 6, 8} = 4           warps along the filters
// @knob TALL int {1, 2} = 1                       tiles of 16 filters of a warp
// @knob HELD int {1, 2, 3, 4} = 3                 32 channels each: weights held in registers if they suffice
// @knob SIDE int {1, 2, 3} = 1                    tiles of positions of a warp side by side
// @knob STAGES int {1, 2, 3} = 2                  stretches of x in shared memory
// @knob STORE enum {direct, staged} = direct      results through shared memory
// @knob GRID enum {full, resident} = resident      a block for each stretch, or as many as run at a time
// @knob BLOCKS int {1, 2, 3} = 1                 on a multiprocessor at least: bounds the registers
// @require ALONG * DOWN <= 16 && TALL * HELD <= 6 && ALONG * DOWN * BLOCKS <= 32 && TALL * SIDE <= 4
// @require ((TILES + 2) / 2 * 2 + 1) * (128 * STAGES + STORE * DOWN * TALL * 16) * 16 <= 232448
// @flags -std=c++17
// @launch conv grid=(batch*ceil_div(length, 8*TILES), ceil_div(filters, 16*DOWN*TALL)) block=(32*ALONG*DOWN)
// @+           shared=16*((TILES + 2)/2*2 + 1)*(STAGES*max(round_up(channels, 32), 32*HELD) + STORE*16*DOWN*TALL)
// @+           when=GRID == 0 args=(x, weight, y, int32(batch), int32(channels), int32(filters), int32(length))
// @launch conv grid=(min(batch*ceil_div(length, 8*TILES), sm_count*occupancy(conv)), ceil_div(filters, 16*DOWN*TALL))
// @+           block=(32*ALONG*DOWN) when=GRID == 1
// @+           shared=16*((TILES + 2)/2*2 + 1)*(STAGES*max(round_up(channels, 32), 32*HELD) + STORE*16*DOWN*TALL)
// @+           args=(x, weight, y, int32(batch), int32(channels), int32(filters), int32(length))

#include "gpu_tensor.cuh"

constexpr int threads = 32 * ALONG * DOWN;
constexpr int block_filters = 16 * DOWN * TALL;
constexpr int stretch = 8 * TILES;                  // positions of a block
constexpr int pitch = 8 * ((TILES + 2) / 2 * 2 + 1);  // with a tile of neighbours at both ends; odd, against conflicts

extern __shared__ uint4 memory[];

struct Shape { int channels, filters, length; };

/// Where a warp's products go.
struct Target {
  half_bits* y;       // of the sample
  half_bits* staged;  // of the block, in shared memory
  int f, t0;          // first filter and position of the block

  __device__ void put(const Shape& shape, int filter, int position, float first, float second) const {
    const unsigned both = Float16::pair(first, second);
    if constexpr (STORE == STORE_staged) {
      *reinterpret_cast<unsigned*>(staged + filter * pitch + position) = both;
    } else {
      const int t = t0 + position;
      if (f + filter >= shape.filters || t >= shape.length) return;
      half_bits* at = y + size_t(f + filter) * shape.length + t;
      if (shape.length % 2 == 0) {
        *reinterpret_cast<unsigned*>(at) = both;
      } else {
        at[0] = half_bits(both);
        if (t + 1 < shape.length) at[1] = half_bits(both >> 16);
      }
    }
  }
};

/// Rows of a stretch in shared memory: whole steps, and as many as weights are held for.
__device__ int stretch_rows(int channels) { return max((channels + 31) / 32, HELD) * 32; }

/// Positions [t0 - 8, t0 + stretch + 8) of a sample; zeros outside of it and behind the last channel.
__device__ void fetch(half_bits* in, const half_bits* x, int t0, const Shape& shape) {
  constexpr int across = TILES + 2;
  const int rows = stretch_rows(shape.channels);
  for (int at = threadIdx.x; at < rows * across; at += threads) {
    const int c = at / across, t = t0 - 8 + at % across * 8;
    half_bits* to = in + c * pitch + at % across * 8;
    if (c >= shape.channels || t < 0 || t >= shape.length) {
      clear16(to);
    } else if (shape.length % 8 == 0) {
      copy_ahead(to, x + size_t(c) * shape.length + t);
    } else {
#pragma unroll
      for (int u = 0; u < 8; ++u) to[u] = t + u < shape.length ? x[size_t(c) * shape.length + t + u] : 0;
    }
  }
}

/// Weights of tap j, 16 filters from f and 16 channels from c.
__device__ Left weights(const half_bits* weight, int f, int c, int j, const Shape& shape) {
  const int lane = threadIdx.x % 32;
  Left made;
#pragma unroll
  for (int r = 0; r < 4; ++r) {
    const int filter = f + lane / 4 + r % 2 * 8, channel = c + lane % 4 * 2 + r / 2 * 8;
    const half_bits* at = weight + (size_t(filter) * shape.channels + channel) * 3 + j;
    const unsigned low = filter < shape.filters && channel < shape.channels ? at[0] : 0;
    const unsigned high = filter < shape.filters && channel + 1 < shape.channels ? at[3] : 0;
    made.r[r] = low | high << 16;
  }
  return made;
}

/// Products of all taps with one tile of x.
struct Products {
  Sums of[TALL][3];

  __device__ void add(const unsigned (&b)[4], int half, const Left (&w)[TALL][3]) {
    const Right right{{b[2 * half], b[2 * half + 1]}};
#pragma unroll
    for (int i = 0; i < TALL; ++i)
#pragma unroll
      for (int j = 0; j < 3; ++j) Float16::multiply(of[i][j], w[i][j], right);
  }
};

/// The warp's weights: held for all samples, or fetched for each tile when the channels are too many.
struct Weights {
  Left held[2 * HELD][TALL][3];

  static __device__ bool fit(const Shape& shape) { return shape.channels <= 32 * HELD; }
  static __device__ void load(Left (&w)[TALL][3], const half_bits* weight, int f, int step, const Shape& shape) {
#pragma unroll
    for (int i = 0; i < TALL; ++i)
#pragma unroll
      for (int j = 0; j < 3; ++j) w[i][j] = weights(weight, f + 16 * i, 16 * step, j, shape);
  }
  __device__ void load_all(const half_bits* weight, int f, const Shape& shape) {
    if (!fit(shape)) return;
#pragma unroll
    for (int step = 0; step < 2 * HELD; ++step) load(held[step], weight, f, step, shape);
  }
};

/// Products of SIDE tiles from `tile` on, none beyond `end`: chains that the tensor cores work on in turn.
__device__ void multiply_held(Products (&made)[SIDE], const half_bits* in, int tile, int end, const Weights& w) {
  const half_bits* row = in + threadIdx.x % 32 * pitch;
#pragma unroll
  for (int step = 0; step < HELD; ++step) {
    unsigned b[SIDE][4];
#pragma unroll
    for (int u = 0; u < SIDE; ++u) load_tiles<true>(b[u], row + 32 * step * pitch + (min(tile + u, end) + 1) * 8);
#pragma unroll
    for (int half = 0; half < 2; ++half)
#pragma unroll
      for (int u = 0; u < SIDE; ++u) made[u].add(b[u], half, w.held[2 * step + half]);
  }
}

/// Products of one tile with weights fetched for it.
__device__ void multiply_fetched(Products& made, const half_bits* in, int tile, const half_bits* weight, int f,
                                 const Shape& shape) {
  const half_bits* row = in + threadIdx.x % 32 * pitch + (tile + 1) * 8;
  for (int step = 0; 32 * step < shape.channels; ++step) {
    unsigned b[4];
    Left fetched[TALL][3];
    load_tiles<true>(b, row + 32 * step * pitch);
    Weights::load(fetched, weight, f, 2 * step, shape);
    made.add(b, 0, fetched);
    Weights::load(fetched, weight, f, 2 * step + 1, shape);
    made.add(b, 1, fetched);
  }
}

/// The value of lane `from` of the same four lanes.
__device__ float of_lane(float value, int from) { return __shfl_sync(~0u, value, from, 4); }

/// Sums of a row of 16 filters along the tiles. Position t takes the first tap's product at t - 1 and the last one's at
/// t + 1: from another lane, or from the tile before or behind.
struct Row {
  float before[2] = {};  // product of the first tap at the end of the tile before, in lane 3 of four
  Sums open;             // the tile before, which lacks what its last position takes from this one

  /// Adds what this tile means to the one before, then keeps this one.
  __device__ void next(const Sums (&p)[3]) {
    const int q = threadIdx.x % 4;
    Sums made;
#pragma unroll
    for (int r = 0; r < 2; ++r) {  // rows g and g + 8
      const float left = of_lane(q == 3 ? before[r] : p[0].v[2 * r + 1], (q + 3) % 4);
      const float right = of_lane(p[2].v[2 * r], (q + 1) % 4);
      made.v[2 * r] = left + p[1].v[2 * r] + p[2].v[2 * r + 1];
      made.v[2 * r + 1] = p[0].v[2 * r] + p[1].v[2 * r + 1] + (q == 3 ? 0 : right);
      if (q == 3) open.v[2 * r + 1] += right;
      before[r] = p[0].v[2 * r + 1];
    }
    closed = open;
    open = made;
  }
  Sums closed;
};

__device__ void put(const Sums& sums, const Target& to, const Shape& shape, int filter, int tile) {
  const int lane = threadIdx.x % 32, row = filter + lane / 4, position = tile * 8 + lane % 4 * 2;
  to.put(shape, row, position, sums.v[0], sums.v[1]);
  to.put(shape, row + 8, position, sums.v[2], sums.v[3]);
}

/// The warp's share of a stretch: tiles [begin, end). The one behind closes the last; the one in front, if there is
/// one, opens the first. Both are zeros where the sequence does not go on.
template <bool FIT>
__device__ void along(const half_bits* in, const Weights& w, const half_bits* weight, const Target& to,
                      const Shape& shape) {
  const int warp = threadIdx.x / 32, filter = warp % DOWN * TALL * 16;
  const int tiles = min(TILES, (shape.length - to.t0 + 7) / 8), share = (tiles + ALONG - 1) / ALONG;
  const int begin = warp / DOWN * share, end = min(begin + share, tiles);
  if (begin >= end) return;
  Row rows[TALL] = {};
  constexpr int side = FIT ? SIDE : 1;
  for (int tile = to.t0 + begin * 8 > 0 ? begin - 1 : begin; tile <= end; tile += side) {
    Products p[side] = {};
    if constexpr (FIT) multiply_held(p, in, tile, end, w);
    else multiply_fetched(p[0], in, tile, weight, to.f + filter, shape);
#pragma unroll
    for (int u = 0; u < side; ++u)
#pragma unroll
      for (int i = 0; i < TALL; ++i) {
        rows[i].next(p[u].of[i]);
        if (tile + u > begin && tile + u <= end) put(rows[i].closed, to, shape, filter + 16 * i, tile + u - 1);
      }
  }
}

/// From shared memory to where it belongs, sixteen bytes at a time if the rows allow it.
__device__ void store(const Target& from, const Shape& shape) {
  const int tiles = min(TILES, (shape.length - from.t0 + 7) / 8), rows = min(block_filters, shape.filters - from.f);
  for (int at = threadIdx.x; at < rows * TILES; at += threads) {
    const int filter = at / TILES, tile = at % TILES, t = from.t0 + tile * 8;
    if (tile >= tiles) continue;
    const half_bits* value = from.staged + filter * pitch + tile * 8;
    half_bits* to = from.y + size_t(from.f + filter) * shape.length + t;
    if (shape.length % 8 == 0) {
      *reinterpret_cast<uint4*>(to) = *reinterpret_cast<const uint4*>(value);
    } else {
#pragma unroll
      for (int u = 0; u < 8; ++u)
        if (t + u < shape.length) to[u] = value[u];
    }
  }
}

extern "C" __global__ void __launch_bounds__(threads, BLOCKS)
conv(const half_bits* __restrict__ x, const half_bits* __restrict__ weight, half_bits* __restrict__ y, int batch,
     int channels, int filters, int length) {
  const Shape shape{channels, filters, length};
  const int stretches = (length + stretch - 1) / stretch, work = batch * stretches;
  const int stage_size = stretch_rows(channels) * pitch, f = blockIdx.y * block_filters;
  half_bits* stages = reinterpret_cast<half_bits*>(memory);
  const auto bring = [&](int item, int stage) {
    if (item < work)
      fetch(stages + stage * stage_size, x + size_t(item / stretches) * channels * length, item % stretches * stretch,
            shape);
    end_group();
  };
  for (int stage = 0; stage < STAGES; ++stage) bring(blockIdx.x + stage * gridDim.x, stage);
  Weights held;
  held.load_all(weight, f + threadIdx.x / 32 % DOWN * TALL * 16, shape);
  int stage = 0;
  for (int item = blockIdx.x; item < work; item += gridDim.x) {
    const Target to{y + size_t(item / stretches) * filters * length, stages + STAGES * stage_size, f,
                    item % stretches * stretch};
    wait_groups<STAGES - 1>();
    __syncthreads();
    const half_bits* in = stages + stage * stage_size;
    if (Weights::fit(shape)) along<true>(in, held, weight, to, shape);
    else along<false>(in, held, weight, to, shape);
    __syncthreads();
    bring(item + STAGES * gridDim.x, stage);
    if constexpr (STORE == STORE_staged) store(to, shape);
    stage = stage + 1 == STAGES ? 0 : stage + 1;
  }
}
