// Layer normalisation with explicit vectors: how the moments are taken, how wide, how many at once.
// @task layernorm
// @knob WIDTH int {4, 8, 16} = 8                        floats in a vector
// @knob MOMENTS enum {two_pass, welford, shifted} = two_pass  mean then variance; both at once by running means; or sums of x - s and its square, where s is a value of the row
// @knob UNROLL int {1, 2, 3, 4, 6, 8} = 2               independent accumulators of the moments
// @knob OUT_UNROLL int {1, 2, 4, 8} = 1                 vectors a step of the output loop
// @knob OUT enum {plain, folded} = plain                plain: (x - mean) * inverse * weight + bias; folded: one multiply-add less
// @knob TAIL enum {scalar, padded} = scalar             the last cols % WIDTH values of the output
// @knob PREFETCH int {0, 8, 32} = 0                     vectors ahead in the first pass
// @knob ROWS int {1, 2, 4} = 1                          rows whose moments are taken before their output is written
// @require MOMENTS != 1 || UNROLL <= 4
// @flags -O3 -march=native; -funroll-loops?; -mprefer-vector-width={256,512}; -fno-math-errno?
#include <cstddef>

#include "vector_math.hpp"

namespace {

using Vec = vm::f32<WIDTH>;
constexpr int unroll = UNROLL, out_unroll = OUT_UNROLL;
constexpr std::size_t step = WIDTH * unroll;

struct Moments {
  float mean, variance;
};

VM_INLINE Vec load(const float* x) {
  if (PREFETCH > 0) __builtin_prefetch(x + PREFETCH * WIDTH);
  return vm::load<WIDTH>(x);
}

/// Sum over the row of f(x), vectors for whole vectors and f of single values for the tail.
template <class Wide, class Single>
VM_INLINE float sum_of(const float* x, std::size_t n, Wide wide, Single single) {
  Vec total[unroll];
#pragma GCC unroll unroll
  for (int u = 0; u < unroll; ++u) total[u] = vm::splat<WIDTH>(0.0f);
  std::size_t i = 0;
  for (; i + step <= n; i += step) {
#pragma GCC unroll unroll
    for (int u = 0; u < unroll; ++u) total[u] += wide(x + i + u * WIDTH);
  }
  for (; i + WIDTH <= n; i += WIDTH) total[0] += wide(x + i);
#pragma GCC unroll unroll
  for (int u = 1; u < unroll; ++u) total[0] += total[u];
  float sum = vm::sum<WIDTH>(total[0]);
  for (; i < n; ++i) sum += single(x[i]);
  return sum;
}

VM_INLINE Moments two_pass(const float* x, std::size_t n) {
  const float mean = sum_of(x, n, [](const float* p) { return load(p); }, [](float v) { return v; }) / n;
  const float squares = sum_of(
      x, n,
      [mean](const float* p) {
        const Vec d = vm::load<WIDTH>(p) - mean;
        return d * d;
      },
      [mean](float v) { return (v - mean) * (v - mean); });
  return {mean, squares / n};
}

/// The middle one of three values of the row: a single value that is far from all others is never it.
VM_INLINE float typical(const float* x, std::size_t n) {
  const float a = x[0], b = x[n / 2], c = x[n - 1];
  const float low = a < b ? a : b, high = a < b ? b : a;
  return c < low ? low : c < high ? c : high;
}

/// One pass over x - s: without a shift into the row the difference of two large squares would cancel.
VM_INLINE Moments shifted(const float* x, std::size_t n) {
  const float shift = typical(x, n);
  Vec sum[unroll], square[unroll];
#pragma GCC unroll unroll
  for (int u = 0; u < unroll; ++u) sum[u] = square[u] = vm::splat<WIDTH>(0.0f);
  std::size_t i = 0;
  for (; i + step <= n; i += step) {
#pragma GCC unroll unroll
    for (int u = 0; u < unroll; ++u) {
      const Vec d = load(x + i + u * WIDTH) - shift;
      sum[u] += d;
      square[u] += d * d;
    }
  }
  for (; i + WIDTH <= n; i += WIDTH) {
    const Vec d = load(x + i) - shift;
    sum[0] += d;
    square[0] += d * d;
  }
#pragma GCC unroll unroll
  for (int u = 1; u < unroll; ++u) {
    sum[0] += sum[u];
    square[0] += square[u];
  }
  float s = vm::sum<WIDTH>(sum[0]), q = vm::sum<WIDTH>(square[0]);
  for (; i < n; ++i) {
    const float d = x[i] - shift;
    s += d;
    q += d * d;
  }
  const float offset = s / n;
  const float variance = q / n - offset * offset;
  return {shift + offset, variance < 0.0f ? 0.0f : variance};  // NaN is not below zero: it stays
}

/// Welford's running mean and sum of squares, a lane each, merged by Chan's formula [Chan1983].
VM_INLINE Moments welford(const float* x, std::size_t n) {
  Vec mean[unroll], square[unroll];
#pragma GCC unroll unroll
  for (int u = 0; u < unroll; ++u) mean[u] = square[u] = vm::splat<WIDTH>(0.0f);
  float count = 0;
  std::size_t i = 0;
  for (; i + step <= n; i += step) {
    count += 1.0f;
    const float share = 1.0f / count;
#pragma GCC unroll unroll
    for (int u = 0; u < unroll; ++u) {
      const Vec v = load(x + i + u * WIDTH);
      const Vec d = v - mean[u];
      mean[u] += d * share;
      square[u] += d * (v - mean[u]);
    }
  }
  Vec total = mean[0];
#pragma GCC unroll unroll
  for (int u = 1; u < unroll; ++u) total += mean[u];
  const float lanes = step;
  float middle = vm::sum<WIDTH>(total) / lanes, q = 0;
#pragma GCC unroll unroll
  for (int u = 0; u < unroll; ++u) {
    const Vec d = mean[u] - middle;
    q += vm::sum<WIDTH>(square[u]) + count * vm::sum<WIDTH>(d * d);
  }
  float seen = count * lanes;
  for (; i < n; ++i) {
    seen += 1.0f;
    const float d = x[i] - middle;
    middle += d / seen;
    q += d * (x[i] - middle);
  }
  return {middle, q / n};
}

VM_INLINE Moments moments(const float* x, std::size_t n) {
  if (MOMENTS == MOMENTS_two_pass) return two_pass(x, n);
  return MOMENTS == MOMENTS_welford ? welford(x, n) : shifted(x, n);
}

template <class Value>
VM_INLINE Value output(Value x, Value weight, Value bias, float mean, float inverse) {
  if (OUT == OUT_plain) return (x - mean) * inverse * weight + bias;
  const Value scale = weight * inverse;
  return (x - mean) * scale + bias;
}

VM_INLINE void write(const float* x, const float* weight, const float* bias, float* y, std::size_t n, Moments m) {
  const float inverse = 1.0f / __builtin_sqrtf(m.variance + 1e-5f);
  std::size_t i = 0;
  for (; i + out_unroll * WIDTH <= n; i += out_unroll * WIDTH) {
#pragma GCC unroll out_unroll
    for (int u = 0; u < out_unroll; ++u) {
      const std::size_t at = i + u * WIDTH;
      vm::store<WIDTH>(y + at, output(vm::load<WIDTH>(x + at), vm::load<WIDTH>(weight + at), vm::load<WIDTH>(bias + at),
                                      m.mean, inverse));
    }
  }
  for (; i + WIDTH <= n; i += WIDTH)
    vm::store<WIDTH>(y + i, output(vm::load<WIDTH>(x + i), vm::load<WIDTH>(weight + i), vm::load<WIDTH>(bias + i),
                                   m.mean, inverse));
  if (TAIL == TAIL_padded && i < n) {
    const std::size_t rest = n - i;
    vm::store_part<WIDTH>(y + i, output(vm::load_part<WIDTH>(x + i, rest, 0), vm::load_part<WIDTH>(weight + i, rest, 0),
                                        vm::load_part<WIDTH>(bias + i, rest, 0), m.mean, inverse), rest);
    return;
  }
  for (; i < n; ++i) y[i] = output(x[i], weight[i], bias[i], m.mean, inverse);
}

}  // namespace

extern "C" void kernel(const float* x, const float* weight, const float* bias, float* y, std::size_t rows,
                       std::size_t cols) {
  constexpr std::size_t group = ROWS;
  std::size_t r = 0;
  for (; r + group <= rows; r += group) {
    Moments m[group];
    for (std::size_t g = 0; g < group; ++g) m[g] = moments(x + (r + g) * cols, cols);
    for (std::size_t g = 0; g < group; ++g) write(x + (r + g) * cols, weight, bias, y + (r + g) * cols, cols, m[g]);
  }
  for (; r < rows; ++r) write(x + r * cols, weight, bias, y + r * cols, cols, moments(x + r * cols, cols));
}
