// Sums of rows: a thread a row.
// @flags -std=c++17
// @launch sums grid=(ceil_div(rows, 128)) block=(128)
extern "C" __global__ void sums(const float* x, float* y, size_t rows, size_t cols) {
  const size_t row = blockIdx.x * size_t(128) + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (size_t c = 0; c < cols; ++c) sum += x[row * cols + c];
  y[row] = sum;
}
