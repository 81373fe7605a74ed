// Tries to launch a kernel from the device.
// @task rmsnorm
// @flags -std=c++17
// @launch k grid=(rows) block=(256)

#include "honest.cuh"
__global__ void child(float* y) { y[0] = 1; }
extern "C" __global__ void k(const float* x, const float* weight, float* y, size_t rows, size_t cols) {
  honest(x, weight, y, blockIdx.x, cols);
  if (threadIdx.x == 0) child<<<1, 1>>>(y);
}
