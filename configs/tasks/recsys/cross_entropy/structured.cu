// Cross entropy: a row is read once with a running maximum, or twice; several accesses in flight.
// @task cross_entropy
// @knob THREADS int {32, 64, 128, 256, 512, 1024} = 256
// @knob VEC int {1, 2, 4} = 4                     floats of one access
// @knob AHEAD int {1, 2, 4, 8} = 2                accesses in flight
// @knob PASSES enum {running, two} = running      sums rescaled when the maximum grows, or two passes
// @knob ROWS int {1, 2, 4, 8} = 1                 rows of a block, one after another
// @knob STREAM bool = false                       rows pass the caches by
// @flags -std=c++17; --use_fast_math?; -maxrregcount={,32,64,128}
// @launch cross_entropy grid=(ceil_div(rows, ROWS)) block=(THREADS) args=(x, target, loss, rows, cols)

#include "gpu_access.cuh"
#include "gpu_reduce.cuh"

constexpr float log2_e = 1.44269504f;

// Gives `visit` up to AHEAD accesses at a time; what lies behind the row is the neutral element.
template <int N, typename Visit> __device__ void each(const float* x, size_t cols, Visit visit) {
  using V = Vector<N>;
  const V* in = reinterpret_cast<const V*>(x);
  const size_t count = cols / N;
  for (size_t first = threadIdx.x; first < count; first += size_t(THREADS) * AHEAD) {
    float values[AHEAD * N];
#pragma unroll
    for (int a = 0; a < AHEAD; ++a) {
      const size_t at = first + size_t(a) * THREADS;
      V one;
#pragma unroll
      for (int i = 0; i < N; ++i) one.v[i] = Largest::none();
      if (at < count) one = take<STREAM>(in + at);
#pragma unroll
      for (int i = 0; i < N; ++i) values[a * N + i] = one.v[i];
    }
    visit(values);
  }
}

template <int N> __device__ float largest(const float (&values)[N]) {
  float most = values[0];
#pragma unroll
  for (int i = 1; i < N; ++i) most = fmaxf(most, values[i]);
  return most;
}

template <int N> __device__ float exponentials(const float (&values)[N], float most) {
  float sum = 0;
#pragma unroll
  for (int i = 0; i < N; ++i) sum += exp2f((values[i] - most) * log2_e);
  return sum;
}

template <int N> __device__ float row(const float* x, int target, size_t cols) {
  using Values = float[AHEAD * N];
  float most = Largest::none(), sum = 0, own = Largest::none();
  if constexpr (PASSES == PASSES_two) {
    each<N>(x, cols, [&](const Values& values) { most = fmaxf(most, largest(values)); });
    most = joined_in_block<THREADS>(most, Largest());
    each<N>(x, cols, [&](const Values& values) { sum += exponentials(values, most); });
  } else {
    each<N>(x, cols, [&](const Values& values) {
      const float grown = fmaxf(own, largest(values));
      sum = sum * exp2f((own - grown) * log2_e) + exponentials(values, grown);
      own = grown;
    });
    most = joined_in_block<THREADS>(own, Largest());
    sum *= exp2f((own - most) * log2_e);
  }
  sum = joined_in_block<THREADS>(sum, Sum());
  return logf(sum) + (most - x[target]);
}

extern "C" __global__ void __launch_bounds__(THREADS)
cross_entropy(const float* __restrict__ x, const int* __restrict__ target, float* __restrict__ loss, size_t rows,
              size_t cols) {
  const size_t end = min(rows, (blockIdx.x + size_t(1)) * ROWS);
  for (size_t r = blockIdx.x * size_t(ROWS); r < end; ++r) {
    const float* in = x + r * cols;
    const float made = cols % VEC == 0 ? row<VEC>(in, target[r], cols) : row<1>(in, target[r], cols);
    if (threadIdx.x == 0) loss[r] = made;
  }
}
