// Pairwise dot products in bfloat16: a block a sample, a thread for each pair.
// @task dot_interaction_bf16
// @flags -std=c++17; --use_fast_math?
// @launch dots grid=(batch) block=(128)
#include <cuda_bf16.h>

extern "C" __global__ void dots(const __nv_bfloat16* x, __nv_bfloat16* y, size_t batch, size_t features, size_t dim) {
  const __nv_bfloat16* rows = x + blockIdx.x * features * dim;
  const size_t pairs = features * (features - 1) / 2;
  size_t pair = 0;
  for (size_t i = 1; i < features; ++i)
    for (size_t j = 0; j < i; ++j, ++pair) {
      if (pair % blockDim.x != threadIdx.x) continue;
      float sum = 0;
      for (size_t d = 0; d < dim; ++d) sum += __bfloat162float(rows[i * dim + d]) * __bfloat162float(rows[j * dim + d]);
      y[blockIdx.x * pairs + pair] = __float2bfloat16_rn(sum);
    }
}
