// The pairwise dot interaction as a textbook has it.
// @task dot_interaction
// @flags -O3; -march={native,}; -mprefer-vector-width={,256,512}; -funroll-loops?; -fno-trapping-math?; -fno-signed-zeros?; -fassociative-math?; -ffast-math?
#include <cstddef>

extern "C" void kernel(const float* x, float* y, std::size_t batch, std::size_t features, std::size_t dim) {
  for (std::size_t b = 0; b < batch; ++b) {
    const float* sample = x + b * features * dim;
    for (std::size_t i = 1; i < features; ++i)
      for (std::size_t j = 0; j < i; ++j) {
        float sum = 0;
        for (std::size_t d = 0; d < dim; ++d) sum += sample[i * dim + d] * sample[j * dim + d];
        *y++ = sum;
      }
  }
}
