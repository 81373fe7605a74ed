// Leaves out what is behind the last multiple of four.
// @task rmsnorm
// @flags -std=c++17
// @launch k grid=(rows) block=(256)

#include "honest.cuh"
extern "C" __global__ void k(const float* x, const float* weight, float* y, size_t rows, size_t cols) {
  const float* in = x + blockIdx.x * cols;
  float squares = 0;
  for (size_t c = threadIdx.x; c < cols; c += blockDim.x) squares += in[c] * in[c];
  squares = sum_of_block(squares);
  const float inverse = isfinite(squares) ? 1 / sqrtf(squares / cols + 1e-5f) : nanf("");
  for (size_t c = threadIdx.x; c < cols / 4 * 4; c += blockDim.x) y[blockIdx.x * cols + c] = in[c] * inverse * weight[c];
}
