// Pairwise dot products in bfloat16 on tensor cores: a warp a sample, or a square of its pairs. A lane takes sixteen
// bytes of a row at a time. Whichever the order of the dimensions, it is the same for both factors, so these bytes are
// fragments of the left and of the right one as they come, and nothing goes through shared memory but, maybe, results.
// @task dot_interaction_bf16
// @knob WARPS int {1, 2, 4, 8, 16} = 8            of a block
// @knob SHARE enum {sample, square} = sample      what a warp does: a sample, or a square of 32 x 32 pairs
// @knob AHEAD int {1, 2, 4} = 2                   times 32 dimensions on their way
// @knob STORE enum {direct, staged} = direct      results through shared memory
// @knob BLOCKS int {1, 2, 3, 4} = 1               on a multiprocessor at least: bounds the registers
// @require WARPS * BLOCKS <= 32 && (SHARE == 0 || STORE == 0)
// @flags -std=c++17
// @launch dots grid=(ceil_div(batch*(1 + SHARE*(ceil_div(features, 32)*(ceil_div(features, 32) + 1)/2 - 1)), WARPS))
// @+           block=(32*WARPS) shared=STORE*2*WARPS*round_up(features*(features - 1)/2 + 7, 8)
// @+           args=(x, y, int32(batch), int32(features), int32(dim))

#include "gpu_tensor.cuh"

extern __shared__ uint4 memory[];

/// Eight dimensions of a row, from d on; zeros outside. ALIGNED: rows begin at multiples of sixteen bytes.
template <bool ALIGNED> __device__ uint4 eight(const half_bits* row, int d, int dim, bool inside) {
  if (!inside || d >= dim) return make_uint4(0, 0, 0, 0);
  if constexpr (ALIGNED) return *reinterpret_cast<const uint4*>(row + d);
  unsigned both[4] = {};
#pragma unroll
  for (int u = 0; u < 8; ++u)
    if (d + u < dim) both[u / 2] |= unsigned(row[d + u]) << u % 2 * 16;
  return make_uint4(both[0], both[1], both[2], both[3]);
}

/// 32 dimensions of 32 rows: of rows 8 r + lane / 4 eight dimensions each.
struct Slab {
  uint4 rows[4];

  template <bool ALIGNED> __device__ void load(const half_bits* sample, int first, int d, int features, int dim) {
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int r = 0; r < 4; ++r) {
      const int row = first + 8 * r + lane / 4;
      rows[r] = eight<ALIGNED>(sample + size_t(row) * dim, d + lane % 4 * 8, dim, row < features);
    }
  }
  /// Rows 16 i to 16 i + 15; `half` of the dimensions.
  __device__ Left left(int i, int half) const {
    const uint4 &a = rows[2 * i], &b = rows[2 * i + 1];
    return half == 0 ? Left{{a.x, b.x, a.y, b.y}} : Left{{a.z, b.z, a.w, b.w}};
  }
  /// Columns 8 j to 8 j + 7.
  __device__ Right right(int j, int half) const {
    return half == 0 ? Right{{rows[j].x, rows[j].y}} : Right{{rows[j].z, rows[j].w}};
  }
};

/// Tiles of 8 columns of a square that hold pairs, beside tile i of 16 rows.
template <bool DIAGONAL> __device__ constexpr int columns_beside(int i) { return DIAGONAL ? 2 * i + 2 : 4; }

/// A square of pairs: rows from `high`, columns from `low` on; with DIAGONAL these are the same.
template <bool DIAGONAL> struct Square {
  Sums sums[2][4] = {};

  __device__ void add(const Slab& high, const Slab& low) {
#pragma unroll
    for (int half = 0; half < 2; ++half)
#pragma unroll
      for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < columns_beside<DIAGONAL>(i); ++j)
          Bfloat16::multiply(sums[i][j], high.left(i, half), low.right(j, half));
  }

  /// STEPS times 32 dimensions at once.
  template <bool ALIGNED, int STEPS>
  __device__ void multiply(const half_bits* sample, int high, int low, int features, int dim) {
    for (int d = 0; d < dim; d += 32 * STEPS) {
      Slab a[STEPS], b[STEPS];
#pragma unroll
      for (int k = 0; k < STEPS; ++k) {
        a[k].template load<ALIGNED>(sample, high, d + 32 * k, features, dim);
        if constexpr (!DIAGONAL) b[k].template load<ALIGNED>(sample, low, d + 32 * k, features, dim);
      }
#pragma unroll
      for (int k = 0; k < STEPS; ++k) add(a[k], DIAGONAL ? a[k] : b[k]);
    }
  }

  /// To y, where the sample's pairs begin.
  __device__ void put(half_bits* y, int high, int low, int features) const {
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
      for (int j = 0; j < columns_beside<DIAGONAL>(i); ++j)
#pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = high + 16 * i + lane / 4 + 8 * r, column = low + 8 * j + lane % 4 * 2;
          const unsigned both = Bfloat16::pair(sums[i][j].v[2 * r], sums[i][j].v[2 * r + 1]);
          half_bits* at = y + row * (row - 1) / 2 + column;
          if (row < features && column < row) at[0] = half_bits(both);
          if (row < features && column + 1 < row) at[1] = half_bits(both >> 16);
        }
  }
};

template <bool DIAGONAL>
__device__ void square(const half_bits* sample, half_bits* y, int high, int low, int features, int dim) {
  Square<DIAGONAL> pairs;
  if (dim % 8 == 0) pairs.template multiply<true, DIAGONAL ? AHEAD : (AHEAD + 1) / 2>(sample, high, low, features, dim);
  else pairs.template multiply<false, 1>(sample, high, low, features, dim);
  pairs.put(y, high, low, features);
}

/// Results of a sample, which begin at any address: `staged` is y's place but for a multiple of 16 bytes.
__device__ void store(const half_bits* staged, half_bits* y, int pairs, int skewed) {
  for (int at = threadIdx.x % 32 * 8 - skewed; at < pairs; at += 32 * 8) {
    if (at >= 0 && at + 8 <= pairs) {
      *reinterpret_cast<uint4*>(y + at) = *reinterpret_cast<const uint4*>(staged + at);
    } else {
#pragma unroll
      for (int u = 0; u < 8; ++u)
        if (at + u >= 0 && at + u < pairs) y[at + u] = staged[at + u];
    }
  }
}

extern "C" __global__ void __launch_bounds__(32 * WARPS, BLOCKS)
dots(const half_bits* __restrict__ x, half_bits* __restrict__ y, int batch, int features, int dim) {
  const int warp = threadIdx.x / 32, squares = (features + 31) / 32, all = squares * (squares + 1) / 2;
  const int item = blockIdx.x * WARPS + warp, pairs = features * (features - 1) / 2;
  const int sample = SHARE == SHARE_sample ? item : item / all;
  if (sample >= batch) return;
  const half_bits* from = x + size_t(sample) * features * dim;
  half_bits* to = y + size_t(sample) * pairs;
  if constexpr (SHARE == SHARE_square) {
    int high = 0, low = item % all;
    while (low > high) low -= ++high;
    if (high == low) square<true>(from, to, 32 * high, 32 * low, features, dim);
    else square<false>(from, to, 32 * high, 32 * low, features, dim);
    return;
  }
  const int skewed = int(size_t(sample) * pairs % 8);
  half_bits* staged = reinterpret_cast<half_bits*>(memory) + warp * ((pairs + 14) / 8 * 8) + skewed;
  half_bits* target = STORE == STORE_staged ? staged : to;
  for (int high = 0; high < features; high += 32) {
    for (int low = 0; low < high; low += 32) square<false>(from, target, high, low, features, dim);
    square<true>(from, target, high, high, features, dim);
  }
  if constexpr (STORE == STORE_staged) {
    __syncwarp();
    store(staged, to, pairs, skewed);
  }
}
