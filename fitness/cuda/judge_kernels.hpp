#pragma once
// Kernels of ours: they fill, poison and compare large contents on the device, in the judge's own
// context, while no candidate runs.

namespace ke::cuda {

inline constexpr const char* judge_kernels = R"(
typedef unsigned int u32;
typedef unsigned long long u64;

struct Shift { u32 dims[4]; u32 offsets[4]; u32 rotated; };
struct Verdict { u64 wrong; u64 first; u64 worst; double squares; };

__device__ u64 mixed(u64 x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

__device__ u32 noise(u64 seed, u64 i, int plausible) {
  const u32 bits = (u32)mixed(seed + i * 0x9e3779b97f4a7c15ull);
  if (!plausible) return bits;
  return (bits & 0x807fffffu) | ((123 + ((bits >> 24) & 7)) << 23);
}

// Where element i of the rotated tensor comes from.
__device__ u32 source_of(u32 i, const Shift& s) {
  if (!s.rotated) return i;
  u32 from = 0, stride = 1;
  for (int d = 3; d >= 0; --d) {
    if (s.dims[d] == 1) continue;
    u32 at = i % s.dims[d] + s.offsets[d];
    i /= s.dims[d];
    if (at >= s.dims[d]) at -= s.dims[d];
    from += at * stride;
    stride *= s.dims[d];
  }
  return from;
}

__device__ u32 scaled(u32 bits, float factor, int integers) {
  return integers || factor == 1.0f ? bits : __float_as_uint(__uint_as_float(bits) * factor);
}

extern "C" __global__ void ke_flush(const uint4* p, u64 n, u32* sink) {
  u32 sum = 0;
  for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < n; i += (u64)gridDim.x * blockDim.x) {
    const uint4 v = p[i];
    sum += v.x ^ v.y ^ v.z ^ v.w;
  }
  if (sum == 0x12345) *sink = sum;
}

extern "C" __global__ void ke_noise(u32* p, u64 words, u64 seed, int plausible) {
  for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < words; i += (u64)gridDim.x * blockDim.x)
    p[i] = noise(seed, i, plausible);
}

extern "C" __global__ void ke_check_noise(const u32* p, u64 words, u64 seed, u64* broken) {
  for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < words; i += (u64)gridDim.x * blockDim.x)
    if (p[i] != noise(seed, i, 0)) atomicAdd(broken, 1ull);
}

extern "C" __global__ void ke_place(u32* to, const u32* from, Shift s, u32 n, float factor, int integers) {
  for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < n; i += (u64)gridDim.x * blockDim.x)
    to[i] = scaled(from[source_of((u32)i, s)], factor, integers);
}

extern "C" __global__ void ke_intact(const u32* got, const u32* from, Shift s, u32 n, float factor,
                                     int integers, u64* changed) {
  for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < n; i += (u64)gridDim.x * blockDim.x)
    if (got[i] != scaled(from[source_of((u32)i, s)], factor, integers)) atomicAdd(changed, 1ull);
}

// Error used / allowed of one element; above 1, or NaN, is wrong.
__device__ double ratio_of(double got, double want, double allowed, double relative, double overflow,
                           int skips) {
  const double huge = 1e300;
  if (!isfinite(want)) {
    if (skips) return 0;
    return (isnan(want) && isnan(got)) || got == want ? 0 : huge;
  }
  if (fabs(want) >= overflow && isinf(got) && (got > 0) == (want > 0)) return 0;
  const double error = fabs(got - want);
  if (error == 0) return 0;
  const double ratio = error / (fabs(want) * relative + allowed);
  return ratio <= huge ? ratio : huge;
}

struct Rule { double inverse, relative, scale, floor, overflow; int skips, integers; };

extern "C" __global__ void ke_compare(const u32* got, const double* want, const double* rms,
                                      const unsigned char* clean, Shift s, u32 n, u32 row, Rule r,
                                      Verdict* out) {
  u64 wrong = 0, first = ~0ull;
  double worst = 0, squares = 0;
  for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < n; i += (u64)gridDim.x * blockDim.x) {
    const u32 from = source_of((u32)i, s);
    const double expected = want[from];
    if (r.integers) {
      if ((double)(int)got[i] == expected) continue;
      ++wrong;
      worst = 1e300;
      if (i < first) first = i;
      continue;
    }
    const double value = (double)__uint_as_float(got[i]) * r.inverse;
    const u32 line = from / row;
    const double ratio = ratio_of(value, expected, r.scale * rms[line] + r.floor, r.relative, r.overflow, r.skips);
    if (clean[line] && isfinite(value)) squares += (value - expected) * (value - expected);
    if (ratio > worst) worst = ratio;
    if (!(ratio <= 1)) {
      ++wrong;
      if (i < first) first = i;
    }
  }
  for (int lane = 16; lane > 0; lane >>= 1) squares += __shfl_down_sync(~0u, squares, lane);
  if ((threadIdx.x & 31) == 0) atomicAdd(&out->squares, squares);
  if (wrong) {
    atomicAdd(&out->wrong, wrong);
    atomicMin(&out->first, first);
  }
  if (worst > 0) atomicMax(&out->worst, (u64)__double_as_longlong(worst));
}
)";

}  // namespace ke::cuda
