// More threads than the registers of a block allow.
// @task rmsnorm
// @flags -std=c++17
// @launch k grid=(rows) block=(1024)

#include "honest.cuh"
extern "C" __global__ void __launch_bounds__(128) k(const float* x, const float* weight, float* y, size_t rows, size_t cols) {
  honest(x, weight, y, blockIdx.x, cols);
}
