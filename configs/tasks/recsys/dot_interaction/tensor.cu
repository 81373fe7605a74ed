// Pairwise dot products on tensor cores: a warp a sample, or a square of its pairs. A lane takes sixteen bytes of a row
// at a time. Whichever the order of the dimensions, it is the same for both factors, so these bytes are fragments of the
// left and of the right one as they come, and nothing goes through shared memory but, maybe, results.
// @task dot_interaction
// @knob WARPS int {1, 2, 4, 8, 16} = 8            of a block
// @knob SHARE enum {sample, square} = sample      what a warp does: a sample, or a square of 32 x 32 pairs
// @knob AHEAD int {1, 2, 4, 8} = 2                times 16 dimensions on their way
// @knob STORE enum {direct, staged} = direct      results through shared memory
// @knob BLOCKS int {1, 2, 3, 4} = 2               on a multiprocessor at least: bounds the registers
// @require WARPS * BLOCKS <= 32 && (SHARE == 0 || STORE == 0)
// @flags -std=c++17
// @launch dots grid=(ceil_div(batch*(1 + SHARE*(ceil_div(features, 32)*(ceil_div(features, 32) + 1)/2 - 1)), WARPS))
// @+           block=(32*WARPS) shared=STORE*4*WARPS*round_up(features*(features - 1)/2 + 3, 4)
// @+           args=(x, y, int32(batch), int32(features), int32(dim))

#include "gpu_access.cuh"
#include "gpu_tensor.cuh"

extern __shared__ uint4 memory[];

/// 16 dimensions of 32 rows: of rows 8 r + lane / 4 four dimensions each.
struct Slab {
  Vector<4> rows[4];

  template <bool ALIGNED> __device__ void load(const float* sample, int first, int d, int features, int dim) {
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int r = 0; r < 4; ++r) {
      const int row = first + 8 * r + lane / 4;
      rows[r] = four<ALIGNED>(sample + size_t(row) * dim, d + lane % 4 * 4, dim, row < features);
    }
  }
};

/// Half of a slab's dimensions: columns 8 j to 8 j + 7 of the right factor, rows of the left one.
struct Columns {
  Split<2> of[4];

  __device__ Columns(const Slab& slab, int half) {
#pragma unroll
    for (int j = 0; j < 4; ++j)
#pragma unroll
      for (int u = 0; u < 2; ++u) of[j].set(u, slab.rows[j].v[2 * half + u]);
  }
  /// Rows 16 i to 16 i + 15.
  __device__ Split<4> left(int i) const {
    const Split<2> &a = of[2 * i], &b = of[2 * i + 1];
    return {{a.high[0], b.high[0], a.high[1], b.high[1]}, {a.low[0], b.low[0], a.low[1], b.low[1]}};
  }
};

/// Tiles of 8 columns of a square that hold pairs, beside tile i of 16 rows.
template <bool DIAGONAL> __device__ constexpr int columns_beside(int i) { return DIAGONAL ? 2 * i + 2 : 4; }

/// A square of pairs: rows from `high`, columns from `low` on; with DIAGONAL these are the same.
template <bool DIAGONAL> struct Square {
  Sums sums[2][4] = {};

  __device__ void add_products(const Slab& high, const Slab& low) {
    Sums made[2][4] = {};
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const Columns rows(high, half), columns(low, half);
#pragma unroll
      for (int part = 0; part < Float32::parts; ++part)
#pragma unroll
        for (int i = 0; i < 2; ++i)
#pragma unroll
          for (int j = 0; j < columns_beside<DIAGONAL>(i); ++j)
            Float32::multiply(part, made[i][j], rows.left(i), columns.of[j]);
    }
    add(sums, made);
  }

  /// STEPS times 16 dimensions at once.
  template <bool ALIGNED, int STEPS>
  __device__ void multiply(const float* sample, int high, int low, int features, int dim) {
    for (int d = 0; d < dim; d += 16 * STEPS) {
      Slab a[STEPS], b[STEPS];
#pragma unroll
      for (int k = 0; k < STEPS; ++k) {
        a[k].template load<ALIGNED>(sample, high, d + 16 * k, features, dim);
        if constexpr (!DIAGONAL) b[k].template load<ALIGNED>(sample, low, d + 16 * k, features, dim);
      }
#pragma unroll
      for (int k = 0; k < STEPS; ++k) add_products(a[k], DIAGONAL ? a[k] : b[k]);
    }
  }

  /// To y, where the sample's pairs begin.
  __device__ void put(float* y, int high, int low, int features) const {
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
      for (int j = 0; j < columns_beside<DIAGONAL>(i); ++j)
#pragma unroll
        for (int v = 0; v < 4; ++v) {
          const int row = high + 16 * i + lane / 4 + v / 2 * 8, column = low + 8 * j + lane % 4 * 2 + v % 2;
          if (row < features && column < row) y[row * (row - 1) / 2 + column] = sums[i][j].v[v];
        }
  }
};

template <bool DIAGONAL>
__device__ void square(const float* sample, float* y, int high, int low, int features, int dim) {
  Square<DIAGONAL> pairs;
  if (dim % 4 == 0) pairs.template multiply<true, DIAGONAL ? AHEAD : (AHEAD + 1) / 2>(sample, high, low, features, dim);
  else pairs.template multiply<false, 1>(sample, high, low, features, dim);
  pairs.put(y, high, low, features);
}

/// Results of a sample, which begin at any float: `staged` is y's place but for a multiple of 16 bytes.
__device__ void store(const float* staged, float* y, int pairs, int skewed) {
  for (int at = threadIdx.x % 32 * 4 - skewed; at < pairs; at += 32 * 4) {
    if (at >= 0 && at + 4 <= pairs) {
      *reinterpret_cast<Vector<4>*>(y + at) = *reinterpret_cast<const Vector<4>*>(staged + at);
    } else {
#pragma unroll
      for (int u = 0; u < 4; ++u)
        if (at + u >= 0 && at + u < pairs) y[at + u] = staged[at + u];
    }
  }
}

extern "C" __global__ void __launch_bounds__(32 * WARPS, BLOCKS)
dots(const float* __restrict__ x, float* __restrict__ y, int batch, int features, int dim) {
  const int warp = threadIdx.x / 32, squares = (features + 31) / 32, all = squares * (squares + 1) / 2;
  const int item = blockIdx.x * WARPS + warp, pairs = features * (features - 1) / 2;
  const int sample = SHARE == SHARE_sample ? item : item / all;
  if (sample >= batch) return;
  const float* from = x + size_t(sample) * features * dim;
  float* to = y + size_t(sample) * pairs;
  if constexpr (SHARE == SHARE_square) {
    int high = 0, low = item % all;
    while (low > high) low -= ++high;
    if (high == low) square<true>(from, to, 32 * high, 32 * low, features, dim);
    else square<false>(from, to, 32 * high, 32 * low, features, dim);
    return;
  }
  const int skewed = int(size_t(sample) * pairs % 4);
  float* staged = reinterpret_cast<float*>(memory) + warp * ((pairs + 6) / 4 * 4) + skewed;
  float* target = STORE == STORE_staged ? staged : to;
  for (int high = 0; high < features; high += 32) {
    for (int low = 0; low < high; low += 32) square<false>(from, target, high, low, features, dim);
    square<true>(from, target, high, high, features, dim);
  }
  if constexpr (STORE == STORE_staged) {
    __syncwarp();
    store(staged, to, pairs, skewed);
  }
}
