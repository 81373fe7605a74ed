// Keeps so much in each thread's own memory that the device has not enough for all of them.
// @task rmsnorm
// @flags -std=c++17
// @launch k grid=(rows) block=(256)

#include "honest.cuh"
extern "C" __global__ void k(const float* x, const float* weight, float* y, size_t rows, size_t cols) {
  float kept[130000];
  for (size_t i = 0; i < 130000; ++i) kept[i * 7919 % 130000] = x[blockIdx.x * cols] + i;
  honest(x, weight, y, blockIdx.x, cols);
  if (kept[threadIdx.x * 443 + rows % 7] == 12345) y[0] = 1;
}
