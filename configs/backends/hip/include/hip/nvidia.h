#pragma once
// What HIP calls otherwise than CUDA.

#define __HIPCC__ 1
#define __HIP_DEVICE_COMPILE__ 1
#define __HIP_PLATFORM_NVIDIA__ 1

#define warpSize 32

template <typename T> __device__ __forceinline__ T __shfl(T value, int lane, int width = warpSize) {
  return __shfl_sync(~0u, value, lane, width);
}
template <typename T> __device__ __forceinline__ T __shfl_up(T value, unsigned delta, int width = warpSize) {
  return __shfl_up_sync(~0u, value, delta, width);
}
template <typename T> __device__ __forceinline__ T __shfl_down(T value, unsigned delta, int width = warpSize) {
  return __shfl_down_sync(~0u, value, delta, width);
}
template <typename T> __device__ __forceinline__ T __shfl_xor(T value, int mask, int width = warpSize) {
  return __shfl_xor_sync(~0u, value, mask, width);
}

// NVRTC still declares these as they were before sm_70, a ballot of 32 bits among them.
#define __ballot(vote) static_cast<unsigned long long>(__ballot_sync(~0u, vote))
#define __any(vote) __any_sync(~0u, vote)
#define __all(vote) __all_sync(~0u, vote)

__device__ __forceinline__ unsigned __lane_id() {
  unsigned lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}
