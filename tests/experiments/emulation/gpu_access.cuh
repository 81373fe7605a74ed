#pragma once
// CUDA features that configs/tasks/recsys/include/gpu_access.cuh uses, and that file itself.

#include "cuda_block.cuh"

struct float4 { float x, y, z, w; };
inline float4 __ldcs(const float4* from) { return *from; }
inline void __stcs(float4* to, const float4& value) { *to = value; }

#include "../../../configs/tasks/recsys/include/gpu_access.cuh"
