// Compressed feature interaction: a block a sample in shared memory, both products in register tiles. Either
// x (x^T p) or (x x^T) p: with fewer features than dimensions the second has less to multiply.
// @task fm_interaction
// @knob THREADS int {64, 128, 256} = 128
// @knob TALL int {2, 4, 8} = 4                    rows of a register tile of the first product
// @knob TALL_OUT int {1, 2, 4, 8} = 4             and of the second
// @knob WIDE int {2, 4} = 2                       columns of both
// @knob PRODUCT enum {inner, gram} = inner        x^T p first, or x x^T
// @knob PAD int {0, 4, 8} = 4                     floats behind a row of x, against bank conflicts
// @flags -std=c++17; -maxrregcount={,64,128}
// @scratch middle float32 [batch,
// @+       max(1, (4*round_up(features, 8)*(round_up(dim, 8) + PAD + round_up(factors, 4) + PRODUCT*round_up(features, 8))
// @+       + 4*(1 - PRODUCT)*round_up(dim, 8)*round_up(factors, 4) > smem_optin)*dim*factors)]
// @launch in_shared grid=(batch) block=(THREADS) args=(x, p, y, int32(features), int32(dim), int32(factors))
// @+      shared=4*round_up(features, 8)*(round_up(dim, 8) + PAD + round_up(factors, 4) + PRODUCT*round_up(features, 8))
// @+             + 4*(1 - PRODUCT)*round_up(dim, 8)*round_up(factors, 4)
// @+      when=4*round_up(features, 8)*(round_up(dim, 8) + PAD + round_up(factors, 4) + PRODUCT*round_up(features, 8))
// @+           + 4*(1 - PRODUCT)*round_up(dim, 8)*round_up(factors, 4) <= smem_optin
// @launch first_in_global grid=(batch) block=(THREADS) args=(x, p, middle, features, dim, factors)
// @+      when=4*round_up(features, 8)*(round_up(dim, 8) + PAD + round_up(factors, 4) + PRODUCT*round_up(features, 8))
// @+           + 4*(1 - PRODUCT)*round_up(dim, 8)*round_up(factors, 4) > smem_optin
// @launch second_in_global grid=(batch) block=(THREADS) args=(x, middle, y, features, dim, factors)
// @+      when=4*round_up(features, 8)*(round_up(dim, 8) + PAD + round_up(factors, 4) + PRODUCT*round_up(features, 8))
// @+           + 4*(1 - PRODUCT)*round_up(dim, 8)*round_up(factors, 4) > smem_optin

#include "gpu_access.cuh"

template <int N> __device__ Vector<N> vector(const float* from) { return *reinterpret_cast<const Vector<N>*>(from); }

/// `rows` x `columns` of c (with `pitch` floats a row) = a b, b row after row. TURNED: a stands transposed. Rows of a
/// and b begin at multiples of 16 bytes; lengths are rounded up to multiples of the tile and of 4, with zeros.
template <int ROWS, bool TURNED>
__device__ void product(const float* a, int pitch_a, const float* b, int pitch_b, float* c, int pitch, int rows,
                        int columns, int inner) {
  const int wide = (columns + WIDE - 1) / WIDE, tiles = (rows + ROWS - 1) / ROWS * wide;
  for (int tile = threadIdx.x; tile < tiles; tile += THREADS) {
    const int i = tile / wide * ROWS, j = tile % wide * WIDE;
    float sums[ROWS][WIDE] = {};
    for (int q = 0; q < inner; q += 4) {
      float left[ROWS][4];
      if constexpr (TURNED) {
#pragma unroll
        for (int u = 0; u < 4; ++u) {
          const auto column = vector<ROWS>(a + (q + u) * pitch_a + i);
#pragma unroll
          for (int r = 0; r < ROWS; ++r) left[r][u] = column.v[r];
        }
      } else {
#pragma unroll
        for (int r = 0; r < ROWS; ++r) {
          const auto row = vector<4>(a + (i + r) * pitch_a + q);
#pragma unroll
          for (int u = 0; u < 4; ++u) left[r][u] = row.v[u];
        }
      }
#pragma unroll
      for (int u = 0; u < 4; ++u) {
        const auto right = vector<WIDE>(b + (q + u) * pitch_b + j);
#pragma unroll
        for (int r = 0; r < ROWS; ++r)
#pragma unroll
          for (int w = 0; w < WIDE; ++w) sums[r][w] = fmaf(left[r][u], right.v[w], sums[r][w]);
      }
    }
#pragma unroll
    for (int r = 0; r < ROWS; ++r)
#pragma unroll
      for (int w = 0; w < WIDE; ++w)
        if (i + r < rows && j + w < columns) c[(i + r) * pitch + j + w] = sums[r][w];
  }
}

/// a a^T, where a has `rows` rows of `inner` elements: columns of the right side are rows of a.
template <int ROWS>
__device__ void gram(const float* a, int pitch_a, float* c, int pitch, int rows, int inner) {
  const int wide = (rows + WIDE - 1) / WIDE, tiles = (rows + ROWS - 1) / ROWS * wide;
  for (int tile = threadIdx.x; tile < tiles; tile += THREADS) {
    const int i = tile / wide * ROWS, j = tile % wide;  // columns j, j + wide, ..: neighbours read neighbouring rows
    float sums[ROWS][WIDE] = {};
    for (int q = 0; q < inner; q += 4) {
      Vector<4> left[ROWS];
#pragma unroll
      for (int r = 0; r < ROWS; ++r) left[r] = vector<4>(a + (i + r) * pitch_a + q);
#pragma unroll
      for (int w = 0; w < WIDE; ++w) {
        const auto right = vector<4>(a + (j + w * wide) * pitch_a + q);
#pragma unroll
        for (int r = 0; r < ROWS; ++r)
#pragma unroll
          for (int u = 0; u < 4; ++u) sums[r][w] = fmaf(left[r].v[u], right.v[u], sums[r][w]);
      }
    }
#pragma unroll
    for (int r = 0; r < ROWS; ++r)
#pragma unroll
      for (int w = 0; w < WIDE; ++w)
        if (i + r < rows && j + w * wide < rows) c[(i + r) * pitch + j + w * wide] = sums[r][w];
  }
}

/// Dense rows into padded ones; what lies behind them becomes zero.
__device__ void load(const float* from, float* to, int rows, int columns, int padded_rows, int pitch) {
  const int n = columns % 4 == 0 ? 4 : 1, across = pitch / n;
  for (int at = threadIdx.x; at < padded_rows * across; at += THREADS) {
    const int r = at / across, c = at % across * n;
    const bool inside = r < rows && c < columns;
    if (n == 4) {
      *reinterpret_cast<Vector<4>*>(to + r * pitch + c) = inside ? vector<4>(from + r * columns + c) : Vector<4>{};
    } else {
      to[r * pitch + c] = inside ? from[r * columns + c] : 0;
    }
  }
}

__device__ int up(int n, int to) { return (n + to - 1) / to * to; }

extern __shared__ float4 memory[];

extern "C" __global__ void __launch_bounds__(THREADS)
in_shared(const float* __restrict__ x, const float* __restrict__ p, float* __restrict__ y, int features, int dim,
          int factors) {
  const int tall = up(features, 8), wide = up(factors, 4), pitch = up(dim, 8) + PAD;
  float *rows = reinterpret_cast<float*>(memory), *parts = rows + tall * pitch, *middle = parts + tall * wide;
  load(x + size_t(blockIdx.x) * features * dim, rows, features, dim, tall, pitch);
  load(p + size_t(blockIdx.x) * features * factors, parts, features, factors, tall, wide);
  __syncthreads();
  y += size_t(blockIdx.x) * features * factors;
  if (PRODUCT == PRODUCT_inner) {
    product<TALL, true>(rows, pitch, parts, wide, middle, wide, up(dim, 8), wide, tall);
    __syncthreads();
    product<TALL_OUT, false>(rows, pitch, middle, wide, y, factors, features, factors, up(dim, 4));
  } else {
    gram<TALL>(rows, pitch, middle, tall, tall, up(dim, 4));
    __syncthreads();
    product<TALL_OUT, false>(middle, tall, parts, wide, y, factors, features, factors, tall);
  }
}

extern "C" __global__ void __launch_bounds__(THREADS)
first_in_global(const float* x, const float* p, float* middle, size_t features, size_t dim, size_t factors) {
  x += blockIdx.x * features * dim;
  p += blockIdx.x * features * factors;
  for (size_t at = threadIdx.x; at < dim * factors; at += THREADS) {
    float sum = 0;
    for (size_t j = 0; j < features; ++j) sum = fmaf(x[j * dim + at / factors], p[j * factors + at % factors], sum);
    middle[blockIdx.x * dim * factors + at] = sum;
  }
}

extern "C" __global__ void __launch_bounds__(THREADS)
second_in_global(const float* x, const float* middle, float* y, size_t features, size_t dim, size_t factors) {
  x += blockIdx.x * features * dim;
  middle += blockIdx.x * dim * factors;
  for (size_t at = threadIdx.x; at < features * factors; at += THREADS) {
    float sum = 0;
    for (size_t d = 0; d < dim; ++d) sum = fmaf(x[at / factors * dim + d], middle[d * factors + at % factors], sum);
    y[blockIdx.x * features * factors + at] = sum;
  }
}
