// A plan that asks for a stream.
// @task rmsnorm
// @flags -std=c++17
// @stream side
// @launch k grid=(rows) block=(256)

#include "honest.cuh"
extern "C" __global__ void k(const float* x, const float* weight, float* y, size_t rows, size_t cols) { honest(x, weight, y, blockIdx.x, cols); }
