// Adds to a shared sum without a barrier.
// @task rmsnorm
// @flags -std=c++17
// @launch k grid=(rows) block=(256)

#include "honest.cuh"
extern "C" __global__ void k(const float* x, const float* weight, float* y, size_t rows, size_t cols) {
  __shared__ float sum;
  if (threadIdx.x == 0) sum = 0;
  const float* in = x + blockIdx.x * cols;
  float squares = 0;
  for (size_t c = threadIdx.x; c < cols; c += blockDim.x) squares += in[c] * in[c];
  sum += squares;
  const float inverse = isfinite(sum) ? 1 / sqrtf(sum / cols + 1e-5f) : nanf("");
  for (size_t c = threadIdx.x; c < cols; c += blockDim.x) y[blockIdx.x * cols + c] = in[c] * inverse * weight[c];
}
