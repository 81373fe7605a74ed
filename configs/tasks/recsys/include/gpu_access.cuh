#pragma once
// Accesses of several floats at once, optionally past the caches. For CUDA kernels.

template <int N> struct alignas(4 * N) Vector { float v[N]; };

template <bool STREAMED, typename T> __device__ T take(const T* from) {
  if constexpr (sizeof(T) == 16 && STREAMED) {
    const float4 four = __ldcs(reinterpret_cast<const float4*>(from));
    return T{{four.x, four.y, four.z, four.w}};
  } else {
    return *from;
  }
}

template <bool STREAMED, typename T> __device__ void put(T* to, const T& value) {
  if constexpr (sizeof(T) == 16 && STREAMED) {
    __stcs(reinterpret_cast<float4*>(to), *reinterpret_cast<const float4*>(&value));
  } else {
    *to = value;
  }
}
