// Gated linear unit: a thread for each element.
// @task swiglu
// @flags -std=c++17; --use_fast_math?
// @launch swiglu grid=(ceil_div(rows*cols, 256)) block=(256)
extern "C" __global__ void swiglu(const float* gate, const float* up, float* y, size_t rows, size_t cols) {
  const size_t i = blockIdx.x * size_t(256) + threadIdx.x;
  if (i < rows * cols) y[i] = gate[i] / (1 + expf(-gate[i])) * up[i];
}
