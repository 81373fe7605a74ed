// Its plan launches a kernel that is not there.
// @task rmsnorm
// @flags -std=c++17
// @launch other grid=(rows) block=(256)

#include "honest.cuh"
extern "C" __global__ void k(const float* x, const float* weight, float* y, size_t rows, size_t cols) { honest(x, weight, y, blockIdx.x, cols); }
