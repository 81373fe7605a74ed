#pragma once
// How a linear layer with GELU in bfloat16 ends where warpgroups have the sums: bias, GELU, the rounding, and the stores.
// For CUDA kernels.

#include "gpu_gelu.cuh"
#include "gpu_warpgroup.cuh"

/// Lane q of four gives its pair of each of four tiles and gets all four pairs of tile q.
__device__ inline void swap_pairs(unsigned (&pairs)[4]) {
  const int q = threadIdx.x % 4;
#pragma unroll
  for (int by = 1; by < 4; by *= 2)
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if (i & by) continue;
      const unsigned other = __shfl_xor_sync(~0u, q & by ? pairs[i] : pairs[i + by], by);
      if (q & by) pairs[i] = other;
      else pairs[i + by] = other;
    }
}

/// y from the first row and column of a tile on.
struct LinearTarget {
  half_bits* y;
  int n, rows, columns;

  __device__ void put_pair(int row, int column, unsigned both) const {
    if (row >= rows || column >= columns) return;
    half_bits* at = y + size_t(row) * n + column;
    if (n % 2 == 0) {
      *reinterpret_cast<unsigned*>(at) = both;
    } else {
      at[0] = half_bits(both);
      if (column + 1 < columns) at[1] = half_bits(both >> 16);
    }
  }
  /// Where n is a multiple of 8.
  __device__ void put_eight(int row, int column, const unsigned (&pairs)[4]) const {
    if (row < rows && column < columns)
      *reinterpret_cast<uint4*>(y + size_t(row) * n + column) = make_uint4(pairs[0], pairs[1], pairs[2], pairs[3]);
  }
};

/// The tile of a warpgroup: results by pairs or, if `Turned`, by eight, swapped among four lanes.
template <bool Short, bool Turned, int N>
__device__ void finish_linear(const WideSums<N>& sums, const half_bits* bias, const LinearTarget& to) {
  const int lane = threadIdx.x % 32, row = threadIdx.x / 32 % 4 * 16 + lane / 4;
  const bool by_eight = Turned && to.n % 8 == 0;
#pragma unroll
  for (int first = 0; first < N / 8; first += 4) {  // tiles of 8 columns
    unsigned pairs[2][4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int column = (first + i) * 8 + lane % 4 * 2;
      const BiasPair b(bias, column, to.columns);
      const float* v = sums.v + (first + i) * 4;
      pairs[0][i] = Bfloat16::pair(gelu<Short>(v[0] + b.low), gelu<Short>(v[1] + b.high));
      pairs[1][i] = Bfloat16::pair(gelu<Short>(v[2] + b.low), gelu<Short>(v[3] + b.high));
    }
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      if (by_eight) {
        swap_pairs(pairs[r]);
        to.put_eight(row + 8 * r, (first + lane % 4) * 8, pairs[r]);
      } else {
#pragma unroll
        for (int i = 0; i < 4; ++i) to.put_pair(row + 8 * r, (first + i) * 8 + lane % 4 * 2, pairs[r][i]);
      }
    }
  }
}
