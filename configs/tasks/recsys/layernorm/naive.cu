// Layer normalisation: a block a row, trees of sums in shared memory.
// @task layernorm
// @flags -std=c++17; --use_fast_math?
// @launch layernorm grid=(rows) block=(256)
__device__ float summed(float value) {
  __shared__ float sums[256];
  __syncthreads();
  sums[threadIdx.x] = value;
  for (int half = 128; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  __syncthreads();
  return sums[0];
}

extern "C" __global__ void layernorm(const float* x, const float* weight, const float* bias, float* y,
                                     size_t rows, size_t cols) {
  const float* in = x + blockIdx.x * cols;
  float* out = y + blockIdx.x * cols;
  float sum = 0, squares = 0;
  for (size_t c = threadIdx.x; c < cols; c += 256) sum += in[c];
  const float mean = summed(sum) / cols;
  for (size_t c = threadIdx.x; c < cols; c += 256) squares += (in[c] - mean) * (in[c] - mean);
  const float inverse = 1 / sqrtf(summed(squares) / cols + 1e-5f);
  for (size_t c = threadIdx.x; c < cols; c += 256) out[c] = (in[c] - mean) * inverse * weight[c] + bias[c];
}
