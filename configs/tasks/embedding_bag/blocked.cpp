// Embedding bag with the sums of a block of columns in registers and the rows to come fetched ahead.
// @task embedding_bag
// @knob WIDTH int {4, 8, 16} = 8                       floats in a vector
// @knob NV int {1, 2, 4, 8, 16} = 2                    vectors of sums in registers
// @knob ENTRIES int {1, 2, 4} = 1                      entries of a bag added in one step
// @knob SUMS enum {one, per_entry} = one               entries of a step share their sums, or have their own
// @knob PREFETCH int {0, 2, 4, 8, 16, 32} = 0          entries ahead, across the end of the bag
// @knob LINES int {1, 2, 4, 8} = 1                     cache lines fetched of each row
// @knob LEVEL enum {l1, l2, once} = l1                 where they are fetched to
// @require SUMS == 0 || NV * ENTRIES <= 24
// @require SUMS == 0 || ENTRIES > 1
// @require PREFETCH > 0 || (LINES == 1 && LEVEL == 0)
// @flags -O3 -march=native; -funroll-loops?; -mprefer-vector-width={256,512}
#include <cstddef>

#include "vector_math.hpp"

namespace {

constexpr int entries = ENTRIES, sums = SUMS == SUMS_per_entry ? ENTRIES : 1;

struct Bags {
  const float* table;
  const int* indices;
  const int* end;  // of all indices
  std::size_t dim, bag;
};

VM_INLINE const float* row(const Bags& b, const int* index) { return b.table + static_cast<std::size_t>(*index) * b.dim; }

VM_INLINE void fetch(const Bags& b, const int* index, std::size_t column) {
  if (PREFETCH == 0 || index + PREFETCH >= b.end) return;
  const float* ahead = row(b, index + PREFETCH) + column;
  constexpr int hint = LEVEL == LEVEL_l1 ? 3 : LEVEL == LEVEL_l2 ? 2 : 0;
#pragma GCC unroll 8
  for (int l = 0; l < LINES; ++l) __builtin_prefetch(ahead + l * 16, 0, hint);
}

/// Columns [column, column + N * W) of one bag.
template <int W, int N>
VM_INLINE void columns(const Bags& b, const int* index, float* out, std::size_t column) {
  using Vec = vm::f32<W>;
  Vec sum[sums][N];
#pragma GCC unroll 4
  for (int s = 0; s < sums; ++s)
#pragma GCC unroll 16
    for (int v = 0; v < N; ++v) sum[s][v] = vm::splat<W>(0.0f);
  std::size_t j = 0;
  for (; j + entries <= b.bag; j += entries) {
#pragma GCC unroll 4
    for (int e = 0; e < entries; ++e) {
      fetch(b, index + j + e, column);
      const float* from = row(b, index + j + e) + column;
#pragma GCC unroll 16
      for (int v = 0; v < N; ++v) sum[e % sums][v] += vm::load<W>(from + v * W);
    }
  }
  for (; j < b.bag; ++j) {
    const float* from = row(b, index + j) + column;
#pragma GCC unroll 16
    for (int v = 0; v < N; ++v) sum[0][v] += vm::load<W>(from + v * W);
  }
#pragma GCC unroll 16
  for (int v = 0; v < N; ++v) {
#pragma GCC unroll 4
    for (int s = 1; s < sums; ++s) sum[0][v] += sum[s][v];
    vm::store<W>(out + column + v * W, sum[0][v]);
  }
}

}  // namespace

extern "C" void kernel(const float* table, const int* indices, float* out, std::size_t vocab, std::size_t dim,
                       std::size_t bags, std::size_t bag) {
  (void)vocab;
  const Bags b = {table, indices, indices + bags * bag, dim, bag};
  for (std::size_t i = 0; i < bags; ++i, indices += bag, out += dim) {
    std::size_t d = 0;
    for (; d + NV * WIDTH <= dim; d += NV * WIDTH) columns<WIDTH, NV>(b, indices, out, d);
    for (; d + WIDTH <= dim; d += WIDTH) columns<WIDTH, 1>(b, indices, out, d);
    for (; d < dim; ++d) columns<1, 1>(b, indices, out, d);
  }
}
