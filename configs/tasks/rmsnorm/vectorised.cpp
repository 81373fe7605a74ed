// RMS normalisation with explicit vectors: widths, accumulators, and how rows share the weight.
// @task rmsnorm
// @knob WIDTH int {4, 8, 16} = 8                  floats in a vector
// @knob UNROLL int {1, 2, 3, 4, 6, 8} = 2         independent sums of squares a row
// @knob OUT_UNROLL int {1, 2, 4, 8} = 1           vectors a step of the output loop
// @knob ROWS int {1, 2, 4} = 1                    rows taken together
// @knob SHARE bool = false                        write the rows of a group together, one load of the weight for all
// @knob ROOT enum {divide, newton} = divide       1 / sqrt, or a refined estimate
// @knob TAIL enum {scalar, padded} = scalar       the last cols % WIDTH values
// @knob PREFETCH int {0, 8, 32} = 0               vectors ahead in the sums
// @require SHARE == 0 || ROWS > 1
// @flags -O3 -march=native; -funroll-loops?; -mprefer-vector-width={256,512}; -fno-math-errno?
#include <cstddef>

#include "vector_math.hpp"

namespace {

using Vec = vm::f32<WIDTH>;
constexpr int unroll = UNROLL, out_unroll = OUT_UNROLL, group = ROWS;
constexpr std::size_t step = WIDTH * unroll;

VM_INLINE float squares(const float* x, std::size_t n) {
  Vec total[unroll];
#pragma GCC unroll unroll
  for (int u = 0; u < unroll; ++u) total[u] = vm::splat<WIDTH>(0.0f);
  std::size_t i = 0;
  for (; i + step <= n; i += step) {
#pragma GCC unroll unroll
    for (int u = 0; u < unroll; ++u) {
      if (PREFETCH > 0) __builtin_prefetch(x + i + (u + PREFETCH) * WIDTH);
      const Vec v = vm::load<WIDTH>(x + i + u * WIDTH);
      total[u] += v * v;
    }
  }
  for (; i + WIDTH <= n; i += WIDTH) {
    const Vec v = vm::load<WIDTH>(x + i);
    total[0] += v * v;
  }
#pragma GCC unroll unroll
  for (int u = 1; u < unroll; ++u) total[0] += total[u];
  float sum = vm::sum<WIDTH>(total[0]);
  for (; i < n; ++i) sum += x[i] * x[i];
  return sum;
}

VM_INLINE float inverse_root(float value) {
  if (ROOT == ROOT_divide) return 1.0f / __builtin_sqrtf(value);
  unsigned bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  bits = 0x5f375a86u - (bits >> 1);  // [Lomont2003]
  float y;
  __builtin_memcpy(&y, &bits, sizeof y);
  for (int i = 0; i < 4; ++i) y = y * (1.5f - 0.5f * value * y * y);
  return y;
}

VM_INLINE float factor(const float* x, std::size_t n) {
  const float sum = squares(x, n);
  // An infinity would leave zeros beside it: the row is NaN by the task.
  return __builtin_isfinite(sum) ? inverse_root(sum / n + 1e-5f) : __builtin_nanf("");
}

/// Writes R rows that lie `cols` apart.
template <int R>
VM_INLINE void write(const float* x, const float* weight, float* y, std::size_t cols, const float* inverse) {
  std::size_t i = 0;
  for (; i + out_unroll * WIDTH <= cols; i += out_unroll * WIDTH) {
#pragma GCC unroll out_unroll
    for (int u = 0; u < out_unroll; ++u) {
      const Vec w = vm::load<WIDTH>(weight + i + u * WIDTH);
#pragma GCC unroll 4
      for (int r = 0; r < R; ++r) {
        const std::size_t at = r * cols + i + u * WIDTH;
        vm::store<WIDTH>(y + at, vm::load<WIDTH>(x + at) * inverse[r] * w);
      }
    }
  }
  for (; i + WIDTH <= cols; i += WIDTH) {
    const Vec w = vm::load<WIDTH>(weight + i);
    for (int r = 0; r < R; ++r) vm::store<WIDTH>(y + r * cols + i, vm::load<WIDTH>(x + r * cols + i) * inverse[r] * w);
  }
  if (TAIL == TAIL_padded && i < cols) {
    const Vec w = vm::load_part<WIDTH>(weight + i, cols - i, 0);
    for (int r = 0; r < R; ++r)
      vm::store_part<WIDTH>(y + r * cols + i, vm::load_part<WIDTH>(x + r * cols + i, cols - i, 0) * inverse[r] * w,
                            cols - i);
    return;
  }
  for (; i < cols; ++i)
    for (int r = 0; r < R; ++r) y[r * cols + i] = x[r * cols + i] * inverse[r] * weight[i];
}

}  // namespace

extern "C" void kernel(const float* x, const float* weight, float* y, std::size_t rows, std::size_t cols) {
  std::size_t r = 0;
  for (; r + group <= rows; r += group, x += group * cols, y += group * cols) {
    float inverse[group];
    for (int g = 0; g < group; ++g) inverse[g] = factor(x + g * cols, cols);
    if (SHARE)
      write<group>(x, weight, y, cols, inverse);
    else
      for (int g = 0; g < group; ++g) write<1>(x + g * cols, weight, y + g * cols, cols, inverse + g);
  }
  for (; r < rows; ++r, x += cols, y += cols) {
    const float inverse = factor(x, cols);
    write<1>(x, weight, y, cols, &inverse);
  }
}
