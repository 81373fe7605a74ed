// The 3 x 3 convolution as a textbook has it.
// @task conv2d
// @flags -O3; -march={native,}; -mprefer-vector-width={,256,512}; -funroll-loops?; -fno-trapping-math?; -fno-signed-zeros?; -fassociative-math?; -ffast-math?
#include <cstddef>

extern "C" void kernel(const float* x, const float* weight, float* y, std::size_t images, std::size_t channels,
                       std::size_t filters, std::size_t height, std::size_t width) {
  for (std::size_t i = 0; i < images; ++i)
    for (std::size_t f = 0; f < filters; ++f)
      for (std::size_t h = 0; h < height; ++h)
        for (std::size_t w = 0; w < width; ++w) {
          float sum = 0;
          for (std::size_t c = 0; c < channels; ++c)
            for (int p = 0; p < 3; ++p)
              for (int q = 0; q < 3; ++q) {
                const long row = static_cast<long>(h) + p - 1, column = static_cast<long>(w) + q - 1;
                if (row >= 0 && row < static_cast<long>(height) && column >= 0 && column < static_cast<long>(width))
                  sum += x[((i * channels + c) * height + row) * width + column] *
                         weight[((f * channels + c) * 3 + p) * 3 + q];
              }
          y[((i * filters + f) * height + h) * width + w] = sum;
        }
}
