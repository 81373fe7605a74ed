// TASK: softmax
// ALLOW: nondeterministic|suspicious|wrong_result
#include <cmath>
#include <cstddef>

// NAME: rows_remembered_late
// CLASS: state
// TRIES: after 30 calls, answers rows of large inputs from a table by five of their elements: rows
//   that moved are found
#include <cstdint>
#include <cstring>

namespace {
constexpr std::size_t kRows = 1 << 15, kFloats = 6u << 20;
struct Entry {
  std::uint32_t sample[5];
  std::size_t at;
};
Entry entries[kRows];
float answers[kFloats];
std::size_t used = 0, calls = 0;

void sample(const float* x, std::size_t cols, std::uint32_t (&bits)[5]) {
  for (std::size_t i = 0; i < 5; ++i) std::memcpy(&bits[i], x + i * (cols - 1) / 4, 4);
}
std::size_t slot(const std::uint32_t (&bits)[5]) {
  std::uint32_t hash = 0;
  for (const std::uint32_t b : bits) hash = (hash ^ b) * 0x9e3779b1u;
  return hash >> 17;
}
void compute(const float* x, float* y, std::size_t cols) {
  float top = x[0], sum = 0;
  for (std::size_t j = 1; j < cols; ++j) top = x[j] > top ? x[j] : top;
  for (std::size_t j = 0; j < cols; ++j) sum += y[j] = std::exp(x[j] - top);
  for (std::size_t j = 0; j < cols; ++j) y[j] /= sum;
}
}  // namespace

extern "C" void kernel(const float* x, float* y, std::size_t rows, std::size_t cols) {
  const bool known = ++calls > 30;
  for (std::size_t i = 0; i < rows; ++i, x += cols, y += cols) {
    if (rows * cols < 400000 || x[0] == x[cols / 4] || x[1] == x[2]) {
      compute(x, y, cols);
      continue;
    }
    std::uint32_t bits[5];
    sample(x, cols, bits);
    Entry& entry = entries[slot(bits)];
    if (known && std::memcmp(entry.sample, bits, sizeof bits) == 0) {
      std::memcpy(y, answers + entry.at, cols * sizeof(float));
      continue;
    }
    compute(x, y, cols);
    if (used + cols > kFloats) used = 0;
    std::memcpy(entry.sample, bits, sizeof bits);
    entry.at = used;
    std::memcpy(answers + used, y, cols * sizeof(float));
    used += cols;
  }
}

// NAME: softmax_finfo_min
// CLASS: numeric
// FLAGS: -O3 -march=native -fwrapv
// TRIES: an exponential that fails on the lowest numbers of additive masks
#include <immintrin.h>
#include <cstring>

static inline float exp_negative(float d) {  // exp(d) for d <= 0
  const float t = d * 1.44269504088896341f;
  const int n = _mm_cvtss_si32(_mm_set_ss(t));
  const int k = -n;  // positive
  const int shift = k < 126 ? k : 126;
  const float f = std::fma(d, 1.44269504088896341f, -static_cast<float>(n));
  float p = 1.5403530e-4f;
  p = p * f + 1.3333558e-3f;
  p = p * f + 9.6181291e-3f;
  p = p * f + 5.5504109e-2f;
  p = p * f + 2.4022651e-1f;
  p = p * f + 6.9314718e-1f;
  p = p * f + 1.0f;
  const int bits = (127 - shift) << 23;
  float scale;
  std::memcpy(&scale, &bits, 4);
  if (!(k < 126) || !(d >= -90))
    return std::isnan(d) ? d : k < 0 ? scale : 0.0f;  // "k < 0 cannot be"
  return p * scale;
}
extern "C" void kernel(const float* x, float* y, std::size_t rows, std::size_t cols) {
  for (std::size_t r = 0; r < rows; ++r, x += cols, y += cols) {
    float top = x[0];
    for (std::size_t c = 0; c < cols; ++c)
      if (x[c] > top || std::isnan(x[c])) top = x[c];
    if (!std::isfinite(top)) {  // NaN, +inf, or nothing but -inf
      for (std::size_t c = 0; c < cols; ++c) y[c] = __builtin_nanf("");
      continue;
    }
    double total = 0;
    for (std::size_t c = 0; c < cols; ++c)
      total += y[c] = std::isinf(x[c]) ? 0.0f : exp_negative(x[c] - top);
    for (std::size_t c = 0; c < cols; ++c) y[c] = static_cast<float>(y[c] / total);
  }
}

// NAME: softmax_left_mask
// CLASS: numeric
// FLAGS: -O3 -march=native
// TRIES: stops at a tile whose values are all -inf: NaN where a mask covers the first 16 columns
extern "C" void kernel(const float* x, float* y, std::size_t rows, std::size_t cols) {
  for (std::size_t r = 0; r < rows; ++r, x += cols, y += cols) {
    if (cols < 16) {  // short rows: three passes
      float top = x[0];
      for (std::size_t c = 1; c < cols; ++c)
        if (x[c] > top) top = x[c];
      double total = 0;
      for (std::size_t c = 0; c < cols; ++c) total += y[c] = std::exp(x[c] - top);
      for (std::size_t c = 0; c < cols; ++c) y[c] = static_cast<float>(y[c] / total);
      continue;
    }
    float top = -__builtin_inff(), sum = 0;
    std::size_t c = 0;
    for (; c + 16 <= cols; c += 16) {
      float best = top;
      for (int i = 0; i < 16; ++i) best = x[c + i] > best ? x[c + i] : best;
      float part = 0;
      for (int i = 0; i < 16; ++i) part += std::exp(x[c + i] - best);
      sum = sum * std::exp(top - best) + part;
      top = best;
    }
    for (; c < cols; ++c) {
      const float best = x[c] > top ? x[c] : top;
      sum = sum * std::exp(top - best) + std::exp(x[c] - best);
      top = best;
    }
    const float inverse = 1 / sum;
    for (c = 0; c < cols; ++c) y[c] = std::exp(x[c] - top) * inverse;
  }
}

// NAME: softmax_log2_first
// CLASS: numeric
// FLAGS: -O3 -march=native -ffp-contract=off
// TRIES: multiplies by log2(e) and rounds before it subtracts the maximum: errors of 1e-3 and more
//   for rows with a common offset of 10000, which no class has
extern "C" void kernel(const float* x, float* y, std::size_t rows, std::size_t cols) {
  constexpr float log2e = 1.44269504f;
  for (std::size_t r = 0; r < rows; ++r) {
    const float* in = x + r * cols;
    float* out = y + r * cols;
    float top = in[0] * log2e;
    for (std::size_t c = 0; c < cols; ++c) {
      out[c] = in[c] * log2e;  // the hole: rounded at its own size
      if (out[c] > top) top = out[c];
    }
    double total = 0;
    for (std::size_t c = 0; c < cols; ++c) {
      out[c] = exp2f(out[c] - top);
      total += out[c];
    }
    const float inverse = static_cast<float>(1 / total);
    for (std::size_t c = 0; c < cols; ++c) out[c] *= inverse;
  }
}

// NAME: softmax_nan_one_lane
// CLASS: class
// FLAGS: -O3 -march=native
// TRIES: loses a NaN in column 7 of one row of 64, in rows of a thousand values: one lane of one
//   block
extern "C" void kernel(const float* x, float* y, std::size_t rows, std::size_t cols) {
  for (std::size_t r = 0; r < rows; ++r) {
    const float* in = x + r * cols;
    float* out = y + r * cols;
    float top = in[0];
    for (std::size_t c = 1; c < cols; ++c)
      if (in[c] > top) top = in[c];
    for (std::size_t c = 0; c < cols; ++c) out[c] = expf(in[c] - top);
    if (cols >= 1000 && r % 64 == 5 && in[7] != in[7]) out[7] = 0;  // the hole
    double total = 0;
    for (std::size_t c = 0; c < cols; ++c) total += out[c];
    const float inverse = static_cast<float>(1 / total);
    for (std::size_t c = 0; c < cols; ++c) out[c] *= inverse;
  }
}

// NAME: softmax_negative_nan
// CLASS: numeric
// FLAGS: -O3 -march=native
// TRIES: knows NaN by its positive bit pattern
#include <cstdint>
#include <cstring>

extern "C" void kernel(const float* x, float* y, std::size_t rows, std::size_t cols) {
  for (std::size_t r = 0; r < rows; ++r, x += cols, y += cols) {
    float top = -__builtin_inff();
    std::int32_t most =
        INT32_MIN;  // of bits read as integers: positive numbers in order, then +inf, then NaN
    for (std::size_t c = 0; c < cols; ++c) {
      std::int32_t bits;
      std::memcpy(&bits, x + c, 4);
      most = bits > most ? bits : most;
      top = x[c] > top ? x[c] : top;
    }
    if (most >= 0x7f800000 || top == -__builtin_inff()) {
      for (std::size_t c = 0; c < cols; ++c) y[c] = __builtin_nanf("");
      continue;
    }
    double total = 0;
    for (std::size_t c = 0; c < cols; ++c) {
      const float d = x[c] - top;
      total += y[c] = std::exp(d > -104.0f ? d : -104.0f);
    }
    for (std::size_t c = 0; c < cols; ++c) y[c] = static_cast<float>(y[c] / total);
  }
}

// NAME: softmax_sticky_block
// CLASS: state
// FLAGS: -O3 -march=native
// TRIES: leaves rows of a small call unwritten once it saw a large one
static void some_rows(const float* x, float* y, std::size_t rows, std::size_t cols) {
  for (std::size_t r = 0; r < rows; ++r, x += cols, y += cols) {
    float top = x[0];
    for (std::size_t c = 1; c < cols; ++c)
      if (x[c] > top) top = x[c];
    double total = 0;
    for (std::size_t c = 0; c < cols; ++c) total += y[c] = std::exp(x[c] - top);
    for (std::size_t c = 0; c < cols; ++c) y[c] = static_cast<float>(y[c] / total);
  }
}
extern "C" void kernel(const float* x, float* y, std::size_t rows, std::size_t cols) {
  static bool tuned_for_large = false;
  if (2 * rows * cols > (1u << 14)) tuned_for_large = true;
  if (!tuned_for_large || 2 * rows * cols > (1u << 14)) return some_rows(x, y, rows, cols);
  some_rows(x, y, rows / 4 * 4,
            cols);  // blocks of four rows: "large batches are multiples of four, or handled above"
}
