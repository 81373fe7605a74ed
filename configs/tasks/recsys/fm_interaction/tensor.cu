// Compressed feature interaction on tensor cores, a block a sample: x^T p, whose dimensions the warps share out, then x
// times that, whose rows they share out. Lanes hold the first product as the fragments that the second one needs: it
// only changes warps through shared memory.
// @task fm_interaction
// @knob WARPS int {1, 2, 4, 8} = 4                of a block
// @knob TALL int {1, 2, 4} = 1                    tiles of 16 rows of a warp
// @knob SPAN int {32, 64, 128, 256} = 128         dimensions between two changes
// @knob AHEAD int {1, 2, 4, 8} = 2                times 8 features on their way
// @knob BLOCKS int {1, 2, 3, 4, 6} = 4            on a multiprocessor at least: bounds the registers
// @require WARPS * BLOCKS <= 32
// @flags -std=c++17
// @launch interact grid=(batch) block=(32*WARPS) shared=128*SPAN
// @+               args=(x, p, y, int32(features), int32(dim), int32(factors))

#include "gpu_access.cuh"
#include "gpu_tensor.cuh"
#include "gpu_tiles.cuh"

extern __shared__ uint4 memory[];

struct Shape { int features, dim, factors; };

/// 32 factors of p^T times 32 dimensions of x, from f0 and d0 on.
template <bool ALIGNED>
__device__ void first(const float* x, const float* p, int f0, int d0, const Shape& shape, uint4* to) {
  const int lane = threadIdx.x % 32, q = lane % 4;
  Sums sums[2][4] = {};
  for (int k0 = 0; k0 < shape.features; k0 += 8 * AHEAD) {
    Vector<4> parts[AHEAD][2], rows[AHEAD][2];
#pragma unroll
    for (int u = 0; u < AHEAD; ++u)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int k = k0 + 8 * u + 4 * half + q;
        const bool inside = k < shape.features;
        parts[u][half] = four<ALIGNED>(p + size_t(k) * shape.factors, f0 + own_columns(), shape.factors, inside);
        rows[u][half] = four<ALIGNED>(x + size_t(k) * shape.dim, d0 + own_columns(), shape.dim, inside);
      }
#pragma unroll
    for (int u = 0; u < AHEAD; ++u) {
      Split<4> a[2];
      Split<2> b[4];
#pragma unroll
      for (int half = 0; half < 2; ++half)
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          a[j / 2].set(2 * half + j % 2, parts[u][half].v[j]);
          b[j].set(half, rows[u][half].v[j]);
        }
      Float32::multiply(sums, a, b);
    }
  }
#pragma unroll
  for (int i = 0; i < 2; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const float(&v)[4] = sums[i][j].v;
      to[(4 * i + j) * 32 + lane] =
          make_uint4(__float_as_uint(v[0]), __float_as_uint(v[1]), __float_as_uint(v[2]), __float_as_uint(v[3]));
    }
}

/// Adds 32 dimensions' share of the products of the warp's rows, from r0 on.
template <bool ALIGNED>
__device__ void second(const float* x, int r0, int d0, const Shape& shape, const uint4* from, Sums (&sums)[TALL][4]) {
  const int lane = threadIdx.x % 32, g = lane / 4, q = lane % 4;
  Vector<4> rows[TALL][2][2];
#pragma unroll
  for (int i = 0; i < TALL; ++i)
#pragma unroll
    for (int r = 0; r < 2; ++r)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int row = r0 + 16 * i + 8 * r + g;
        rows[i][r][half] =
            four<ALIGNED>(x + size_t(row) * shape.dim, d0 + 16 * half + 4 * q, shape.dim, row < shape.features);
      }
  Sums made[TALL][4] = {};
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    Split<4> a[TALL];
    Split<2> b[4];
#pragma unroll
    for (int i = 0; i < TALL; ++i)
#pragma unroll
      for (int r = 0; r < 2; ++r)
#pragma unroll
        for (int half = 0; half < 2; ++half) a[i].set(2 * half + r, rows[i][r][half].v[j]);
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const uint4 v = from[(4 * i + j) * 32 + lane];
      b[2 * i].set(0, __uint_as_float(v.x));
      b[2 * i].set(1, __uint_as_float(v.y));
      b[2 * i + 1].set(0, __uint_as_float(v.z));
      b[2 * i + 1].set(1, __uint_as_float(v.w));
    }
    Float32::multiply(made, a, b);
  }
  add(sums, made);
}

template <bool ALIGNED>
__device__ void put(const Sums (&sums)[TALL][4], float* y, int r0, int f0, const Shape& shape) {
  const int g = threadIdx.x % 32 / 4, q = threadIdx.x % 4;
#pragma unroll
  for (int i = 0; i < TALL; ++i)
#pragma unroll
    for (int v = 0; v < 4; ++v) {
      const int row = r0 + 16 * i + 8 * (v / 2) + g;
      if (row >= shape.features) continue;
      const Vector<4> values{{sums[i][0].v[v], sums[i][1].v[v], sums[i][2].v[v], sums[i][3].v[v]}};
      put_four<ALIGNED>(y + size_t(row) * shape.factors, f0 + 16 * (v % 2) + 4 * q, shape.factors, values);
    }
}

template <bool ALIGNED> __device__ void sample(const float* x, const float* p, float* y, const Shape& shape) {
  const int warp = threadIdx.x / 32;
  for (int f0 = 0; f0 < shape.factors; f0 += 32)
    for (int top = 0; top < shape.features; top += 16 * TALL * WARPS) {
      const int r0 = top + 16 * TALL * warp;
      Sums sums[TALL][4] = {};
      for (int span = 0; span < shape.dim; span += SPAN) {
        const int chunks = (min(SPAN, shape.dim - span) + 31) / 32;
        if (top == 0 || shape.dim > SPAN) {
          __syncthreads();  // what was there is read
          for (int c = warp; c < chunks; c += WARPS)
            first<ALIGNED>(x, p, f0, span + 32 * c, shape, memory + 256 * c);
          __syncthreads();
        }
        for (int c = 0; c < chunks; ++c) second<ALIGNED>(x, r0, span + 32 * c, shape, memory + 256 * c, sums);
      }
      put<ALIGNED>(sums, y, r0, f0, shape);
    }
}

extern "C" __global__ void __launch_bounds__(32 * WARPS, BLOCKS)
interact(const float* __restrict__ x, const float* __restrict__ p, float* __restrict__ y, int features, int dim,
         int factors) {
  x += size_t(blockIdx.x) * features * dim;
  p += size_t(blockIdx.x) * features * factors;
  y += size_t(blockIdx.x) * features * factors;
  const Shape shape{features, dim, factors};
  if (dim % 4 == 0 && factors % 4 == 0) sample<true>(x, p, y, shape);
  else sample<false>(x, p, y, shape);
}
