// Sums of rows: a block a row. An example of the form only.
// @knob THREADS int {128, 256, 512} = 256
// @flags -std=c++17; --use_fast_math?
// @launch row_sums grid=(rows) block=(THREADS) args=(x, y, int32(cols))
extern "C" __global__ void __launch_bounds__(THREADS)
row_sums(const float* __restrict__ x, float* __restrict__ y, int cols) {
  const float* row = x + (size_t)blockIdx.x * cols;
  float sum = 0;
  for (int c = threadIdx.x; c < cols; c += THREADS) sum += row[c];
  for (int lane = 16; lane > 0; lane /= 2) sum += __shfl_xor_sync(~0u, sum, lane);
  __shared__ float parts[32];
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = threadIdx.x < THREADS / 32 ? parts[threadIdx.x] : 0;
    for (int lane = 16; lane > 0; lane /= 2) sum += __shfl_xor_sync(~0u, sum, lane);
    if (threadIdx.x == 0) y[blockIdx.x] = sum;
  }
}
