#pragma once
// One value of a block from one of each thread. For CUDA kernels.

struct Sum {
  static __device__ float none() { return 0; }
  __device__ float operator()(float a, float b) const { return a + b; }
};

struct Largest {
  static __device__ float none() { return __int_as_float(0xff800000); }
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

template <typename Join> __device__ float joined_in_warp(float value, Join join) {
  for (int lane = 16; lane > 0; lane /= 2) value = join(value, __shfl_xor_sync(~0u, value, lane));
  return value;
}

/// Every thread of the block gets the result. SIZE, its threads, is a multiple of 32, 1024 at most.
template <int SIZE, typename Join> __device__ float joined_in_block(float value, Join join) {
  value = joined_in_warp(value, join);
  if constexpr (SIZE > 32) {
    __shared__ float parts[32];
    __syncthreads();  // an earlier result may still be read
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
    __syncthreads();
    value = joined_in_warp(threadIdx.x % 32 < SIZE / 32 ? parts[threadIdx.x % 32] : Join::none(), join);
  }
  return value;
}
