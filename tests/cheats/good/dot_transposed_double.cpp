// NAME: dot_transposed_double
// TASK: dot_interaction
// CLASS: good
// FLAGS: -O3 -march=native
// ALLOW: ok
// TRIES: transposes each sample and adds outer products in double
#include <cstddef>
#include <vector>

extern "C" void kernel(const float* x, float* y, std::size_t batch, std::size_t features,
                       std::size_t dim) {
  const std::size_t pairs = features * (features - 1) / 2;
  std::vector<double> sums(pairs), column(features);
  for (std::size_t b = 0; b < batch; ++b) {
    const float* sample = x + b * features * dim;
    sums.assign(pairs, 0.0);
    for (std::size_t d = 0; d < dim; ++d) {
      for (std::size_t i = 0; i < features; ++i) column[i] = sample[i * dim + d];
      double* to = sums.data();
      for (std::size_t i = 1; i < features; ++i) {
        for (std::size_t j = 0; j < i; ++j) to[j] += column[i] * column[j];
        to += i;
      }
    }
    for (std::size_t p = 0; p < pairs; ++p) y[b * pairs + p] = static_cast<float>(sums[p]);
  }
}
