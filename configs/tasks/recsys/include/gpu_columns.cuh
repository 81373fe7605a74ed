#pragma once
// Products of float16 by warpgroups whose right side lies in shared memory as it does in global memory, with its columns
// contiguous: the copy engine brings boxes of 64 columns with `swizzle=128B`, rows of 128 bytes one below the other. Boxes
// begin at multiples of 1024 bytes. The left side is in registers. For CUDA kernels of sm_90a.

#include "gpu_warpgroup.cuh"

/// The box of the map from (column, row, layer) on, zeros outside of the tensor. By one thread.
__device__ inline void copy_box(half_bits* to, const TensorMap& map, int column, int row, int layer, Barrier& arrived) {
  const unsigned at = (unsigned)__cvta_generic_to_shared(to);
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], [%5];" ::"r"(
          at),
      "l"(&map), "r"(column), "r"(row), "r"(layer), "r"(arrived.address())
      : "memory");
}

/// From shared to global memory, multiples of 16 bytes; done when `wait_copied_out` returns. By one thread, after all who
/// wrote have called `shown_to_copies` and met.
__device__ inline void copy_out(void* to, const void* from, int bytes) {
  const unsigned at = (unsigned)__cvta_generic_to_shared(from);
  asm volatile(
      "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2; cp.async.bulk.commit_group;" ::"l"(to), "r"(at),
      "r"(bytes)
      : "memory");
}
/// Until what this thread copies out has been read.
__device__ inline void wait_copied_out() { asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory"); }
__device__ inline void shown_to_copies() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

/// The four warps of a warpgroup meet.
__device__ inline void meet_warpgroup(int group) { asm volatile("bar.sync %0, 128;" ::"r"(group + 1) : "memory"); }

/// Boxes of ROWS rows and 64 columns, side by side, from the first of which on wgmma takes columns; its rows
/// [16 i, 16 i + 16).
struct Columns {
  unsigned long long bits;

  template <int ROWS> static __device__ Columns of(const half_bits* box, int i) {
    const unsigned at = (unsigned)__cvta_generic_to_shared(box) + 2048 * i;
    constexpr unsigned long long next_box = ROWS * 128 / 16, eight_rows = 1024 / 16, swizzle_128 = 1;
    return {(at & 0x3ffff) >> 4 | next_box << 16 | eight_rows << 32 | swizzle_128 << 62};
  }
};

#define KE_SUMS_4(i) "+f"(v[i]), "+f"(v[i + 1]), "+f"(v[i + 2]), "+f"(v[i + 3])
#define KE_SUMS_16(i) KE_SUMS_4(i), KE_SUMS_4(i + 4), KE_SUMS_4(i + 8), KE_SUMS_4(i + 12)

/// A tile of 64 x N sums: a b over 16 columns of a, whose rows 16 w .. 16 w + 15 warp w of the warpgroup holds, and 16
/// rows of b; `more`: added to what is there. Asynchronous, by the whole warpgroup.
__device__ inline void multiply(WideSums<64>& sums, const Left& a, Columns b, bool more) {
  float* v = sums.v;
  asm volatile(
      "{.reg .pred more; setp.ne.b32 more, %37, 0; wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15,"
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
        "}, {%32, %33, %34, %35}, %36, more, 1, 1, 1;}"
      : KE_SUMS_16(0), KE_SUMS_16(16)
      : "r"(a.r[0]), "r"(a.r[1]), "r"(a.r[2]), "r"(a.r[3]), "l"(b.bits), "r"((int)more));
}
__device__ inline void multiply(WideSums<72>& sums, const Left& a, Columns b, bool more) {
  float* v = sums.v;
  asm volatile(
      "{.reg .pred more; setp.ne.b32 more, %41, 0; wgmma.mma_async.sync.aligned.m64n72k16.f32.f16.f16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15,"
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31,"
        "%32, %33, %34, %35"
        "}, {%36, %37, %38, %39}, %40, more, 1, 1, 1;}"
      : KE_SUMS_16(0), KE_SUMS_16(16), KE_SUMS_4(32)
      : "r"(a.r[0]), "r"(a.r[1]), "r"(a.r[2]), "r"(a.r[3]), "l"(b.bits), "r"((int)more));
}

#undef KE_SUMS_16
#undef KE_SUMS_4
