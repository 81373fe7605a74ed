#pragma once
// __half, by itself and in pairs.

#ifdef __CUDACC__
#include <cuda_fp16.h>
#else

typedef _Float16 __half;
typedef _Float16 half;
struct alignas(4) __half2 {
  __half x, y;
};
typedef __half2 half2;

__device__ __forceinline__ __half __float2half(float x) { return static_cast<__half>(x); }
__device__ __forceinline__ float __half2float(__half x) { return x; }
__device__ __forceinline__ __half2 __floats2half2_rn(float x, float y) { return {__float2half(x), __float2half(y)}; }
__device__ __forceinline__ float2 __half22float2(__half2 both) { return {__half2float(both.x), __half2float(both.y)}; }

#endif
