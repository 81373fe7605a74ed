#pragma once
// Tensor cores driven by warpgroups (four warps), and the copy engine that feeds them: sm_90a. Tiles in shared memory
// have rows of 64 values of bfloat16, 128 bytes, as a tensor map with a box of 64 columns and `swizzle=128B` lays them
// out, and begin at multiples of 1024 bytes. For CUDA kernels; see PTX on wgmma.mma_async and cp.async.bulk.tensor.

#include "gpu_tensor.cuh"

/// What `@tensor_map` makes; a kernel takes it as `const __grid_constant__`.
struct alignas(64) TensorMap { char bytes[128]; };

/// A barrier in shared memory. A phase ends when all have arrived, and the bytes that were expected with them.
struct Barrier {
  unsigned long long state;

  __device__ unsigned address() const { return (unsigned)__cvta_generic_to_shared(this); }
  /// By one thread; then `barriers_ready` and a barrier of the block.
  __device__ void begin(int arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address()), "r"(arrivals) : "memory");
  }
  __device__ void arrive() {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address()) : "memory");
  }
  /// Arrives at the same barrier of a block of the cluster.
  __device__ void arrive_at(int block) {
    asm volatile(
        "{.reg .b32 there; mapa.shared::cluster.u32 there, %0, %1;"
        "mbarrier.arrive.shared::cluster.b64 _, [there];}" ::"r"(address()), "r"(block) : "memory");
  }
  /// Arrives, and lets the phase wait for that many bytes of `copy_tile`.
  __device__ void arrive_and_expect(int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address()), "r"(bytes) : "memory");
  }
  /// Until the phase of this parity has ended: 0 for the first, third, ..
  __device__ void wait(int parity) {
    unsigned ended;
    do {
      asm volatile(
          "{.reg .pred ended; mbarrier.try_wait.parity.shared::cta.b64 ended, [%1], %2; selp.u32 %0, 1, 0, ended;}"
          : "=r"(ended) : "r"(address()), "r"(parity) : "memory");
    } while (ended == 0);
  }
};

/// Makes barriers known to the copy engine.
__device__ inline void barriers_ready() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }

/// The map's box from (column, row) on, zeros outside of the tensor. By one thread.
__device__ inline void copy_tile(half_bits* to, const TensorMap& map, int column, int row, Barrier& arrived) {
  const unsigned at = (unsigned)__cvta_generic_to_shared(to);
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(at),
      "l"(&map), "r"(column), "r"(row), "r"(arrived.address())
      : "memory");
}

/// The same into each of the first two blocks of the cluster, at the same place and for the same barrier of each.
__device__ inline void copy_tile_to_both(half_bits* to, const TensorMap& map, int column, int row, Barrier& arrived) {
  const unsigned at = (unsigned)__cvta_generic_to_shared(to);
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"
      " [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(at), "l"(&map), "r"(column), "r"(row), "r"(arrived.address()),
      "h"((unsigned short)3)
      : "memory");
}

/// Position of the block in its cluster.
__device__ inline int block_of_cluster() {
  int rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
/// All threads of all blocks of the cluster.
__device__ inline void meet_cluster() {
  asm volatile("barrier.cluster.arrive.release; barrier.cluster.wait.acquire;" ::: "memory");
}

/// Registers of a thread from here on, by whole warpgroups: some have less so that others can have more. Multiples of 8.
template <int N> __device__ void less_registers() { asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(N)); }
template <int N> __device__ void more_registers() { asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(N)); }

/// With `pdl` in the plan: lets the next kernel start; and there, waits until the kernels before have ended.
__device__ inline void let_next_start() { asm volatile("griddepcontrol.launch_dependents;" ::: "memory"); }
__device__ inline void wait_for_previous() { asm volatile("griddepcontrol.wait;" ::: "memory"); }

/// Rows of a tile as wgmma takes them; columns [16 i, 16 i + 16) of its 64.
struct Tile {
  unsigned long long bits;

  __device__ Tile(const half_bits* rows, int i) {
    const unsigned at = (unsigned)__cvta_generic_to_shared(rows) + 32 * i;
    constexpr unsigned long long eight_rows = 1024 / 16, swizzle_128 = 1;
    bits = (at & 0x3ffff) >> 4 | 1ull << 16 | eight_rows << 32 | swizzle_128 << 62;
  }
};

/// Of 64 x N sums the part of a thread; g = lane / 4, q = lane % 4: v[4 j], v[4 j + 1]: row 16 (warp % 4) + g, columns
/// 8 j + 2 q, 8 j + 2 q + 1; v[4 j + 2], v[4 j + 3]: row + 8.
template <int N> struct WideSums { float v[N / 2]; };

#define KE_SUMS_4(i) "+f"(v[i]), "+f"(v[i + 1]), "+f"(v[i + 2]), "+f"(v[i + 3])
#define KE_SUMS_16(i) KE_SUMS_4(i), KE_SUMS_4(i + 4), KE_SUMS_4(i + 8), KE_SUMS_4(i + 12)

/// A tile of 64 x 64 sums: a b^T over 16 columns of a, 64 rows, and b, 64 rows; `more`: added to what is there.
/// Asynchronous, by the whole warpgroup.
__device__ inline void multiply(WideSums<64>& sums, Tile a, Tile b, bool more) {
  float* v = sums.v;
  asm volatile(
      "{.reg .pred more; setp.ne.b32 more, %34, 0; wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15,"
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
      "}, %32, %33, more, 1, 1, 0, 0;}"
      : KE_SUMS_16(0), KE_SUMS_16(16)
      : "l"(a.bits), "l"(b.bits), "r"((int)more));
}
/// A tile of 64 x 128 sums: a b^T over 16 columns of a, 64 rows, and b, 128 rows; `more`: added to what is there.
/// Asynchronous, by the whole warpgroup.
__device__ inline void multiply(WideSums<128>& sums, Tile a, Tile b, bool more) {
  float* v = sums.v;
  asm volatile(
      "{.reg .pred more; setp.ne.b32 more, %66, 0; wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15,"
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31,"
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47,"
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
      "}, %64, %65, more, 1, 1, 0, 0;}"
      : KE_SUMS_16(0), KE_SUMS_16(16), KE_SUMS_16(32), KE_SUMS_16(48)
      : "l"(a.bits), "l"(b.bits), "r"((int)more));
}
/// A tile of 64 x 256 sums: a b^T over 16 columns of a, 64 rows, and b, 256 rows; `more`: added to what is there.
/// Asynchronous, by the whole warpgroup.
__device__ inline void multiply(WideSums<256>& sums, Tile a, Tile b, bool more) {
  float* v = sums.v;
  asm volatile(
      "{.reg .pred more; setp.ne.b32 more, %130, 0; wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15,"
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31,"
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47,"
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63,"
      "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79,"
      "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95,"
      "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111,"
      "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
      "}, %128, %129, more, 1, 1, 0, 0;}"
      : KE_SUMS_16(0), KE_SUMS_16(16), KE_SUMS_16(32), KE_SUMS_16(48),
        KE_SUMS_16(64), KE_SUMS_16(80), KE_SUMS_16(96), KE_SUMS_16(112)
      : "l"(a.bits), "l"(b.bits), "r"((int)more));
}

#undef KE_SUMS_16
#undef KE_SUMS_4

/// In front of products whose sums were touched by other instructions.
__device__ inline void begin_products() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
/// Closes a group of products.
__device__ inline void end_products() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
/// Waits until all groups but the last LEFT are done.
template <int LEFT> __device__ void wait_products() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(LEFT) : "memory");
}
