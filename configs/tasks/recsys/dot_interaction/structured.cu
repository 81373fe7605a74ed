// Pairwise dot products: a warp a sample in shared memory, tiles of pairs in registers, the
// lanes of a tile share the dimension.
// @task dot_interaction
// @knob TILE int {2, 3, 4, 6, 7} = 4         rows and columns of a tile of pairs
// @knob SPLIT int {1, 2, 3, 4} = 1           lanes that share the sums of a tile
// @knob WARPS int {1, 2, 4} = 2              samples of a block
// @knob PAD int {0, 4, 8} = 4                floats behind a row, against bank conflicts
// @knob VEC int {1, 4} = 4                   floats of one shared access
// @flags -std=c++17; -maxrregcount={,64,128}
// @launch dots_tiled grid=(ceil_div(batch, WARPS)) block=(32, WARPS) args=(x, y, batch, features, dim)
// @+           shared=4*WARPS*round_up(features, TILE)*(round_up(dim, 4) + PAD)
// @+           when=4*WARPS*round_up(features, TILE)*(round_up(dim, 4) + PAD) <= smem_optin
// @launch dots_plain grid=(batch) block=(128) args=(x, y, batch, features, dim)
// @+           when=4*WARPS*round_up(features, TILE)*(round_up(dim, 4) + PAD) > smem_optin

#include "gpu_access.cuh"

extern "C" __global__ void dots_plain(const float* x, float* y, size_t batch, size_t features, size_t dim) {
  const float* rows = x + blockIdx.x * features * dim;
  const size_t pairs = features * (features - 1) / 2;
  size_t pair = 0;
  for (size_t i = 1; i < features; ++i)
    for (size_t j = 0; j < i; ++j, ++pair) {
      if (pair % blockDim.x != threadIdx.x) continue;
      float sum = 0;
      for (size_t d = 0; d < dim; ++d) sum = fmaf(rows[i * dim + d], rows[j * dim + d], sum);
      y[blockIdx.x * pairs + pair] = sum;
    }
}

extern __shared__ float4 memory[];

/// A sample's rows, N floats at a time; what pads them becomes zero.
template <int N>
__device__ void load(const float* from, float* rows, int n, int padded, size_t dim, int width, int pitch) {
  for (int at = threadIdx.x; at < padded * width / N; at += 32) {
    const int i = at / (width / N), d = at % (width / N) * N;
    const bool inside = i < n && d < int(dim);
    *reinterpret_cast<Vector<N>*>(rows + i * pitch + d) =
        inside ? *reinterpret_cast<const Vector<N>*>(from + size_t(i) * dim + d) : Vector<N>{};
  }
}

extern "C" __global__ void __launch_bounds__(32 * WARPS)
dots_tiled(const float* __restrict__ x, float* __restrict__ y, size_t batch, size_t features, size_t dim) {
  const size_t sample = blockIdx.x * size_t(WARPS) + threadIdx.y;
  const int lane = threadIdx.x;
  const int n = int(features), width = int((dim + 3) / 4 * 4), pitch = width + PAD;
  const int tiles = (n + TILE - 1) / TILE, all = tiles * (tiles + 1) / 2;
  float* rows = reinterpret_cast<float*>(memory) + size_t(threadIdx.y) * (tiles * TILE) * pitch;
  if (sample >= batch) return;
  const float* from = x + sample * features * dim;
  if (dim % 4 == 0) load<4>(from, rows, n, tiles * TILE, dim, width, pitch);
  else load<1>(from, rows, n, tiles * TILE, dim, width, pitch);
  __syncwarp();
  const int part = lane % SPLIT;
  float* out = y + sample * (features * (features - 1) / 2);
  constexpr int at_once = 32 / SPLIT;
  for (int first = 0; first < all; first += at_once) {
    const int tile = first + lane / SPLIT;
    const bool real = lane / SPLIT < at_once && tile < all;
    int high = 0, low = real ? tile : 0;
    while (low > high) low -= ++high;
    float sums[TILE][TILE] = {};
    for (int d = part * VEC; d < width; d += SPLIT * VEC) {
      float a[TILE][VEC], b[TILE][VEC];
#pragma unroll
      for (int k = 0; k < TILE; ++k) {
        const float* p = rows + (high * TILE + k) * pitch + d;
        const float* q = rows + (low * TILE + k) * pitch + d;
        if constexpr (VEC == 4) {
          *reinterpret_cast<float4*>(a[k]) = *reinterpret_cast<const float4*>(p);
          *reinterpret_cast<float4*>(b[k]) = *reinterpret_cast<const float4*>(q);
        } else {
          a[k][0] = *p;
          b[k][0] = *q;
        }
      }
#pragma unroll
      for (int k = 0; k < TILE; ++k)
#pragma unroll
        for (int l = 0; l < TILE; ++l)
#pragma unroll
          for (int v = 0; v < VEC; ++v) sums[k][l] = fmaf(a[k][v], b[l][v], sums[k][l]);
    }
#pragma unroll
    for (int k = 0; k < TILE; ++k)
#pragma unroll
      for (int l = 0; l < TILE; ++l) {
        float sum = sums[k][l];
#pragma unroll
        for (int other = 1; other < SPLIT; ++other) sum += __shfl_down_sync(~0u, sums[k][l], other);
        const int i = high * TILE + k, j = low * TILE + l;
        if (real && part == 0 && i < n && j < i) out[i * (i - 1) / 2 + j] = sum;
      }
  }
}
