// Transpose: a thread for each element, reads in order.
// @task transpose
// @flags -std=c++17
// @launch transpose grid=(ceil_div(rows*cols, 256)) block=(256)
extern "C" __global__ void transpose(const float* x, float* y, size_t rows, size_t cols) {
  const size_t i = blockIdx.x * size_t(256) + threadIdx.x;
  if (i < rows * cols) y[i % cols * rows + i / cols] = x[i];
}
