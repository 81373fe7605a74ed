// A plan that gives fewer bytes than the kernel takes.
// @task rmsnorm
// @flags -std=c++17
// @launch k grid=(rows) block=(256) args=(x, weight, y, int32(rows), cols)

#include "honest.cuh"
extern "C" __global__ void k(const float* x, const float* weight, float* y, size_t rows, size_t cols) { honest(x, weight, y, blockIdx.x, cols); }
