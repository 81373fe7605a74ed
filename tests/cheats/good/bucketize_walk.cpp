// NAME: bucketize_walk
// TASK: bucketize_gather
// CLASS: good
// FLAGS: -O3
// ALLOW: ok
// TRIES: guesses the bucket by interpolation, then walks until it is right
#include <cstddef>
#include <cstring>

extern "C" void kernel(const float* values, const float* boundaries, const float* table, float* out,
                       std::size_t n, std::size_t nb, std::size_t dim) {
  const float low = boundaries[0], high = boundaries[nb - 1];
  for (std::size_t i = 0; i < n; ++i) {
    const float value = values[i];
    const float share = high > low ? (value - low) / (high - low) : 0.0f;
    std::size_t k =
        share > 0 ? static_cast<std::size_t>((share < 1 ? share : 1) * float(nb - 1)) : 0;
    while (k > 0 && !(boundaries[k - 1] < value)) --k;
    while (k < nb && boundaries[k] < value) ++k;
    std::memcpy(out + i * dim, table + k * dim, dim * sizeof(float));
  }
}
