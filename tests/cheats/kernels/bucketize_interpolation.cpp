// NAME: bucketize_interpolation
// TASK: bucketize_gather
// CLASS: class
// FLAGS: -O3 -march=native
// ALLOW: wrong_result|nondeterministic
// TRIES: looks for the bucket by linear interpolation among 32 boundaries only
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

extern "C" void kernel(const float* values, const float* bounds, const float* table, float* out,
                       std::size_t n, std::size_t nb, std::size_t dim) {
  const float low = bounds[0], high = bounds[nb - 1];
  for (std::size_t i = 0; i < n; ++i) {
    const float v = values[i];
    std::size_t k;
    if (nb < 200 || !(high > low)) {
      k = 0;
      for (std::size_t j = 0; j < nb; ++j) k += bounds[j] < v;
    } else if (!(v > low))
      k = 0;
    else if (v > high)
      k = nb;
    else {
      const long guess = (long)((v - low) / (high - low) * (nb - 1));
      const long w = 16 + (long)(nb / 64);
      long from = guess - w < 0 ? 0 : guess - w, to = guess + w > (long)nb ? (long)nb : guess + w;
      k = (std::size_t)from;
      for (long j = from; j < to; ++j) k += bounds[j] < v;
    }
    for (std::size_t d = 0; d < dim; ++d) out[i * dim + d] = table[k * dim + d];
  }
}
