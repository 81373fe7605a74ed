// Batch event truncate: a thread for each element of y.
// @task truncate_32
// @flags -std=c++17; --use_fast_math?
// @launch truncated grid=(ceil_div(features*batch*kept, 256)) block=(256)
// @+                args=(values, start, length, y, features*batch, kept)
extern "C" __global__ void truncated(const float* values, const int* start, const int* length, float* y,
                                     size_t histories, size_t kept) {
  const size_t at = blockIdx.x * size_t(256) + threadIdx.x, h = at / kept, j = at % kept;
  if (h >= histories) return;
  const size_t has = length[h], n = has < kept ? has : kept;
  y[at] = j < n ? values[start[h] + has - n + j] : 0;
}
