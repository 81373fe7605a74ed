// Asks for a flag that could read files.
// @task rmsnorm
// @flags -std=c++17 -include=/etc/passwd
// @launch k grid=(rows) block=(256)

#include "honest.cuh"
extern "C" __global__ void k(const float* x, const float* weight, float* y, size_t rows, size_t cols) { honest(x, weight, y, blockIdx.x, cols); }
