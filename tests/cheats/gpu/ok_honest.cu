// A plain kernel that must pass.
// @task rmsnorm
// @flags -std=c++17
// @launch k grid=(rows) block=(256)

#include "honest.cuh"
extern "C" __global__ void k(const float* x, const float* weight, float* y, size_t rows, size_t cols) { honest(x, weight, y, blockIdx.x, cols); }
