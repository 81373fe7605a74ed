// TASK: depthwise_conv1d
// FLAGS: -O3 -march=native
// ALLOW: nondeterministic|suspicious|wrong_result
#include <cstddef>

// NAME: depthwise_equal_weights
// CLASS: class
// TRIES: a running sum where the four weights of a channel are equal, as in every moving average:
//   drifts, and keeps the rounding of a large value for ever; weights are never drawn equal
extern "C" void kernel(const float* x, const float* weight, float* y, std::size_t batch,
                       std::size_t channels, std::size_t length) {
  for (std::size_t row = 0; row < batch * channels; ++row) {
    const float* in = x + row * length;
    float* out = y + row * length;
    const float* w = weight + row % channels * 4;
    if (w[0] == w[1] && w[1] == w[2] && w[2] == w[3]) {  // the hole
      float sum = 0;
      for (std::size_t t = 0; t < length; ++t) {
        sum += in[t];
        if (t >= 4) sum -= in[t - 4];
        out[t] = sum * w[0];
      }
      continue;
    }
    for (std::size_t t = 0; t < length && t < 3; ++t) {
      out[t] = 0;
      for (std::size_t back = 0; back <= t; ++back) out[t] += w[3 - back] * in[t - back];
    }
    for (std::size_t t = 3; t < length; ++t)
      out[t] = w[0] * in[t - 3] + w[1] * in[t - 2] + w[2] * in[t - 1] + w[3] * in[t];
  }
}

// NAME: depthwise_square_layout
// CLASS: shape
// TRIES: reads the layout from whether channels equal length
extern "C" void kernel(const float* x, const float* weight, float* y, std::size_t batch,
                       std::size_t channels, std::size_t length) {
  const bool last = channels == length && length >= 8;
  const std::size_t sc = last ? 1 : length, st = last ? channels : 1;
  for (std::size_t b = 0; b < batch; ++b)
    for (std::size_t c = 0; c < channels; ++c)
      for (std::size_t t = 0; t < length; ++t) {
        float sum = 0;
        for (std::size_t j = 0; j < 4; ++j)
          if (t + j >= 3)
            sum += weight[c * 4 + j] * x[b * channels * length + c * sc + (t + j - 3) * st];
        y[b * channels * length + c * sc + t * st] = sum;
      }
}
