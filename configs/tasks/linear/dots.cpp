// Nothing is prepared: dot products of MR samples with NR rows of the weights as they lie, vectors along k.
// @task linear
// @knob WIDTH int {8, 16} = 8                 floats in a vector
// @knob MR int {1, 2, 3, 4, 6} = 2            samples of the register tile
// @knob NR int {1, 2, 3, 4} = 2               features of the register tile
// @knob UNROLL int {1, 2} = 1                 vectors of k unrolled
// @require MR * NR + MR + NR <= 30
// @flags -O3 -march=native; -mprefer-vector-width={256,512}; -funroll-loops?; -fno-tree-slp-vectorize?
#include <cstddef>

#include "vector_math.hpp"

namespace {

using Vec = vm::f32<WIDTH>;
constexpr int k_unroll = UNROLL;

template <int ROWS, int COLUMNS>
VM_INLINE void tile(const float* x, const float* w, float* y, std::size_t n, std::size_t k) {
  Vec sum[ROWS][COLUMNS];
#pragma GCC unroll 8
  for (int i = 0; i < ROWS; ++i)
#pragma GCC unroll 4
    for (int j = 0; j < COLUMNS; ++j) sum[i][j] = vm::splat<WIDTH>(0.0f);
  std::size_t p = 0;
#pragma GCC unroll k_unroll
  for (; p + WIDTH <= k; p += WIDTH) {
    Vec row[COLUMNS];
#pragma GCC unroll 4
    for (int j = 0; j < COLUMNS; ++j) row[j] = vm::load<WIDTH>(w + j * k + p);
#pragma GCC unroll 8
    for (int i = 0; i < ROWS; ++i) {
      const Vec samples = vm::load<WIDTH>(x + i * k + p);
#pragma GCC unroll 4
      for (int j = 0; j < COLUMNS; ++j) sum[i][j] += samples * row[j];
    }
  }
  for (int i = 0; i < ROWS; ++i)
    for (int j = 0; j < COLUMNS; ++j) {
      float total = 0;
      for (int t = 0; t < WIDTH; ++t) total += sum[i][j][t];
      for (std::size_t q = p; q < k; ++q) total += x[i * k + q] * w[j * k + q];
      y[i * n + j] = total;
    }
}

}  // namespace

extern "C" void kernel(const float* x, const float* w, float* y, std::size_t m, std::size_t n, std::size_t k) {
  std::size_t j = 0;
  for (; j + NR <= n; j += NR) {
    std::size_t i = 0;
    for (; i + MR <= m; i += MR) tile<MR, NR>(x + i * k, w + j * k, y + i * n + j, n, k);
    for (; i < m; ++i) tile<1, NR>(x + i * k, w + j * k, y + i * n + j, n, k);
  }
  for (; j < n; ++j)
    for (std::size_t i = 0; i < m; ++i) tile<1, 1>(x + i * k, w + j * k, y + i * n + j, n, k);
}
