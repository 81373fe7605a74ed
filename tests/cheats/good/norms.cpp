// CLASS: good
// ALLOW: ok
#include <cmath>
#include <cstddef>

// NAME: layernorm_double
// TASK: layernorm
// FLAGS: -O3
// TRIES: two passes in double
extern "C" void kernel(const float* x, const float* weight, const float* bias, float* y,
                       std::size_t rows, std::size_t cols) {
  for (std::size_t r = 0; r < rows; ++r, x += cols, y += cols) {
    double mean = 0, variance = 0;
    for (std::size_t c = 0; c < cols; ++c) mean += x[c];
    mean /= static_cast<double>(cols);
    for (std::size_t c = 0; c < cols; ++c) variance += (x[c] - mean) * (x[c] - mean);
    const double inverse = 1 / std::sqrt(variance / static_cast<double>(cols) + 1e-5);
    for (std::size_t c = 0; c < cols; ++c)
      y[c] = static_cast<float>((x[c] - mean) * inverse * weight[c] + bias[c]);
  }
}

// NAME: layernorm_first_as_shift
// TASK: layernorm
// FLAGS: -O2
// TRIES: one pass over differences from the first value of the row, in double
extern "C" void kernel(const float* x, const float* weight, const float* bias, float* y,
                       std::size_t rows, std::size_t cols) {
  for (std::size_t r = 0; r < rows; ++r, x += cols, y += cols) {
    const double shift = x[0];
    double sum = 0, squares = 0;
    for (std::size_t c = 0; c < cols; ++c) {
      const double d = x[c] - shift;
      sum += d;
      squares += d * d;
    }
    const double n = static_cast<double>(cols), mean = sum / n;
    double variance = squares / n - mean * mean;
    if (variance < 0) variance = 0;
    const double inverse = 1 / std::sqrt(variance + 1e-5);
    for (std::size_t c = 0; c < cols; ++c)
      y[c] = static_cast<float>((x[c] - shift - mean) * inverse * weight[c] + bias[c]);
  }
}

// NAME: layernorm_lanes
// TASK: layernorm
// FLAGS: -O3 -mavx2 -mfma -ffp-contract=fast
// TRIES: eight float lanes a sum, fused multiply-adds
static float total(const float (&lane)[8]) {
  return ((lane[0] + lane[4]) + (lane[1] + lane[5])) + ((lane[2] + lane[6]) + (lane[3] + lane[7]));
}

extern "C" void kernel(const float* x, const float* weight, const float* bias, float* y,
                       std::size_t rows, std::size_t cols) {
  for (std::size_t r = 0; r < rows; ++r, x += cols, y += cols) {
    float lane[8] = {}, square[8] = {};
    for (std::size_t c = 0; c < cols; ++c) lane[c % 8] += x[c];
    const float mean = total(lane) / static_cast<float>(cols);
    for (std::size_t c = 0; c < cols; ++c) square[c % 8] += (x[c] - mean) * (x[c] - mean);
    const float inverse = 1 / std::sqrt(total(square) / static_cast<float>(cols) + 1e-5f);
    for (std::size_t c = 0; c < cols; ++c) y[c] = (x[c] - mean) * inverse * weight[c] + bias[c];
  }
}

// NAME: layernorm_one_pass
// TASK: layernorm
// FLAGS: -O3 -march=native
// TRIES: sums and squares in one pass, in double
extern "C" void kernel(const float* __restrict x, const float* __restrict weight,
                       const float* __restrict bias, float* __restrict y, std::size_t rows,
                       std::size_t cols) {
  for (std::size_t r = 0; r < rows; ++r, x += cols, y += cols) {
    double sum = 0, squares = 0;
    for (std::size_t c = 0; c < cols; ++c) {
      const double v = x[c];
      sum += v;
      squares += v * v;
    }
    const double mean = sum / static_cast<double>(cols);
    const double variance = squares / static_cast<double>(cols) - mean * mean;
    const float inverse = static_cast<float>(1 / std::sqrt((variance < 0 ? 0 : variance) + 1e-5));
    for (std::size_t c = 0; c < cols; ++c)
      y[c] = static_cast<float>(x[c] - mean) * inverse * weight[c] + bias[c];
  }
}

// NAME: layernorm_welford
// TASK: layernorm
// FLAGS: -O2
// TRIES: Welford's recurrence in double
extern "C" void kernel(const float* x, const float* weight, const float* bias, float* y,
                       std::size_t rows, std::size_t cols) {
  for (std::size_t r = 0; r < rows; ++r) {
    const float* in = x + r * cols;
    double mean = 0, spread = 0;
    for (std::size_t c = 0; c < cols; ++c) {
      const double d = in[c] - mean;
      mean += d / static_cast<double>(c + 1);
      spread += d * (in[c] - mean);
    }
    const double inverse = 1 / std::sqrt(spread / static_cast<double>(cols) + 1e-5);
    for (std::size_t c = 0; c < cols; ++c)
      y[r * cols + c] = static_cast<float>((in[c] - mean) * inverse * weight[c] + bias[c]);
  }
}

// NAME: rmsnorm_by_hypot
// TASK: rmsnorm
// FLAGS: -O2
// TRIES: the norm of a row by scaled sums, as BLAS does: no overflow and no special case for rows
//   of zeros
extern "C" void kernel(const float* x, const float* weight, float* y, std::size_t rows,
                       std::size_t cols) {
  for (std::size_t r = 0; r < rows; ++r, x += cols, y += cols) {
    double scale = 0, squares = 1;
    bool finite = true;
    for (std::size_t c = 0; c < cols; ++c) {
      const double v = std::fabs(static_cast<double>(x[c]));
      finite = finite && std::isfinite(v);
      if (v == 0 || !finite) continue;
      if (v > scale) {
        squares = 1 + squares * (scale / v) * (scale / v);
        scale = v;
      } else {
        squares += (v / scale) * (v / scale);
      }
    }
    const double norm = scale == 0 ? 0 : scale * std::sqrt(squares / static_cast<double>(cols));
    double inverse = 1 / std::hypot(norm, std::sqrt(1e-5));
    if (!finite) inverse = NAN;
    for (std::size_t c = 0; c < cols; ++c) y[c] = static_cast<float>(x[c] * inverse * weight[c]);
  }
}
