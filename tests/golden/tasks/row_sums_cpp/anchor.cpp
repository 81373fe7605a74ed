// Sums of rows. An example of the form only.
// @knob UNROLL int {1, 2, 4} = 2   vectors of one step, each with a sum of its own
// @flags -O3 -march=native; -mprefer-vector-width={256,512}
#include <cstddef>

#include "vector_math.hpp"

extern "C" void kernel(const float* x, float* y, std::size_t rows, std::size_t cols) {
  constexpr std::size_t width = 8;
  for (std::size_t r = 0; r < rows; ++r) {
    const float* row = x + r * cols;
    decltype(vm::splat<width>(0.0f)) sums[UNROLL];
    for (auto& sum : sums) sum = vm::splat<width>(0.0f);
    std::size_t c = 0;
    for (; c + UNROLL * width <= cols; c += UNROLL * width) {
      for (std::size_t u = 0; u < UNROLL; ++u) sums[u] += vm::load<width>(row + c + u * width);
    }
    float total = 0;
    for (const auto& sum : sums) {
      for (std::size_t lane = 0; lane < width; ++lane) total += sum[lane];
    }
    for (; c < cols; ++c) total += row[c];
    y[r] = total;
  }
}
