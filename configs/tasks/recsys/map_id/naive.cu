// Bucketize and map: a thread for each value, a binary search in global memory.
// @task map_id
// @flags -std=c++17
// @launch map_id grid=(ceil_div(rows*cols, 256)) block=(256)
extern "C" __global__ void map_id(const float* x, const float* boundaries, const float* table, float* out,
                                  size_t rows, size_t cols, size_t nb) {
  const size_t i = blockIdx.x * size_t(256) + threadIdx.x;
  if (i >= rows * cols) return;
  size_t low = 0, high = nb;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (boundaries[middle] < x[i]) low = middle + 1;
    else high = middle;
  }
  out[i] = table[low];
}
