#pragma once
// Tensor cores: tiles of 16 x 16 by 16 x 8 values of a half type, or 16 x 8 by 8 x 8 of float32, summed up in float32,
// and how they get there. For CUDA kernels. The layout of fragments is that of PTX's mma.m16n8k16; g = lane / 4,
// q = lane % 4:
//   a, 16 x 16, row-major:  r[0]: row g, columns 2q, 2q + 1; r[1]: row g + 8; r[2], r[3]: columns + 8
//   b, 16 x 8:              r[0]: rows 2q, 2q + 1 of column g; r[1]: rows + 8
//   sums, 16 x 8:           v[0], v[1]: row g, columns 2q, 2q + 1; v[2], v[3]: row g + 8
// and of float32 that of mma.m16n8k8:
//   a, 16 x 8:              [0]: row g, column q; [1]: row g + 8; [2], [3]: column + 4
//   b, 8 x 8:               [0]: row q of column g; [1]: row + 4

typedef unsigned short half_bits;

struct Left { unsigned r[4]; };
struct Right { unsigned r[2]; };
struct Sums { float v[4]; };

struct Float16 {
  /// sums += a b.
  static __device__ void multiply(Sums& sums, const Left& a, const Right& b) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(sums.v[0]), "+f"(sums.v[1]), "+f"(sums.v[2]), "+f"(sums.v[3])
        : "r"(a.r[0]), "r"(a.r[1]), "r"(a.r[2]), "r"(a.r[3]), "r"(b.r[0]), "r"(b.r[1]));
  }
  static __device__ float widened(half_bits bits) {
    float made;
    asm("cvt.f32.f16 %0, %1;" : "=f"(made) : "h"(bits));
    return made;
  }
  /// Two values, the first in the lower half.
  static __device__ unsigned pair(float first, float second) {
    unsigned made;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(made) : "f"(second), "f"(first));
    return made;
  }
};

struct Bfloat16 {
  static __device__ void multiply(Sums& sums, const Left& a, const Right& b) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(sums.v[0]), "+f"(sums.v[1]), "+f"(sums.v[2]), "+f"(sums.v[3])
        : "r"(a.r[0]), "r"(a.r[1]), "r"(a.r[2]), "r"(a.r[3]), "r"(b.r[0]), "r"(b.r[1]));
  }
  static __device__ unsigned pair(float first, float second) {
    unsigned made;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(made) : "f"(second), "f"(first));
    return made;
  }
};

/// N values of float32, each as the sum of two that have TF32's eleven bits; the cores read no further bits of `low`.
template <int N> struct Split {
  unsigned high[N], low[N];

  __device__ void set(int i, float value) {
    high[i] = __float_as_uint(value) & 0xffffe000u;
    low[i] = __float_as_uint(value - __uint_as_float(high[i]));
  }
};

template <int M, int N> __device__ void clear(Sums (&sums)[M][N]) {
#pragma unroll
  for (int i = 0; i < M; ++i)
#pragma unroll
    for (int j = 0; j < N; ++j) sums[i][j] = {};
}
/// sums += more.
template <int M, int N> __device__ void add(Sums (&sums)[M][N], const Sums (&more)[M][N]) {
#pragma unroll
  for (int i = 0; i < M; ++i)
#pragma unroll
    for (int j = 0; j < N; ++j)
#pragma unroll
      for (int v = 0; v < 4; ++v) sums[i][j].v[v] += more[i][j].v[v];
}

/// Products of float32: three of the four of its parts, together as exact as one of float32. The cores round sums
/// towards zero, so long sums are made of short ones, outside of them.
struct Float32 {
  static constexpr int parts = 3;

  /// sums += one part of a b, the smallest first. Products of the same part do not wait for each other.
  static __device__ void multiply(int part, Sums& sums, const Split<4>& a, const Split<2>& b) {
    const unsigned (&left)[4] = part == 0 ? a.low : a.high;
    const unsigned (&right)[2] = part == 1 ? b.low : b.high;
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(sums.v[0]), "+f"(sums.v[1]), "+f"(sums.v[2]), "+f"(sums.v[3])
        : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(right[0]), "r"(right[1]));
  }
  /// All of a b, where each tile of a meets each of b.
  template <int M, int N>
  static __device__ void multiply(Sums (&sums)[M][N], const Split<4> (&a)[M], const Split<2> (&b)[N]) {
#pragma unroll
    for (int part = 0; part < parts; ++part)
#pragma unroll
      for (int i = 0; i < M; ++i)
#pragma unroll
        for (int j = 0; j < N; ++j) multiply(part, sums[i][j], a[i], b[j]);
  }
};

/// Four 8 x 8 tiles of shared memory: lane 8 i + j names the begin of row j of tile i, 16 bytes at a multiple of 16. A
/// lane gets columns 2q, 2q + 1 of row g of each; TURNED, rows 2q, 2q + 1 of column g.
template <bool TURNED> __device__ void load_tiles(unsigned (&r)[4], const half_bits* row) {
  const unsigned at = (unsigned)__cvta_generic_to_shared(row);
  if constexpr (TURNED)
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at) : "memory");
  else
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at) : "memory");
}

/// Sixteen bytes from global into shared memory, both at multiples of 16, on their way until waited for.
__device__ inline void copy_ahead(void* to, const void* from) {
  const unsigned at = (unsigned)__cvta_generic_to_shared(to);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(from) : "memory");
}
/// The same where `inside`, zeros elsewhere.
__device__ inline void copy_ahead_if(bool inside, void* to, const void* from) {
  const unsigned at = (unsigned)__cvta_generic_to_shared(to);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(at), "l"(from), "r"(inside ? 16 : 0) : "memory");
}
/// Closes a group of copies, which may be empty.
__device__ inline void end_group() { asm volatile("cp.async.commit_group;" ::: "memory"); }
/// Waits until all groups but the last LEFT have arrived, for this thread's copies.
template <int LEFT> __device__ void wait_groups() { asm volatile("cp.async.wait_group %0;" ::"n"(LEFT) : "memory"); }

__device__ inline void clear16(void* to) { *reinterpret_cast<uint4*>(to) = make_uint4(0, 0, 0, 0); }
