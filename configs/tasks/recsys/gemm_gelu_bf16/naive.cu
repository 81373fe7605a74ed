// A linear layer with GELU in bfloat16: a thread for each element of y, tiles of x and weight in shared memory.
// @task gemm_gelu_bf16
// @flags -std=c++17; --use_fast_math?
// @launch linear grid=(ceil_div(n, 16), ceil_div(m, 16)) block=(16, 16)
#include <cuda_bf16.h>

extern "C" __global__ void linear(const __nv_bfloat16* x, const __nv_bfloat16* weight, const __nv_bfloat16* bias,
                                  __nv_bfloat16* y, size_t m, size_t n, size_t k) {
  __shared__ float left[16][17], right[16][17];
  const size_t i = blockIdx.y * size_t(16) + threadIdx.y, j = blockIdx.x * size_t(16) + threadIdx.x;
  const size_t from = blockIdx.x * size_t(16) + threadIdx.y;  // the row of weight that this thread fetches
  float sum = 0;
  for (size_t p = 0; p < k; p += 16) {
    const size_t at = p + threadIdx.x;
    left[threadIdx.y][threadIdx.x] = i < m && at < k ? __bfloat162float(x[i * k + at]) : 0;
    right[threadIdx.y][threadIdx.x] = from < n && at < k ? __bfloat162float(weight[from * k + at]) : 0;
    __syncthreads();
    for (int q = 0; q < 16; ++q) sum += left[threadIdx.y][q] * right[threadIdx.x][q];
    __syncthreads();
  }
  if (i >= m || j >= n) return;
  sum += __bfloat162float(bias[j]);
  y[i * n + j] = __float2bfloat16_rn(0.5f * sum * erfcf(-0.70710678f * sum));
}
