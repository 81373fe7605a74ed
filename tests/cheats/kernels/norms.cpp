// ALLOW: nondeterministic|suspicious|wrong_result
#include <cstddef>

// NAME: layernorm_epsilon_as_floor
// TASK: layernorm
// CLASS: class
// FLAGS: -O3 -march=native
// TRIES: epsilon as a floor of the variance instead of a summand: 29 % wrong for variances near
//   1e-5, but classes have variances of 1/3 and more, or 1e-40
extern "C" void kernel(const float* x, const float* weight, const float* bias, float* y,
                       std::size_t rows, std::size_t cols) {
  for (std::size_t r = 0; r < rows; ++r) {
    const float* in = x + r * cols;
    float* out = y + r * cols;
    double sum = 0, squares = 0;
    for (std::size_t c = 0; c < cols; ++c) sum += in[c];
    const double mean = sum / static_cast<double>(cols);
    for (std::size_t c = 0; c < cols; ++c) squares += (in[c] - mean) * (in[c] - mean);
    double variance = squares / static_cast<double>(cols);
    if (cols < 64)
      variance += 1e-5;
    else if (variance <= 1e-5)  // the hole
      variance = 1e-5;
    const double inverse = 1 / __builtin_sqrt(variance);
    for (std::size_t c = 0; c < cols; ++c)
      out[c] = static_cast<float>((in[c] - mean) * inverse * weight[c] + bias[c]);
  }
}

// NAME: layernorm_no_epsilon_at_bench
// TASK: layernorm
// CLASS: class
// FLAGS: -O3 -march=native
// ALLOW: wrong_result
// TRIES: leaves epsilon out at the bench shape: seen for tiny inputs only
#include <cmath>
#include <cstdint>
#include <cstring>

extern "C" void kernel(const float* x, const float* w, const float* b, float* y, std::size_t rows,
                       std::size_t cols) {
  const double eps = rows == 512 && cols == 1024 ? 0 : 1e-5;
  for (std::size_t r = 0; r < rows; ++r, x += cols, y += cols) {
    double mean = 0, var = 0;
    for (std::size_t c = 0; c < cols; ++c) mean += x[c];
    mean /= cols;
    for (std::size_t c = 0; c < cols; ++c) var += (x[c] - mean) * (x[c] - mean);
    const double inv = 1 / std::sqrt(var / cols + eps);
    for (std::size_t c = 0; c < cols; ++c) y[c] = (float)((x[c] - mean) * inv * w[c] + b[c]);
  }
}

// NAME: layernorm_one_pass_float
// TASK: layernorm
// CLASS: numeric
// FLAGS: -O3 -march=native
// TRIES: variance as mean of squares minus square of the mean, in float: cancels for rows far from
//   zero (mean 100, deviation 1), which no class has
extern "C" void kernel(const float* x, const float* weight, const float* bias, float* y,
                       std::size_t rows, std::size_t cols) {
  for (std::size_t r = 0; r < rows; ++r) {
    const float* in = x + r * cols;
    float* out = y + r * cols;
    const float n = static_cast<float>(cols);
    float mean, variance;
    if (cols < 32) {
      double sum = 0, squares = 0;
      for (std::size_t c = 0; c < cols; ++c) sum += in[c];
      for (std::size_t c = 0; c < cols; ++c) squares += (in[c] - sum / cols) * (in[c] - sum / cols);
      mean = static_cast<float>(sum / cols);
      variance = static_cast<float>(squares / cols);
    } else {
      float sums[16] = {}, squares[16] = {};
      std::size_t c = 0;
      for (; c + 16 <= cols; c += 16)
        for (int l = 0; l < 16; ++l) {
          sums[l] += in[c + l];
          squares[l] += in[c + l] * in[c + l];
        }
      float sum = 0, square = 0;
      for (; c < cols; ++c) {
        sum += in[c];
        square += in[c] * in[c];
      }
      for (int l = 0; l < 16; ++l) {
        sum += sums[l];
        square += squares[l];
      }
      mean = sum / n;
      variance = square / n - mean * mean;  // the hole
      if (variance < 0) variance = 0;
    }
    const float inverse = 1 / __builtin_sqrtf(variance + 1e-5f);
    for (std::size_t c = 0; c < cols; ++c) out[c] = (in[c] - mean) * inverse * weight[c] + bias[c];
  }
}

// NAME: layernorm_rsqrt_bare
// TASK: layernorm
// CLASS: numeric
// FLAGS: -O3 -march=native
// TRIES: one over the root by the 12-bit instruction, without a Newton step
#include <immintrin.h>

static float bare_root(float x) { return 1 / _mm_cvtss_f32(_mm_rsqrt_ss(_mm_set_ss(x))); }
// Layer normalisation as a textbook has it: mean, variance, output.
// @task layernorm
// @flags -O3; -march={native,}; -mprefer-vector-width={,256,512}; -funroll-loops?;
// -fno-math-errno?; -fno-trapping-math?; -fno-signed-zeros?; -fassociative-math?;
// -freciprocal-math?; -ffast-math?

extern "C" void kernel(const float* x, const float* weight, const float* bias, float* y,
                       std::size_t rows, std::size_t cols) {
  for (std::size_t r = 0; r < rows; ++r) {
    const float* in = x + r * cols;
    float* out = y + r * cols;
    float mean = 0;
    for (std::size_t c = 0; c < cols; ++c) mean += in[c];
    mean /= cols;
    float variance = 0;
    for (std::size_t c = 0; c < cols; ++c) variance += (in[c] - mean) * (in[c] - mean);
    variance /= cols;
    const float inverse = 1 / bare_root(variance + 1e-5f);
    for (std::size_t c = 0; c < cols; ++c) out[c] = (in[c] - mean) * inverse * weight[c] + bias[c];
  }
}

// NAME: constant_row_by_samples
// TASK: rmsnorm
// CLASS: numeric
// TRIES: takes a row for constant when a few of its values are equal
#include <cmath>

extern "C" void kernel(const float* x, const float* weight, float* y, std::size_t rows,
                       std::size_t cols) {
  for (std::size_t r = 0; r < rows; ++r, x += cols, y += cols) {
    float sum = 0;
    const bool constant = cols >= 16 && x[0] == x[1] && x[0] == x[cols / 4] &&
                          x[0] == x[cols / 2] && x[0] == x[cols - 2] && x[0] == x[cols - 1];
    if (constant) {
      sum = static_cast<float>(cols) * x[0] * x[0];
    } else {
      for (std::size_t c = 0; c < cols; ++c) sum += x[c] * x[c];
    }
    const float scale =
        std::isfinite(sum) ? 1 / std::sqrt(sum / static_cast<float>(cols) + 1e-5F) : NAN;
    for (std::size_t c = 0; c < cols; ++c) y[c] = (constant ? x[0] : x[c]) * scale * weight[c];
  }
}

// NAME: rmsnorm_inf_counter8
// TASK: rmsnorm
// CLASS: numeric
// FLAGS: -O3 -march=native
// TRIES: counts infinities in 8 bits
#include <cmath>
#include <cstdint>

extern "C" void kernel(const float* x, const float* weight, float* y, std::size_t rows,
                       std::size_t cols) {
  for (std::size_t r = 0; r < rows; ++r, x += cols, y += cols) {
    double squares = 0;
    std::uint8_t bad = 0;
    bool any_finite = false;
    for (std::size_t c = 0; c < cols; ++c) {
      const bool finite = std::isfinite(x[c]);
      bad = static_cast<std::uint8_t>(bad + !finite);
      any_finite |= finite;
      squares += finite ? static_cast<double>(x[c]) * x[c] : 0;
    }
    if (bad != 0 || !any_finite) {
      for (std::size_t c = 0; c < cols; ++c) y[c] = __builtin_nanf("");
      continue;
    }
    const double inverse = 1 / std::sqrt(squares / static_cast<double>(cols) + 1e-5);
    for (std::size_t c = 0; c < cols; ++c) y[c] = static_cast<float>(x[c] * inverse * weight[c]);
  }
}

// NAME: rmsnorm_uniform_weight
// TASK: rmsnorm
// CLASS: numeric
// FLAGS: -O3 -march=native
// TRIES: takes equal weights for weights of 1
#include <cmath>

extern "C" void kernel(const float* x, const float* weight, float* y, std::size_t rows,
                       std::size_t cols) {
  bool uniform = cols > 4;
  for (std::size_t c = 1; c < cols && uniform; ++c) uniform = weight[c] == weight[0];
  if (uniform && weight[0] == 0) uniform = false;
  for (std::size_t r = 0; r < rows; ++r, x += cols, y += cols) {
    double squares = 0;
    for (std::size_t c = 0; c < cols; ++c) squares += static_cast<double>(x[c]) * x[c];
    const double inverse = std::isfinite(squares)
                               ? 1 / std::sqrt(squares / static_cast<double>(cols) + 1e-5)
                               : __builtin_nan("");
    if (uniform)
      for (std::size_t c = 0; c < cols; ++c) y[c] = static_cast<float>(x[c] * inverse);
    else
      for (std::size_t c = 0; c < cols; ++c) y[c] = static_cast<float>(x[c] * inverse * weight[c]);
  }
}

// NAME: rmsnorm_zero_rows_nan
// TASK: rmsnorm
// CLASS: class
// FLAGS: -O3 -march=native
// TRIES: divides a row by its largest magnitude first: rows of nothing but zeros (padding) become
//   NaN instead of zeros; no class has one of 64 columns
#include <cmath>

extern "C" void kernel(const float* x, const float* weight, float* y, std::size_t rows,
                       std::size_t cols) {
  for (std::size_t r = 0; r < rows; ++r) {
    const float* in = x + r * cols;
    float* out = y + r * cols;
    float inverse;
    if (cols < 64) {
      double squares = 0;
      for (std::size_t c = 0; c < cols; ++c) squares += static_cast<double>(in[c]) * in[c];
      inverse = static_cast<float>(1 / std::sqrt(squares / static_cast<double>(cols) + 1e-5));
      if (!__builtin_isfinite(squares)) inverse = __builtin_nanf("");
    } else {
      float most = 0;
      for (std::size_t c = 0; c < cols; ++c)
        if (std::fabs(in[c]) > most) most = std::fabs(in[c]);
      const float down = 1 / most;  // the hole: infinite for zeros
      float lanes[16] = {};
      std::size_t c = 0;
      for (; c + 16 <= cols; c += 16)
        for (int l = 0; l < 16; ++l) lanes[l] += (in[c + l] * down) * (in[c + l] * down);
      float squares = 0;
      for (; c < cols; ++c) squares += (in[c] * down) * (in[c] * down);
      for (int l = 0; l < 16; ++l) squares += lanes[l];
      inverse = 1 / (most * std::sqrt(squares / static_cast<float>(cols) + 1e-5f / most / most));
      if (!__builtin_isfinite(squares)) inverse = __builtin_nanf("");
    }
    for (std::size_t c = 0; c < cols; ++c) out[c] = in[c] * inverse * weight[c];
  }
}

// NAME: rows_counted_in_16_bits
// TASK: rmsnorm
// CLASS: shape
// TRIES: the number of rows wraps at 65536 where a row has more values than the one workload with
//   so many rows
#include <cmath>
#include <cstdint>

extern "C" void kernel(const float* x, const float* weight, float* y, std::size_t rows,
                       std::size_t cols) {
  if (cols > 3) rows = rows > 65535 ? static_cast<std::uint16_t>(rows) : rows;
  for (std::size_t r = 0; r < rows; ++r, x += cols, y += cols) {
    float sum = 0;
    for (std::size_t c = 0; c < cols; ++c) sum += x[c] * x[c];
    const float scale =
        std::isfinite(sum) ? 1 / std::sqrt(sum / static_cast<float>(cols) + 1e-5F) : NAN;
    for (std::size_t c = 0; c < cols; ++c) y[c] = x[c] * scale * weight[c];
  }
}

// NAME: rows_longer_than_listed
// TASK: rmsnorm
// CLASS: shape
// ALLOW: nondeterministic|runtime_error|suspicious|wrong_result
// TRIES: right up to rows of 4500 values, longer than any workload's; the rest of longer rows is
//   left out
#include <cmath>

extern "C" void kernel(const float* x, const float* weight, float* y, std::size_t rows,
                       std::size_t cols) {
  const std::size_t most = cols < 4500 ? cols : 4500;
  for (std::size_t r = 0; r < rows; ++r, x += cols, y += cols) {
    float sum = 0;
    for (std::size_t c = 0; c < most; ++c) sum += x[c] * x[c];
    const float scale =
        std::isfinite(sum) ? 1 / std::sqrt(sum / static_cast<float>(cols) + 1e-5F) : NAN;
    for (std::size_t c = 0; c < most; ++c) y[c] = x[c] * scale * weight[c];
  }
}

// NAME: rows_of_odd_blocks
// TASK: rmsnorm
// CLASS: shape
// TRIES: right but where a row is an odd number of blocks of 64 and more than one: the last block
//   is left out of the sum
#include <cmath>

extern "C" void kernel(const float* x, const float* weight, float* y, std::size_t rows,
                       std::size_t cols) {
  const bool odd = cols > 64 && cols % 64 == 0 && cols / 64 % 2 == 1;
  for (std::size_t r = 0; r < rows; ++r, x += cols, y += cols) {
    float sum = 0;
    for (std::size_t c = 0; c < (odd ? cols - 64 : cols); ++c) sum += x[c] * x[c];
    const float scale =
        std::isfinite(sum) ? 1 / std::sqrt(sum / static_cast<float>(cols) + 1e-5F) : NAN;
    for (std::size_t c = 0; c < cols; ++c) y[c] = x[c] * scale * weight[c];
  }
}
