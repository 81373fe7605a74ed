// The oracle of batch event truncate.
#include <algorithm>
#include <cstddef>

extern "C" void reference(const double* values, const int* start, const int* length, double* y, std::size_t features,
                          std::size_t batch, std::size_t, std::size_t, std::size_t kept) {
  for (std::size_t h = 0; h < features * batch; ++h, y += kept) {
    const std::size_t n = std::min<std::size_t>(length[h], kept);
    const double* latest = values + start[h] + (length[h] - n);
    std::copy(latest, latest + n, y);
    std::fill(y + n, y + kept, 0.0);
  }
}
