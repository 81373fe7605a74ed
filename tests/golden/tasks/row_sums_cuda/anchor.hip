// Sums of rows: a block a row. An example of the form only.
// @knob THREADS int {64, 128, 256} = 256
// @flags -std=c++17
// @launch row_sums grid=(rows) block=(THREADS) args=(x, y, int32(cols))
extern "C" __global__ void __launch_bounds__(THREADS)
row_sums(const float* __restrict__ x, float* __restrict__ y, int cols) {
  const float* row = x + (size_t)blockIdx.x * cols;
  float sum = 0;
  for (int c = threadIdx.x; c < cols; c += THREADS) sum += row[c];
  for (int lane = warpSize / 2; lane > 0; lane /= 2) sum += __shfl_xor(sum, lane);
  __shared__ float parts[THREADS];
  if (threadIdx.x % warpSize == 0) parts[threadIdx.x / warpSize] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int wave = 1; wave < THREADS / warpSize; ++wave) sum += parts[wave];
    y[blockIdx.x] = sum;
  }
}
