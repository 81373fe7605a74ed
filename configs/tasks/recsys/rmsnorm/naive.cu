// RMS normalisation: a block a row, a tree of sums in shared memory.
// @task rmsnorm
// @flags -std=c++17; --use_fast_math?
// @launch rmsnorm grid=(rows) block=(256)
extern "C" __global__ void rmsnorm(const float* x, const float* weight, float* y, size_t rows, size_t cols) {
  __shared__ float sums[256];
  const float* in = x + blockIdx.x * cols;
  float* out = y + blockIdx.x * cols;
  float squares = 0;
  for (size_t c = threadIdx.x; c < cols; c += 256) squares += in[c] * in[c];
  sums[threadIdx.x] = squares;
  for (int half = 128; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  __syncthreads();
  // An infinity would leave zeros beside it: the row is NaN by the task.
  const float inverse = isfinite(sums[0]) ? 1 / sqrtf(sums[0] / cols + 1e-5f) : nanf("");
  for (size_t c = threadIdx.x; c < cols; c += 256) out[c] = in[c] * inverse * weight[c];
}
