// A linear layer with GELU in bfloat16 on tensor cores: tiles of x and weight come into shared memory some steps ahead,
// a warp keeps a tile of sums in registers; bias, GELU and the rounding follow there.
// @task gemm_gelu_bf16
// @knob BM int {64, 128, 256} = 128               rows of a block's tile
// @knob BN int {64, 128, 256} = 128               its columns
// @knob BK int {32, 64} = 32                      depth of a step
// @knob DOWN int {1, 2, 4} = 2                    warps along the rows
// @knob ALONG int {1, 2, 4} = 2                   and along the columns
// @knob STAGES int {2, 3, 4, 5} = 3               steps in shared memory
// @knob STORE enum {direct, staged} = direct      results through shared memory
// @knob PANEL int {1, 4, 8, 16} = 4               rows of blocks that run side by side, for the L2 cache
// @knob BLOCKS int {1, 2, 3} = 1                 on a multiprocessor at least: bounds the registers
// @require DOWN * ALONG >= 4 && BM / DOWN >= 32 && BN / ALONG >= 32
// @require BM / DOWN * (BN / ALONG) <= 8192 && (BM + BN) * (BK + 8) * 2 * STAGES <= 232448
// @flags -std=c++17
// @launch linear grid=(ceil_div(m, BM)*ceil_div(n, BN)) block=(32*DOWN*ALONG)
// @+             shared=2*max((BM + BN)*(BK + 8)*STAGES, STORE*BM*(BN + 8))
// @+             args=(x, weight, bias, y, int32(m), int32(n), int32(k))

#include "gpu_gelu.cuh"
#include "gpu_tensor.cuh"
#include "gpu_tiles.cuh"

constexpr int threads = 32 * DOWN * ALONG;
constexpr int tall = BM / DOWN / 16, wide = BN / ALONG / 8;  // tiles of a warp
constexpr int pitch = BK + 8;                                // against bank conflicts
constexpr int stage_size = (BM + BN) * pitch;
constexpr int result_pitch = BN + 8;

extern __shared__ uint4 memory[];

/// BK columns from p0 of `count` rows from row `first` on; zeros outside.
template <int ROWS> __device__ void fetch(half_bits* to, const half_bits* from, int first, int rows, int p0, int k) {
  constexpr int across = BK / 8;
  for (int at = threadIdx.x; at < ROWS * across; at += threads) {
    const int row = first + at / across, p = p0 + at % across * 8;
    half_bits* target = to + at / across * pitch + at % across * 8;
    if (row >= rows || p >= k) {
      clear16(target);
    } else if (k % 8 == 0) {
      copy_ahead(target, from + size_t(row) * k + p);
    } else {
#pragma unroll
      for (int u = 0; u < 8; ++u) target[u] = p + u < k ? from[size_t(row) * k + p + u] : 0;
    }
  }
}

/// Adds the products of one step to the warp's sums.
__device__ void multiply(const half_bits* x, const half_bits* weight, Sums (&sums)[tall][wide]) {
  const int lane = threadIdx.x % 32;
  const half_bits* left = x + lane % 16 * pitch + lane / 16 * 8;
  const half_bits* right = weight + (lane / 16 * 8 + lane % 8) * pitch + lane / 8 % 2 * 8;
#pragma unroll
  for (int p = 0; p < BK; p += 16) {
    Left a[tall];
#pragma unroll
    for (int i = 0; i < tall; ++i) load_tiles<false>(a[i].r, left + 16 * i * pitch + p);
#pragma unroll
    for (int j = 0; j < wide; j += 2) {
      unsigned b[4];
      load_tiles<false>(b, right + 8 * j * pitch + p);
#pragma unroll
      for (int i = 0; i < tall; ++i) {
        Bfloat16::multiply(sums[i][j], a[i], Right{{b[0], b[1]}});
        Bfloat16::multiply(sums[i][j + 1], a[i], Right{{b[2], b[3]}});
      }
    }
  }
}

/// Where a warp's results go: `y`, of rows x columns values `pitch` apart, from the block's first one on.
struct Target {
  half_bits* y;
  size_t pitch;
  int rows, columns;

  __device__ void put(int row, int column, float first, float second) const {
    if (row >= rows || column >= columns) return;
    const unsigned both = Bfloat16::pair(first, second);
    half_bits* at = y + row * pitch + column;
    if (pitch % 2 == 0) {
      *reinterpret_cast<unsigned*>(at) = both;
    } else {
      at[0] = half_bits(both);
      if (column + 1 < columns) at[1] = half_bits(both >> 16);
    }
  }
};

__device__ void put(const Sums (&sums)[tall][wide], const half_bits* bias, int columns, const Target& to) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
#pragma unroll
  for (int j = 0; j < wide; ++j) {
    const int column = (warp / DOWN * wide + j) * 8 + lane % 4 * 2;
    const BiasPair b(bias, column, columns);
#pragma unroll
    for (int i = 0; i < tall; ++i) {
      const int row = (warp % DOWN * tall + i) * 16 + lane / 4;
      to.put(row, column, gelu<false>(sums[i][j].v[0] + b.low), gelu<false>(sums[i][j].v[1] + b.high));
      to.put(row + 8, column, gelu<false>(sums[i][j].v[2] + b.low), gelu<false>(sums[i][j].v[3] + b.high));
    }
  }
}

/// From shared memory, sixteen bytes at a time if the rows of y allow it.
__device__ void store(const half_bits* staged, const Target& to) {
  for (int at = threadIdx.x; at < BM * (BN / 8); at += threads) {
    const int row = at / (BN / 8), column = at % (BN / 8) * 8;
    if (row >= to.rows || column >= to.columns) continue;
    const half_bits* from = staged + row * result_pitch + column;
    half_bits* target = to.y + row * to.pitch + column;
    if (to.pitch % 8 == 0) {
      *reinterpret_cast<uint4*>(target) = *reinterpret_cast<const uint4*>(from);
    } else {
#pragma unroll
      for (int u = 0; u < 8; ++u)
        if (column + u < to.columns) target[u] = from[u];
    }
  }
}

extern "C" __global__ void __launch_bounds__(threads, BLOCKS)
linear(const half_bits* __restrict__ x, const half_bits* __restrict__ weight, const half_bits* __restrict__ bias,
       half_bits* __restrict__ y, int m, int n, int k) {
  half_bits* stages = reinterpret_cast<half_bits*>(memory);
  int i0, j0;
  place_tile<BM, BN, PANEL>(blockIdx.x, m, n, i0, j0);
  const int steps = (k + BK - 1) / BK, warp = threadIdx.x / 32;
  const auto bring = [&](int step, int stage) {
    half_bits* to = stages + stage * stage_size;
    if (step < steps) {
      fetch<BM>(to, x, i0, m, step * BK, k);
      fetch<BN>(to + BM * pitch, weight, j0, n, step * BK, k);
    }
    end_group();
  };
  for (int step = 0; step < STAGES - 1; ++step) bring(step, step);
  Sums sums[tall][wide] = {};
  for (int step = 0; step < steps; ++step) {
    wait_groups<STAGES - 2>();
    __syncthreads();  // this step is there, and the one before is read
    bring(step + STAGES - 1, (step + STAGES - 1) % STAGES);
    const half_bits* now = stages + step % STAGES * stage_size;
    multiply(now + warp % DOWN * tall * 16 * pitch, now + (BM + warp / DOWN * wide * 8) * pitch, sums);
  }
  const Target to{y + size_t(i0) * n + j0, size_t(n), m - i0, n - j0};
  if constexpr (STORE == STORE_direct) {
    put(sums, bias + j0, to.columns, to);
  } else {
    wait_groups<0>();
    __syncthreads();
    put(sums, bias + j0, to.columns, Target{stages, size_t(result_pitch), BM, BN});
    __syncthreads();
    store(stages, to);
  }
}
