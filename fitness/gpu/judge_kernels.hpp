#pragma once
// Kernels of the judge: they fill, poison and compare large contents on the device, in the judge's
// own context, while no candidate runs.

namespace ke::gpu {

inline constexpr const char* judge_kernels = R"(
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;

// Sums and maxima are taken among the lanes of a wave, 32 or 64 of them.
#ifdef __HIP_PLATFORM_AMD__
__device__ double of_lane_above(double value, int lanes) { return __shfl_down(value, lanes); }
constexpr int wave = warpSize;
#else
__device__ double of_lane_above(double value, int lanes) { return __shfl_down_sync(~0u, value, lanes); }
constexpr int wave = 32;
#endif

struct Shift { u32 dims[8]; u32 offsets[8]; u32 rotated; };
struct Verdict { u64 wrong; u64 first; u64 worst; u64 beyond; double squares; };

// As ke::Dtype, and what lies between tensors.
enum Kind { FLOAT32, INT32, FLOAT16, BFLOAT16, INT64, INT8, UINT8, BOOL, FLOAT64, GAP };

__device__ bool is_half(int kind) { return kind == FLOAT16 || kind == BFLOAT16; }
__device__ bool is_float(int kind) { return kind == FLOAT32 || kind == FLOAT64 || is_half(kind); }

__device__ int bytes_of(int kind) {
  if (kind == FLOAT32 || kind == INT32) return 4;
  if (kind == INT64 || kind == FLOAT64) return 8;
  return is_half(kind) || kind == GAP ? 2 : 1;
}

__device__ u64 element(const void* p, u64 i, int kind) {
  switch (bytes_of(kind)) {
    case 1: return ((const u8*)p)[i];
    case 2: return ((const u16*)p)[i];
    case 4: return ((const u32*)p)[i];
  }
  return ((const u64*)p)[i];
}

__device__ void put(void* p, u64 i, int kind, u64 bits) {
  switch (bytes_of(kind)) {
    case 1: ((u8*)p)[i] = (u8)bits; return;
    case 2: ((u16*)p)[i] = (u16)bits; return;
    case 4: ((u32*)p)[i] = (u32)bits; return;
  }
  ((u64*)p)[i] = bits;
}

__device__ i64 integer(u64 bits, int kind) {
  if (kind == INT8) return (signed char)bits;
  return kind == INT32 ? (i64)(int)bits : (i64)bits;
}

__device__ u64 mixed(u64 x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

// Floats of +-[2^-4, 2^4), else any bits.
__device__ u64 noise(u64 seed, u64 i, int kind) {
  const u64 all = mixed(seed + i * 0x9e3779b97f4a7c15ull);
  if (kind == FLOAT64) return (all & 0x807fffffffffffffull) + 0x3fb0000000000000ull;
  if (kind == INT64) return all;
  const u32 bits = (u32)all;
  if (kind == FLOAT32) return (bits & 0x83ffffffu) + 0x3d800000u;
  if (kind == FLOAT16) return (bits & 0x9fffu) + 0x2c00u;
  if (kind == BFLOAT16) return (bits & 0x83ffu) + 0x3d80u;
  return kind == GAP ? bits & 0xffffu : bits;
}

// As FillKind on the host.
enum Fill { FLOATS, ZEROS, NANS, BITS };

// One element of a fill. FLOATS have a random mantissa, and the seed chooses a small range of exponents.
__device__ u64 filling(u64 seed, u64 i, int kind, int fill) {
  if (fill == ZEROS) return 0;
  const u64 all = mixed(seed + i * 0x9e3779b97f4a7c15ull);
  if (fill == BITS || !is_float(kind)) return all;
  const u64 range = mixed(seed ^ 0x5851f42d4c957f2dull);
  if (fill == NANS) {
    if (kind == FLOAT64) return (all & 0x8007ffffffffffffull) | 0x7ff8000000000000ull;
    if (kind == FLOAT32) return (all & 0x803fffffull) | 0x7fc00000ull;
    return kind == FLOAT16 ? (all & 0x81ffull) | 0x7e00ull : (all & 0x803full) | 0x7fc0ull;
  }
  if (kind == FLOAT64) return (all & 0x807fffffffffffffull) | (range & 255) << 55;
  if (kind == FLOAT32) return (all & 0x83ffffffull) | (range & 31) << 26;
  return kind == FLOAT16 ? (all & 0x8fffull) | (range & 7) << 12 : (all & 0x83ffull) | (range & 31) << 10;
}

// As in fitness/dtype.cpp.
__device__ float widened(u32 bits, int kind) {
  if (kind == BFLOAT16) return __uint_as_float(bits << 16);
  const u32 sign = (bits & 0x8000u) << 16, rest = bits & 0x7fffu;
  if (rest < 0x400u) return __uint_as_float(sign | __float_as_uint((float)rest * 5.9604644775390625e-8f));
  return __uint_as_float(sign | ((rest << 13) + (rest < 0x7c00u ? 0x38000000u : 0x70000000u)));
}

__device__ u32 shifted(u32 bits, int places) {
  return (bits + (1u << (places - 1)) - 1 + ((bits >> places) & 1u)) >> places;
}

__device__ u32 narrowed(float value, int kind) {
  const u32 bits = __float_as_uint(value), sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;
  if (kind == BFLOAT16) return sign | shifted(magnitude, 16);
  if (magnitude >= 0x47800000u) return sign | 0x7c00u;
  if (magnitude >= 0x38800000u) return sign | shifted(magnitude - 0x38000000u, 13);
  return sign | (u32)rintf(__uint_as_float(magnitude) * 16777216.0f);
}

__device__ u64 scaled(u64 bits, float factor, int kind) {
  if (!is_float(kind) || factor == 1.0f) return bits;
  if (kind == FLOAT64) return (u64)__double_as_longlong(__longlong_as_double((i64)bits) * (double)factor);
  if (kind == FLOAT32) return __float_as_uint(__uint_as_float((u32)bits) * factor);
  const float value = widened((u32)bits, kind);
  return isnan(value) ? bits : narrowed(value * factor, kind);
}

// Where element i of the rotated tensor comes from.
__device__ u32 source_of(u32 i, const Shift& s) {
  if (!s.rotated) return i;
  u32 from = 0, stride = 1;
  for (int d = 7; d >= 0; --d) {
    if (s.dims[d] == 1) continue;
    u32 at = i % s.dims[d] + s.offsets[d];
    i /= s.dims[d];
    if (at >= s.dims[d]) at -= s.dims[d];
    from += at * stride;
    stride *= s.dims[d];
  }
  return from;
}

extern "C" __global__ void ke_flush(const uint4* p, u64 n, u32* sink) {
  u32 sum = 0;
  for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < n; i += (u64)gridDim.x * blockDim.x) {
    const uint4 v = p[i];
    sum += v.x ^ v.y ^ v.z ^ v.w;
  }
  if (sum == 0x12345) *sink = sum;
}

extern "C" __global__ void ke_noise(void* p, u64 n, u64 seed, int kind) {
  for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < n; i += (u64)gridDim.x * blockDim.x)
    put(p, i, kind, noise(seed, i, kind));
}

extern "C" __global__ void ke_fill(void* p, u64 n, u64 seed, int kind, int fill) {
  for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < n; i += (u64)gridDim.x * blockDim.x)
    put(p, i, kind, filling(seed, i, kind, fill));
}

// `want`: doubles, or long long for integers.
extern "C" __global__ void ke_answer(void* to, const void* want, Shift s, u32 n, double factor, int kind) {
  for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < n; i += (u64)gridDim.x * blockDim.x) {
    const u32 from = source_of((u32)i, s);
    u64 bits = is_float(kind) ? 0 : (u64)((const i64*)want)[from];
    if (is_float(kind)) {
      const double value = ((const double*)want)[from] * factor;
      if (kind == FLOAT64) bits = (u64)__double_as_longlong(value);
      if (kind == FLOAT32) bits = __float_as_uint((float)value);
      if (is_half(kind)) bits = narrowed((float)value, kind);
    }
    put(to, i, kind, bits);
  }
}

extern "C" __global__ void ke_check_gap(const void* p, u64 n, u64 seed, u64* broken) {
  for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < n; i += (u64)gridDim.x * blockDim.x)
    if (element(p, i, GAP) != noise(seed, i, GAP)) atomicAdd(broken, 1ull);
}

extern "C" __global__ void ke_place(void* to, const void* from, Shift s, u32 n, float factor, int kind) {
  for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < n; i += (u64)gridDim.x * blockDim.x)
    put(to, i, kind, scaled(element(from, source_of((u32)i, s), kind), factor, kind));
}

extern "C" __global__ void ke_intact(const void* got, const void* from, Shift s, u32 n, float factor,
                                     int kind, u64* changed) {
  for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < n; i += (u64)gridDim.x * blockDim.x) {
    const u64 want = scaled(element(from, source_of((u32)i, s), kind), factor, kind);
    if (element(got, i, kind) != want) atomicAdd(changed, 1ull);
  }
}

struct Rule { double inverse, relative, rounding, scale, floor, overflow, unit, max_error; int skips, kind; };

__device__ double value_of(u64 bits, int kind) {
  if (kind == FLOAT64) return __longlong_as_double((i64)bits);
  return is_half(kind) ? widened((u32)bits, kind) : __uint_as_float((u32)bits);
}

// Error used / allowed of one element; above 1, or NaN, is wrong.
__device__ double ratio_of(double got, double want, double row_rms, const Rule& r) {
  const double huge = 1e300;
  if (!isfinite(want)) {
    if (r.skips) return 0;
    return (isnan(want) && isnan(got)) || got == want ? 0 : huge;
  }
  if (fabs(want) >= r.overflow && isinf(got) && (got > 0) == (want > 0)) return 0;
  const double error = fabs(got - want) - r.rounding * fabs(want);
  if (error <= 0) return 0;
  const double ratio = error / fmin(fabs(want) * r.relative + r.scale * row_rms + r.floor, r.max_error);
  return ratio <= huge ? ratio : huge;
}

// `want`: doubles, or long long for integers.
extern "C" __global__ void ke_compare(const void* got, const void* want, const double* rms,
                                      const unsigned char* clean, Shift s, u32 n, u32 row, Rule r,
                                      Verdict* out) {
  u64 wrong = 0, beyond = 0, first = ~0ull;
  double worst = 0, squares = 0;
  for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < n; i += (u64)gridDim.x * blockDim.x) {
    const u32 from = source_of((u32)i, s);
    const u64 bits = element(got, i, r.kind);
    if (!is_float(r.kind)) {
      if (integer(bits, r.kind) == ((const i64*)want)[from]) continue;
      ++wrong;
      ++beyond;
      worst = 1e300;
      if (i < first) first = i;
      continue;
    }
    const double expected = ((const double*)want)[from];
    const double value = value_of(bits, r.kind) * r.inverse;
    const u32 line = from / row;
    const double ratio = ratio_of(value, expected, rms[line], r);
    if (clean[line] && isfinite(value)) squares += (value - expected) / r.unit * ((value - expected) / r.unit);
    if (ratio > worst) worst = ratio;
    if (!(ratio <= 1)) {
      ++wrong;
      const double error = fabs(value - expected) - r.rounding * fabs(expected);
      if (!isfinite(value) || !(error <= r.max_error)) ++beyond;
      if (i < first) first = i;
    }
  }
  // One wave after the other changes these: a million threads would take longer than all else.
  for (int lanes = wave / 2; lanes > 0; lanes /= 2) {
    squares += of_lane_above(squares, lanes);
    worst = fmax(worst, of_lane_above(worst, lanes));
  }
  if (threadIdx.x % wave == 0) {
    atomicAdd(&out->squares, squares);
    if (worst > 0) atomicMax(&out->worst, (u64)__double_as_longlong(worst));
  }
  if (wrong) {
    atomicAdd(&out->wrong, wrong);
    atomicAdd(&out->beyond, beyond);
    atomicMin(&out->first, first);
  }
}
)";

}  // namespace ke::gpu
