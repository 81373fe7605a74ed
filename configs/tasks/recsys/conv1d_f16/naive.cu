// Convolution along a sequence in float16: a thread for each output element.
// @task conv1d_f16
// @flags -std=c++17; --use_fast_math?
// @launch conv grid=(ceil_div(batch*filters*length, 256)) block=(256)
#include <cuda_fp16.h>

extern "C" __global__ void conv(const __half* x, const __half* weight, __half* y, size_t batch, size_t channels,
                                size_t filters, size_t length) {
  const size_t i = blockIdx.x * size_t(256) + threadIdx.x;
  if (i >= batch * filters * length) return;
  const size_t t = i % length, f = i / length % filters, b = i / length / filters;
  float sum = 0;
  for (size_t c = 0; c < channels; ++c) {
    const __half* in = x + (b * channels + c) * length;
    const __half* w = weight + (f * channels + c) * 3;
    if (t > 0) sum += __half2float(w[0]) * __half2float(in[t - 1]);
    sum += __half2float(w[1]) * __half2float(in[t]);
    if (t + 1 < length) sum += __half2float(w[2]) * __half2float(in[t + 1]);
  }
  y[i] = __float2half_rn(sum);
}
