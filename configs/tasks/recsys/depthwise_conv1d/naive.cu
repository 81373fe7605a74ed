// Causal depthwise convolution: a thread for each output element.
// @task depthwise_conv1d
// @flags -std=c++17; --use_fast_math?
// @launch conv grid=(ceil_div(length, 256), min(batch*channels, 65535)) block=(256)
extern "C" __global__ void conv(const float* x, const float* weight, float* y, size_t batch, size_t channels,
                                size_t length) {
  const size_t t = blockIdx.x * size_t(256) + threadIdx.x;
  if (t >= length) return;
  for (size_t row = blockIdx.y; row < batch * channels; row += gridDim.y) {
    const float* w = weight + row % channels * 4;
    float sum = 0;
    for (size_t back = 0; back < 4 && back <= t; ++back) sum += w[3 - back] * x[row * length + t - back];
    y[row * length + t] = sum;
  }
}
