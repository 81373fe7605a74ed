// Gated linear unit: several accesses of a thread in flight, over a full grid or a resident one.
// @task swiglu
// @knob THREADS int {64, 128, 256, 512, 1024} = 256
// @knob VEC int {1, 2, 4} = 4                        floats of one access
// @knob STEPS int {1, 2, 4, 8} = 2                   accesses of a thread in flight
// @knob GRID enum {full, resident} = full            a block for each part, or blocks that stay and go on
// @knob SIGMOID enum {divide, reciprocal} = divide   how 1 / (1 + exp(-gate)) is made
// @knob STREAM_IN bool = false                       loads pass the caches by
// @knob STREAM_OUT bool = false
// @flags -std=c++17; --use_fast_math?; -maxrregcount={,32,64}
// @launch swiglu grid=(ceil_div(rows*cols, THREADS*VEC*STEPS)) block=(THREADS) when=GRID == 0
// @+             args=(gate, up, y, rows*cols)
// @launch swiglu grid=(sm_count*occupancy(swiglu)) block=(THREADS) when=GRID == 1
// @+             args=(gate, up, y, rows*cols)

#include "gpu_access.cuh"

__device__ float gated(float gate, float up) {
  const float divisor = 1 + expf(-gate);
  return (SIGMOID == SIGMOID_divide ? gate / divisor : gate * __frcp_rn(divisor)) * up;
}

extern "C" __global__ void __launch_bounds__(THREADS)
swiglu(const float* __restrict__ gate, const float* __restrict__ up, float* __restrict__ y, size_t n) {
  using V = Vector<VEC>;
  const V* gates = reinterpret_cast<const V*>(gate);
  const V* ups = reinterpret_cast<const V*>(up);
  const size_t count = n / VEC, stride = size_t(gridDim.x) * THREADS * STEPS;
  for (size_t first = blockIdx.x * size_t(THREADS) * STEPS + threadIdx.x; first < count; first += stride) {
    V g[STEPS], u[STEPS];
#pragma unroll
    for (int s = 0; s < STEPS; ++s) {
      const size_t at = first + s * THREADS;
      if (at < count) g[s] = take<STREAM_IN>(gates + at), u[s] = take<STREAM_IN>(ups + at);
    }
#pragma unroll
    for (int s = 0; s < STEPS; ++s) {
      const size_t at = first + s * THREADS;
      if (at >= count) continue;
#pragma unroll
      for (int i = 0; i < VEC; ++i) g[s].v[i] = gated(g[s].v[i], u[s].v[i]);
      put<STREAM_OUT>(reinterpret_cast<V*>(y) + at, g[s]);
    }
  }
  const size_t rest = count * VEC + threadIdx.x;
  if (blockIdx.x == 0 && rest < n) y[rest] = gated(gate[rest], up[rest]);
}
