// Cross entropy: a block a row, two passes, trees in shared memory.
// @task cross_entropy
// @flags -std=c++17; --use_fast_math?
// @launch cross_entropy grid=(rows) block=(256)
extern "C" __global__ void cross_entropy(const float* x, const int* target, float* loss, size_t rows, size_t cols) {
  __shared__ float parts[256];
  const float* in = x + blockIdx.x * cols;
  float most = __int_as_float(0xff800000);
  for (size_t c = threadIdx.x; c < cols; c += 256) most = fmaxf(most, in[c]);
  parts[threadIdx.x] = most;
  for (int half = 128; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) parts[threadIdx.x] = fmaxf(parts[threadIdx.x], parts[threadIdx.x + half]);
  }
  __syncthreads();
  most = parts[0];
  __syncthreads();
  float sum = 0;
  for (size_t c = threadIdx.x; c < cols; c += 256) sum += expf(in[c] - most);
  parts[threadIdx.x] = sum;
  for (int half = 128; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) parts[threadIdx.x] += parts[threadIdx.x + half];
  }
  if (threadIdx.x == 0) loss[blockIdx.x] = logf(parts[0]) + (most - in[target[blockIdx.x]]);
}
