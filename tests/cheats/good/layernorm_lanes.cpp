// NAME: layernorm_lanes
// TASK: layernorm
// CLASS: good
// FLAGS: -O3 -mavx2 -mfma -ffp-contract=fast
// ALLOW: ok
// TRIES: eight float lanes a sum, fused multiply-adds
#include <cmath>
#include <cstddef>

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
