// Transpose: a block carries a square tile through shared memory, so that reads and writes are in order.
// @task transpose
// @knob TILE int {16, 32, 64} = 32                   rows and columns of a tile
// @knob THREADS int {64, 128, 256, 512, 1024} = 256
// @knob VEC int {1, 2, 4} = 1                        floats of one access
// @knob LAYOUT enum {padded, swizzled} = padded      how the tile avoids bank conflicts
// @knob ORDER enum {rows, columns} = rows            whether neighbouring blocks share rows or columns of x
// @knob STREAM_IN bool = false                       loads pass the caches by
// @knob STREAM_OUT bool = false
// @require THREADS * VEC <= TILE * TILE
// @flags -std=c++17; -maxrregcount={,32,64}
// @launch transpose grid=(ceil_div(rows, TILE)*ceil_div(cols, TILE)) block=(THREADS)

#include "gpu_access.cuh"

constexpr int pitch = LAYOUT == LAYOUT_padded ? TILE + 1 : TILE;

__device__ int place(int r, int c) { return r * pitch + (LAYOUT == LAYOUT_padded ? c : c ^ (r % TILE)); }

// TILE x TILE elements in accesses of N floats, spread over the threads.
template <int N, typename Visit> __device__ void each(Visit visit) {
#pragma unroll
  for (int i = threadIdx.x; i < TILE * TILE / N; i += THREADS) visit(i / (TILE / N), i % (TILE / N) * N);
}

template <int N> __device__ void load(float* tile, const float* x, size_t r0, size_t c0, size_t rows, size_t cols) {
  each<N>([&](int r, int c) {
    if (r0 + r >= rows || c0 + c >= cols) return;
    const auto one = take<STREAM_IN>(reinterpret_cast<const Vector<N>*>(x + (r0 + r) * cols + c0 + c));
#pragma unroll
    for (int i = 0; i < N; ++i) tile[place(r, c + i)] = one.v[i];
  });
}

template <int N> __device__ void store(const float* tile, float* y, size_t r0, size_t c0, size_t rows, size_t cols) {
  each<N>([&](int c, int r) {
    if (r0 + r >= rows || c0 + c >= cols) return;
    Vector<N> one;
#pragma unroll
    for (int i = 0; i < N; ++i) one.v[i] = tile[place(r + i, c)];
    put<STREAM_OUT>(reinterpret_cast<Vector<N>*>(y + (c0 + c) * rows + r0 + r), one);
  });
}

extern "C" __global__ void __launch_bounds__(THREADS)
transpose(const float* __restrict__ x, float* __restrict__ y, size_t rows, size_t cols) {
  __shared__ float tile[TILE * pitch];
  const size_t down = (rows + TILE - 1) / TILE, across = (cols + TILE - 1) / TILE;
  const size_t r0 = (ORDER == ORDER_rows ? blockIdx.x / across : blockIdx.x % down) * TILE;
  const size_t c0 = (ORDER == ORDER_rows ? blockIdx.x % across : blockIdx.x / down) * TILE;
  if (cols % VEC == 0) load<VEC>(tile, x, r0, c0, rows, cols);
  else load<1>(tile, x, r0, c0, rows, cols);
  __syncthreads();
  if (rows % VEC == 0) store<VEC>(tile, y, r0, c0, rows, cols);
  else store<1>(tile, y, r0, c0, rows, cols);
}
