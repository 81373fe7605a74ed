// The causal depthwise convolution as a textbook has it.
// @task depthwise_conv1d
// @flags -O3; -march={native,}; -mprefer-vector-width={,256,512}; -funroll-loops?; -fno-trapping-math?; -fno-signed-zeros?; -fassociative-math?; -ffast-math?
#include <cstddef>

extern "C" void kernel(const float* x, const float* weight, float* y, std::size_t batch, std::size_t channels,
                       std::size_t length) {
  for (std::size_t b = 0; b < batch; ++b)
    for (std::size_t c = 0; c < channels; ++c)
      for (std::size_t t = 0; t < length; ++t) {
        float sum = 0;
        for (std::size_t j = 0; j < 4; ++j)
          if (t + j >= 3) sum += weight[c * 4 + j] * x[(b * channels + c) * length + t + j - 3];
        y[(b * channels + c) * length + t] = sum;
      }
}
