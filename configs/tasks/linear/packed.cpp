// The weights are packed once into panels of NV * WIDTH features, in which one step of k is contiguous; a register tile
// of MR samples runs down a panel.
// @task linear
// @knob WIDTH int {8, 16} = 8                 floats in a vector
// @knob NV int {1, 2, 3, 4} = 2               vectors across the register tile
// @knob MR int {1, 2, 4, 6, 8, 12} = 4        samples of the register tile
// @knob UNROLL int {1, 2, 4} = 1              steps of k unrolled in the register tile
// @knob PREFETCH int {0, 4, 16} = 0           steps of k ahead in the panel
// @knob ORDER enum {panels_first, samples_first} = panels_first  which loop is the outer one
// @require MR * NV + NV + 1 <= 32
// @flags -O3 -march=native; -mprefer-vector-width={256,512}; -funroll-loops?; -fno-tree-slp-vectorize?
#include <cstddef>
#include <new>

#include "vector_math.hpp"

namespace {

using Vec = vm::f32<WIDTH>;
constexpr int mr = MR, nv = NV, k_unroll = UNROLL;
constexpr std::size_t nr = NV * WIDTH;

float* panels = nullptr;
std::size_t capacity = 0;

std::size_t least(std::size_t a, std::size_t b) { return a < b ? a : b; }
std::size_t panels_for(std::size_t n) { return (n + nr - 1) / nr; }

/// y[0..rows)[0..columns) of one panel; x has `rows` rows, ROWS of which are computed at a time.
template <int ROWS>
VM_INLINE void register_tile(const float* x, const float* panel, float* y, std::size_t n, std::size_t k,
                             std::size_t columns) {
  Vec sum[ROWS][nv];
#pragma GCC unroll 16
  for (int i = 0; i < ROWS; ++i)
#pragma GCC unroll 4
    for (int j = 0; j < nv; ++j) sum[i][j] = vm::splat<WIDTH>(0.0f);
#pragma GCC unroll k_unroll
  for (std::size_t p = 0; p < k; ++p) {
    Vec row[nv];
#pragma GCC unroll 4
    for (int j = 0; j < nv; ++j) {
      row[j] = vm::load<WIDTH>(panel + p * nr + j * WIDTH);
      if (PREFETCH > 0 && (j * WIDTH) % 16 == 0) __builtin_prefetch(panel + (p + PREFETCH) * nr + j * WIDTH);
    }
#pragma GCC unroll 16
    for (int i = 0; i < ROWS; ++i)
#pragma GCC unroll 4
      for (int j = 0; j < nv; ++j) sum[i][j] += x[i * k + p] * row[j];
  }
  for (int i = 0; i < ROWS; ++i) {
    if (columns == nr) {
#pragma GCC unroll 4
      for (int j = 0; j < nv; ++j) vm::store<WIDTH>(y + i * n + j * WIDTH, sum[i][j]);
    } else {
      for (std::size_t t = 0; t < columns; ++t) y[i * n + t] = sum[i][t / WIDTH][t % WIDTH];
    }
  }
}

void tile(const float* x, float* y, std::size_t m, std::size_t n, std::size_t k, std::size_t i, std::size_t panel) {
  const float* weights = panels + panel * nr * k;
  const std::size_t columns = least(nr, n - panel * nr);
  float* to = y + i * n + panel * nr;
  if (m - i >= mr) return register_tile<mr>(x + i * k, weights, to, n, k, columns);
  for (; i < m; ++i, to += n) register_tile<1>(x + i * k, weights, to, n, k, columns);
}

}  // namespace

/// Panel after panel, k steps of nr features each; features beyond n are zero.
extern "C" void prepare(const float* w, std::size_t, std::size_t n, std::size_t k) {
  const std::size_t size = panels_for(n) * nr * k;
  if (size > capacity) {
    ::operator delete[](panels, std::align_val_t(64));
    panels = static_cast<float*>(::operator new[](size * sizeof(float), std::align_val_t(64)));
    capacity = size;
  }
  float* to = panels;
  for (std::size_t first = 0; first < n; first += nr)
    for (std::size_t p = 0; p < k; ++p)
      for (std::size_t t = 0; t < nr; ++t) *to++ = first + t < n ? w[(first + t) * k + p] : 0.0f;
}

extern "C" void kernel(const float* x, const float*, float* y, std::size_t m, std::size_t n, std::size_t k) {
  const std::size_t count = panels_for(n);
  if (ORDER == ORDER_panels_first) {
    for (std::size_t panel = 0; panel < count; ++panel)
      for (std::size_t i = 0; i < m; i += mr) tile(x, y, m, n, k, i, panel);
  } else {
    for (std::size_t i = 0; i < m; i += mr)
      for (std::size_t panel = 0; panel < count; ++panel) tile(x, y, m, n, k, i, panel);
  }
}
