#pragma once
// Kernels whose structure a reader has labelled from their sources, and pairs of them: a kernel and
// one of another structure, or the same kernel with other knobs, flags or unrolling.

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ke::structure_pairs {

/// Kernels that no task ships, by name.
inline const std::map<std::string_view, std::string_view>& own_kernels() {
  static const std::map<std::string_view, std::string_view> kernels = {
      // A product of vectors per row of a sparse matrix in CSR form, element by element.
      {"spmv_rows", R"(#include <cstddef>
extern "C" void kernel(const float* value, const int* column, const int* start, const float* x, float* y,
                       std::size_t rows) {
  for (std::size_t r = 0; r < rows; ++r) {
    float sum = 0;
    for (int k = start[r]; k < start[r + 1]; ++k) sum += value[k] * x[column[k]];
    y[r] = sum;
  }
}
)"},
      // The same by gather instructions.
      {"spmv_gather", R"(#include <immintrin.h>
#include <cstddef>
extern "C" void kernel(const float* value, const int* column, const int* start, const float* x, float* y,
                       std::size_t rows) {
  for (std::size_t r = 0; r < rows; ++r) {
    __m256 sums = _mm256_setzero_ps();
    int k = start[r];
    for (; k + 8 <= start[r + 1]; k += 8) {
      const __m256i at = _mm256_loadu_si256((const __m256i*)(column + k));
      sums = _mm256_fmadd_ps(_mm256_loadu_ps(value + k), _mm256_i32gather_ps(x, at, 4), sums);
    }
    float lane[8], sum = 0;
    _mm256_storeu_ps(lane, sums);
    for (float one : lane) sum += one;
    for (; k < start[r + 1]; ++k) sum += value[k] * x[column[k]];
    y[r] = sum;
  }
}
)"},
      // Column sums over a stride, whose vectors are put together from single loads.
      {"strided_inserts", R"(#include <immintrin.h>
#include <cstddef>
extern "C" void kernel(const float* x, float* y, std::size_t rows, std::size_t cols) {
  for (std::size_t r = 0; r + 4 <= rows; r += 4) {
    __m128 sum = _mm_setzero_ps();
    const float* at = x + r * cols;
    for (std::size_t c = 0; c < cols; ++c, ++at)
      sum = _mm_add_ps(sum, _mm_mul_ps(_mm_setr_ps(at[0], at[cols], at[2 * cols], at[3 * cols]), _mm_set1_ps(y[c])));
    _mm_storeu_ps(y + cols + r, sum);
  }
}
)"},
      // Row sums by vectors along the row.
      {"row_vectors", R"(#include <immintrin.h>
#include <cstddef>
extern "C" void kernel(const float* x, float* y, std::size_t rows, std::size_t cols) {
  for (std::size_t r = 0; r < rows; ++r) {
    __m128 sum = _mm_setzero_ps();
    const float* at = x + r * cols;
    for (std::size_t c = 0; c + 4 <= cols; c += 4)
      sum = _mm_add_ps(sum, _mm_mul_ps(_mm_loadu_ps(at + c), _mm_loadu_ps(y + c)));
    sum = _mm_hadd_ps(sum, sum);
    y[cols + r] = _mm_cvtss_f32(_mm_hadd_ps(sum, sum));
  }
}
)"},
      {"scale_plain", R"(#include <cstddef>
extern "C" void kernel(const float* __restrict x, float* __restrict y, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) y[i] = 2.5f * x[i] + 1.0f;
}
)"},
      // Stores past the caches, UNROLL vectors a step.
      {"scale_stream", R"(// @knob UNROLL int {1, 4} = 1
#include <immintrin.h>
#include <cstddef>
#include <cstdint>
constexpr int unroll = UNROLL;
extern "C" void kernel(const float* x, float* y, std::size_t n) {
  std::size_t i = 0;
  for (; i < n && ((std::uintptr_t)(y + i) & 31) != 0; ++i) y[i] = 2.5f * x[i] + 1.0f;
  const __m256 factor = _mm256_set1_ps(2.5f), one = _mm256_set1_ps(1.0f);
  for (; i + 8 * unroll <= n; i += 8 * unroll)
#pragma GCC unroll 4
    for (int u = 0; u < unroll; ++u)
      _mm256_stream_ps(y + i + 8 * u, _mm256_fmadd_ps(_mm256_loadu_ps(x + i + 8 * u), factor, one));
  for (; i < n; ++i) y[i] = 2.5f * x[i] + 1.0f;
  _mm_sfence();
}
)"},
      {"stencil_plain", R"(#include <cstddef>
extern "C" void kernel(const float* __restrict x, float* __restrict y, std::size_t rows, std::size_t cols) {
  for (std::size_t r = 1; r + 1 < rows; ++r)
    for (std::size_t c = 1; c + 1 < cols; ++c) {
      const std::size_t at = r * cols + c;
      y[at] = 0.2f * (x[at] + x[at - 1] + x[at + 1] + x[at - cols] + x[at + cols]);
    }
}
)"},
      // The same by tiles of ROWS x COLUMNS.
      {"stencil_blocked", R"(// @knob ROWS int {16, 64} = 16
// @knob COLUMNS int {64, 256} = 64
#include <cstddef>
extern "C" void kernel(const float* __restrict x, float* __restrict y, std::size_t rows, std::size_t cols) {
  for (std::size_t r0 = 1; r0 + 1 < rows; r0 += ROWS)
    for (std::size_t c0 = 1; c0 + 1 < cols; c0 += COLUMNS) {
      const std::size_t r1 = r0 + ROWS < rows - 1 ? r0 + ROWS : rows - 1;
      const std::size_t c1 = c0 + COLUMNS < cols - 1 ? c0 + COLUMNS : cols - 1;
      for (std::size_t r = r0; r < r1; ++r)
        for (std::size_t c = c0; c < c1; ++c) {
          const std::size_t at = r * cols + c;
          y[at] = 0.2f * (x[at] + x[at - 1] + x[at + 1] + x[at - cols] + x[at + cols]);
        }
    }
}
)"},
      {"transpose_plain", R"(#include <cstddef>
extern "C" void kernel(const float* __restrict x, float* __restrict y, std::size_t rows, std::size_t cols) {
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < cols; ++c) y[c * rows + r] = x[r * cols + c];
}
)"},
      {"transpose_blocked", R"(// @knob TILE int {16, 32, 64} = 16
#include <cstddef>
extern "C" void kernel(const float* __restrict x, float* __restrict y, std::size_t rows, std::size_t cols) {
  for (std::size_t r0 = 0; r0 < rows; r0 += TILE)
    for (std::size_t c0 = 0; c0 < cols; c0 += TILE)
      for (std::size_t r = r0; r < rows && r < r0 + TILE; ++r)
        for (std::size_t c = c0; c < cols && c < c0 + TILE; ++c) y[c * rows + r] = x[r * cols + c];
}
)"},
      // 8-bit products with vectors of 32 sums.
      {"bytes_plain", R"(#include <cstddef>
#include <cstdint>
extern "C" void kernel(const std::uint8_t* x, const std::int8_t* w, std::int32_t* y, std::size_t n, std::size_t k) {
  for (std::size_t j = 0; j < n; ++j) {
    std::int32_t sum = 0;
    for (std::size_t p = 0; p < k; ++p) sum += x[p] * w[j * k + p];
    y[j] = sum;
  }
}
)"},
      // The same by VNNI.
      {"bytes_dot", R"(#include <immintrin.h>
#include <cstddef>
#include <cstdint>
extern "C" void kernel(const std::uint8_t* x, const std::int8_t* w, std::int32_t* y, std::size_t n, std::size_t k) {
  for (std::size_t j = 0; j < n; ++j) {
    __m512i sums = _mm512_setzero_si512();
    for (std::size_t p = 0; p + 64 <= k; p += 64)
      sums = _mm512_dpbusd_epi32(sums, _mm512_loadu_si512(x + p), _mm512_loadu_si512(w + j * k + p));
    y[j] = _mm512_reduce_add_epi32(sums);
  }
}
)"},
      // A panel of b is copied by memcpy into memory of the thread.
      {"product_memcpy", R"(#include <cstddef>
#include <cstring>
constexpr std::size_t width = 16, deep = 256;
thread_local float panel[deep * width];
extern "C" void kernel(const float* a, const float* b, float* c, std::size_t m, std::size_t n, std::size_t k) {
  for (std::size_t i = 0; i < m * n; ++i) c[i] = 0;
  for (std::size_t j = 0; j + width <= n; j += width)
    for (std::size_t p0 = 0; p0 < k; p0 += deep) {
      const std::size_t depth = k - p0 < deep ? k - p0 : deep;
      for (std::size_t p = 0; p < depth; ++p) std::memcpy(panel + p * width, b + (p0 + p) * n + j, 4 * width);
      for (std::size_t i = 0; i < m; ++i) {
        float sum[width] = {};
        for (std::size_t p = 0; p < depth; ++p)
          for (std::size_t t = 0; t < width; ++t) sum[t] += a[i * k + p0 + p] * panel[p * width + t];
        for (std::size_t t = 0; t < width; ++t) c[i * n + j + t] += sum[t];
      }
    }
}
)"},
      // The same with b read in place.
      {"product_in_place", R"(#include <cstddef>
constexpr std::size_t width = 16, deep = 256;
extern "C" void kernel(const float* a, const float* b, float* c, std::size_t m, std::size_t n, std::size_t k) {
  for (std::size_t i = 0; i < m * n; ++i) c[i] = 0;
  for (std::size_t j = 0; j + width <= n; j += width)
    for (std::size_t p0 = 0; p0 < k; p0 += deep) {
      const std::size_t depth = k - p0 < deep ? k - p0 : deep;
      for (std::size_t i = 0; i < m; ++i) {
        float sum[width] = {};
        for (std::size_t p = 0; p < depth; ++p)
          for (std::size_t t = 0; t < width; ++t) sum[t] += a[i * k + p0 + p] * b[(p0 + p) * n + j + t];
        for (std::size_t t = 0; t < width; ++t) c[i * n + j + t] += sum[t];
      }
    }
}
)"},
  };
  return kernels;
}

using Knobs = std::map<std::string, std::string>;

/// A kernel above, or TASK/NAME of configs/tasks. `flags` follow the declared ones.
struct Version {
  std::string name;
  Knobs knobs = {};
  std::vector<std::string> flags = {};
};

/// As a reader describes a source: loops around the hottest arithmetic that are not unrolled by
/// hand, where its data come from, and what computes.
struct Labelled {
  Version version;
  int loops;
  std::string_view data_path, engine;
};

inline const std::vector<Labelled>& labelled() {
  static const std::vector<Labelled> kernels = {
      {{"spmv_rows"}, 2, "direct", "scalar"},
      {{"spmv_gather"}, 2, "gather", "vector"},
      {{"strided_inserts"}, 2, "gather", "vector"},
      {{"row_vectors"}, 2, "direct", "vector"},
      {{"scale_plain"}, 1, "direct", "vector"},
      {{"scale_stream"}, 1, "stream", "vector"},
      {{"stencil_plain"}, 2, "direct", "vector"},
      {{"stencil_blocked"}, 4, "direct", "vector"},
      {{"transpose_blocked"}, 4, "direct", "scalar"},
      {{"bytes_plain"}, 2, "direct", "vector"},
      {{"bytes_dot"}, 2, "direct", "dot"},
      {{"product_memcpy"}, 4, "packed", "vector"},
      {{"product_in_place"}, 4, "direct", "vector"},
      {{"sgemm/naive"}, 3, "direct", "scalar"},
      {{"sgemm/loops"}, 6, "direct", "vector"},
      {{"sgemm/tiled"}, 6, "packed", "vector"},
      {{"sgemm/tiled", {{"PACK_B", "false"}}}, 6, "direct", "vector"},
      {{"linear/dots"}, 3, "direct", "vector"},
      {{"linear/packed"}, 3, "packed", "vector"},
      {{"softmax/naive"}, 2, "direct", "libm"},
      {{"softmax/vectorised"}, 2, "direct", "vector"},
      {{"embedding_bag/naive"}, 3, "direct", "vector"},
      {{"embedding_bag/blocked"}, 3, "direct", "vector"},
      {{"conv2d/direct"}, 7, "packed", "vector"},
      {{"dot_interaction/tiled", {{"LANES", "pairs"}, {"DIAGONAL", "tile"}}},
       4,
       "packed",
       "vector"},
  };
  return kernels;
}

struct Pair {
  Version one, other;
};

/// Different structure. Not all are told apart: embedding_bag's two kernels differ in the order of
/// their loops alone.
inline const std::vector<Pair>& different() {
  static const std::vector<Pair> pairs = {
      {{"sgemm/naive"}, {"sgemm/loops"}},
      {{"sgemm/loops"}, {"sgemm/tiled"}},
      {{"sgemm/tiled", {{"PACK_B", "false"}}}, {"sgemm/tiled"}},
      {{"product_in_place"}, {"product_memcpy"}},
      {{"linear/dots"}, {"linear/packed"}},
      {{"softmax/naive"}, {"softmax/vectorised"}},
      {{"spmv_rows"}, {"spmv_gather"}},
      {{"strided_inserts"}, {"row_vectors"}},
      {{"scale_plain"}, {"scale_stream"}},
      {{"stencil_plain"}, {"stencil_blocked"}},
      {{"transpose_plain"}, {"transpose_blocked"}},
      {{"bytes_plain"}, {"bytes_dot"}},
      {{"embedding_bag/naive"}, {"embedding_bag/blocked"}},
      {{"dot_interaction/tiled"},
       {"dot_interaction/tiled", {{"LANES", "pairs"}, {"DIAGONAL", "tile"}}}},
  };
  return pairs;
}

/// One structure with other knobs, flags or unrolling.
inline const std::vector<Pair>& alike() {
  static const std::vector<Pair> pairs = {
      {{"sgemm/naive"}, {"sgemm/naive", {}, {"-O2", "-funroll-loops"}}},
      {{"sgemm/loops"},
       {"sgemm/loops", {{"TILE_I", "16"}, {"TILE_K", "16"}, {"OUTER", "kij"}}, {"-funroll-loops"}}},
      {{"sgemm/loops"}, {"sgemm/loops", {{"TILE_I", "8"}, {"TILE_J", "128"}, {"ORDER", "kij"}}}},
      {{"sgemm/tiled"},
       {"sgemm/tiled",
        {{"WIDTH", "16"}, {"MR", "8"}, {"UNROLL", "4"}, {"KC", "512"}},
        {"-march=x86-64-v4"}}},
      {{"sgemm/tiled"},
       {"sgemm/tiled",
        {{"PACK_A", "true"}, {"ORDER", "pij"}, {"INNER", "rows_first"}, {"MC", "2"}},
        {"-O2"}}},
      {{"linear/packed"},
       {"linear/packed", {{"MR", "8"}, {"UNROLL", "4"}, {"ORDER", "samples_first"}}}},
      {{"softmax/vectorised"},
       {"softmax/vectorised",
        {{"EXP", "base2"}, {"EXP_UNROLL", "4"}, {"THIRD", "recompute"}, {"TAIL", "padded"}}}},
      {{"embedding_bag/blocked"},
       {"embedding_bag/blocked",
        {{"NV", "8"}, {"ENTRIES", "2"}, {"PREFETCH", "8"}},
        {"-funroll-loops"}}},
      {{"conv2d/direct"},
       {"conv2d/direct", {{"FILTERS", "6"}, {"PACK", "true"}, {"SPACE", "flat"}}}},
      {{"dot_interaction/tiled"},
       {"dot_interaction/tiled", {{"TI", "3"}, {"UNROLL", "4"}, {"SUMS", "together"}}}},
      {{"spmv_gather"}, {"spmv_gather", {}, {"-O2", "-funroll-loops"}}},
      {{"scale_stream"}, {"scale_stream", {{"UNROLL", "4"}}}},
      {{"stencil_plain"}, {"stencil_plain", {}, {"-funroll-loops", "-march=x86-64-v4"}}},
      {{"stencil_blocked"},
       {"stencil_blocked", {{"ROWS", "64"}, {"COLUMNS", "256"}}, {"-funroll-loops"}}},
      {{"product_memcpy"}, {"product_memcpy", {}, {"-funroll-loops", "-fno-tree-slp-vectorize"}}},
  };
  return pairs;
}

}  // namespace ke::structure_pairs
