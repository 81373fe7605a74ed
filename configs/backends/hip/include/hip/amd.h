#pragma once
// HIP's names for AMD GPUs, from clang's builtins: no ROCm is needed. Of mathematics what the compiler itself expands.

#ifndef __HIPCC__
#define __HIPCC__ 1
#endif
#define __HIP_PLATFORM_AMD__ 1

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))

// Of one argument or two: threads of a block, waves of a SIMD.
#define __hip_bounds_1(threads) __attribute__((amdgpu_flat_work_group_size(1, threads)))
#define __hip_bounds_2(threads, waves) __hip_bounds_1(threads) __attribute__((amdgpu_waves_per_eu(waves)))
#define __hip_third(first, second, third, ...) third
#define __launch_bounds__(...) __hip_third(__VA_ARGS__, __hip_bounds_2, __hip_bounds_1, )(__VA_ARGS__)

#define HIP_INLINE __device__ __forceinline__

typedef __SIZE_TYPE__ size_t;

#include <hip/amd_index.h>
#include <hip/amd_math.h>
#include <hip/amd_vectors.h>
#include <hip/amd_wave.h>
#include <hip/amd_atomics.h>

#undef HIP_INLINE
