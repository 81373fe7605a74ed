// Running sums: a block a row, a scan of 256 elements in shared memory at a time.
// @task cumsum
// @flags -std=c++17; --use_fast_math?
// @launch cumsum grid=(rows) block=(256)
extern "C" __global__ void cumsum(const float* x, float* y, size_t rows, size_t cols) {
  __shared__ float sums[256];
  float before = 0;
  for (size_t first = 0; first < cols; first += 256) {
    const size_t c = first + threadIdx.x;
    sums[threadIdx.x] = c < cols ? x[blockIdx.x * cols + c] : 0;
    for (int back = 1; back < 256; back *= 2) {
      __syncthreads();
      const float other = threadIdx.x >= back ? sums[threadIdx.x - back] : 0;
      __syncthreads();
      sums[threadIdx.x] += other;
    }
    __syncthreads();
    if (c < cols) y[blockIdx.x * cols + c] = before + sums[threadIdx.x];
    before += sums[255];
    __syncthreads();
  }
}
