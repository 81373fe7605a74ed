// Waits for a flag that no later launch sets.
// @task rmsnorm
// @flags -std=c++17
// @launch k grid=(rows) block=(256)

#include "honest.cuh"
__device__ volatile int flag = 0;
extern "C" __global__ void k(const float* x, const float* weight, float* y, size_t rows, size_t cols) {
  honest(x, weight, y, blockIdx.x, cols);
  if (blockIdx.x == 0 && threadIdx.x == 0) while (flag == 0) __nanosleep(1000);
}
