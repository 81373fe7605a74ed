#pragma once
// HIP for device code, as NVRTC compiles it for NVIDIA GPUs and clang for AMD GPUs. In front of every kernel by itself,
// as with hiprtc. Small on purpose: a name that is missing here does not compile.
//
// On both: __HIP_PLATFORM_NVIDIA__ or __HIP_PLATFORM_AMD__ is defined. warpSize is a constant, 32 or 64. All lanes of a
// wave take part in shuffles and votes. The second argument of __launch_bounds__ differs: blocks of a multiprocessor on
// NVIDIA, waves of a SIMD on AMD.

#ifdef __CUDACC__
#include <hip/nvidia.h>
#else
#include <hip/amd.h>
#endif

#define HIP_DYNAMIC_SHARED(type, name) extern __shared__ type name[];

#define hipThreadIdx_x threadIdx.x
#define hipThreadIdx_y threadIdx.y
#define hipThreadIdx_z threadIdx.z
#define hipBlockIdx_x blockIdx.x
#define hipBlockIdx_y blockIdx.y
#define hipBlockIdx_z blockIdx.z
#define hipBlockDim_x blockDim.x
#define hipBlockDim_y blockDim.y
#define hipBlockDim_z blockDim.z
#define hipGridDim_x gridDim.x
#define hipGridDim_y gridDim.y
#define hipGridDim_z gridDim.z
