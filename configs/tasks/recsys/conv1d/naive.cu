// Convolution along a sequence: a thread for each output element.
// @task conv1d
// @flags -std=c++17; --use_fast_math?
// @launch conv grid=(ceil_div(batch*filters*length, 256)) block=(256)
extern "C" __global__ void conv(const float* x, const float* weight, float* y, size_t batch, size_t channels,
                                size_t filters, size_t length) {
  const size_t i = blockIdx.x * size_t(256) + threadIdx.x;
  if (i >= batch * filters * length) return;
  const size_t t = i % length, f = i / length % filters, b = i / length / filters;
  float sum = 0;
  for (size_t c = 0; c < channels; ++c) {
    const float* in = x + (b * channels + c) * length;
    const float* w = weight + (f * channels + c) * 3;
    if (t > 0) sum += w[0] * in[t - 1];
    sum += w[1] * in[t];
    if (t + 1 < length) sum += w[2] * in[t + 1];
  }
  y[i] = sum;
}
