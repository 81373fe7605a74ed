#pragma once
// __hip_bfloat16.

#ifdef __CUDACC__
#include <cuda_bf16.h>
typedef __nv_bfloat16 __hip_bfloat16;
#else

typedef __bf16 __hip_bfloat16;

__device__ __forceinline__ __hip_bfloat16 __float2bfloat16(float x) { return static_cast<__hip_bfloat16>(x); }
__device__ __forceinline__ float __bfloat162float(__hip_bfloat16 x) { return x; }

#endif
