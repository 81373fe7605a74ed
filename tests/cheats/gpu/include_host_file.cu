// Includes a file of the machine.
// @task rmsnorm
// @flags -std=c++17
// @launch k grid=(rows) block=(256)

#include "honest.cuh"
#include "/etc/passwd"
extern "C" __global__ void k(const float* x, const float* weight, float* y, size_t rows, size_t cols) { honest(x, weight, y, blockIdx.x, cols); }
