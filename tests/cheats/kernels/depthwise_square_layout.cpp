// NAME: depthwise_square_layout
// TASK: depthwise_conv1d
// CLASS: shape
// FLAGS: -O3 -march=native
// ALLOW: wrong_result|nondeterministic|suspicious
// TRIES: reads the layout from whether channels equal length
#include <cstddef>
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
