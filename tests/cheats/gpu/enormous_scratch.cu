// Asks for more scratch memory than a call may have.
// @task rmsnorm
// @flags -std=c++17
// @scratch huge float32 [8589934592]
// @launch k grid=(rows) block=(256) args=(x, weight, y, huge, rows, cols)

#include "honest.cuh"
extern "C" __global__ void k(const float* x, const float* weight, float* y, float* huge, size_t rows, size_t cols) {
  honest(x, weight, y, blockIdx.x, cols);
  huge[blockIdx.x] = 1;
}
