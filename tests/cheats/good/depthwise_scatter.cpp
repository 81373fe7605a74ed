// NAME: depthwise_scatter
// TASK: depthwise_conv1d
// CLASS: good
// FLAGS: -O2
// ALLOW: ok
// TRIES: from the end, each input given to the four outputs that need it, all of them cleared first
#include <cstddef>
#include <cstring>

extern "C" void kernel(const float* x, const float* weight, float* y, std::size_t batch,
                       std::size_t channels, std::size_t length) {
  std::memset(y, 0, batch * channels * length * sizeof(float));
  for (std::size_t row = batch * channels; row-- > 0;) {
    const float *in = x + row * length, *w = weight + row % channels * 4;
    float* out = y + row * length;
    for (std::size_t t = length; t-- > 0;)
      for (std::size_t ahead = 0; ahead < 4 && t + ahead < length; ++ahead)
        out[t + ahead] += w[3 - ahead] * in[t];
  }
}
