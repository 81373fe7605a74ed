// Matrix product: a thread for each element of c, tiles of a and b in shared memory.
// @task sgemm
// @flags -std=c++17; --use_fast_math?
// @launch sgemm grid=(ceil_div(n, 16), ceil_div(m, 16)) block=(16, 16)
extern "C" __global__ void sgemm(const float* a, const float* b, float* c, size_t m, size_t n, size_t k) {
  __shared__ float left[16][16], right[16][16];
  const size_t i = blockIdx.y * size_t(16) + threadIdx.y, j = blockIdx.x * size_t(16) + threadIdx.x;
  float sum = 0;
  for (size_t p = 0; p < k; p += 16) {
    left[threadIdx.y][threadIdx.x] = i < m && p + threadIdx.x < k ? a[i * k + p + threadIdx.x] : 0;
    right[threadIdx.y][threadIdx.x] = j < n && p + threadIdx.y < k ? b[(p + threadIdx.y) * n + j] : 0;
    __syncthreads();
    for (int q = 0; q < 16; ++q) sum += left[threadIdx.y][q] * right[q][threadIdx.x];
    __syncthreads();
  }
  if (i < m && j < n) c[i * n + j] = sum;
}
