#pragma once
// Emulates HIP on a CPU likewise; EMULATED_WARP_SIZE is the size of a wave.

#include "cuda_block.cuh"

#undef __shared__
#define __shared__ static
#define warpSize EMULATED_WARP_SIZE

struct float4 { float x, y, z, w; };
inline float4 __ldcs(const float4* from) { return *from; }
inline void __stcs(float4* to, const float4& value) { *to = value; }

template <typename T> T __shfl_xor(T value, int mask) {
  T taken{};
  emulated::with_values_of_warp(value, [&](const T* values) { taken = values[emulated::lane() ^ mask]; });
  return taken;
}

using std::isfinite;
inline float __expf(float x) { return std::exp(x); }
inline float __int_as_float(int bits) { return __uint_as_float(unsigned(bits)); }
