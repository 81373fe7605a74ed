#pragma once
// threadIdx, blockIdx, blockDim, gridDim, barriers and fences.

#define HIP_INDEX(name, value_x, value_y, value_z)          \
  struct __hip_##name {                                     \
    static HIP_INLINE unsigned get_x() { return value_x; }  \
    static HIP_INLINE unsigned get_y() { return value_y; }  \
    static HIP_INLINE unsigned get_z() { return value_z; }  \
    __declspec(property(get = get_x)) unsigned x;           \
    __declspec(property(get = get_y)) unsigned y;           \
    __declspec(property(get = get_z)) unsigned z;           \
  };                                                        \
  extern const __device__ __attribute__((weak)) __hip_##name name

HIP_INDEX(threadIdx, __builtin_amdgcn_workitem_id_x(), __builtin_amdgcn_workitem_id_y(),
          __builtin_amdgcn_workitem_id_z());
HIP_INDEX(blockIdx, __builtin_amdgcn_workgroup_id_x(), __builtin_amdgcn_workgroup_id_y(),
          __builtin_amdgcn_workgroup_id_z());
HIP_INDEX(blockDim, __builtin_amdgcn_workgroup_size_x(), __builtin_amdgcn_workgroup_size_y(),
          __builtin_amdgcn_workgroup_size_z());
HIP_INDEX(gridDim, __builtin_amdgcn_grid_size_x() / __builtin_amdgcn_workgroup_size_x(),
          __builtin_amdgcn_grid_size_y() / __builtin_amdgcn_workgroup_size_y(),
          __builtin_amdgcn_grid_size_z() / __builtin_amdgcn_workgroup_size_z());

#undef HIP_INDEX

HIP_INLINE void __syncthreads() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
HIP_INLINE void __threadfence_block() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup"); }
HIP_INLINE void __threadfence() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent"); }
