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

/// Four floats of a row from `at` on, zeros where it has ended and unless `inside`. ALIGNED: rows begin and end at
/// multiples of sixteen bytes, and so does what is asked for.
template <bool ALIGNED> __device__ Vector<4> four(const float* row, int at, int length, bool inside) {
  Vector<4> made{};
  if (!inside || at >= length) return made;
  if constexpr (ALIGNED) return *reinterpret_cast<const Vector<4>*>(row + at);
#pragma unroll
  for (int u = 0; u < 4; ++u)
    if (at + u < length) made.v[u] = row[at + u];
  return made;
}

/// The other way.
template <bool ALIGNED> __device__ void put_four(float* row, int at, int length, const Vector<4>& values) {
  if (at >= length) return;
  if constexpr (ALIGNED) {
    *reinterpret_cast<Vector<4>*>(row + at) = values;
  } else {
#pragma unroll
    for (int u = 0; u < 4; ++u)
      if (at + u < length) row[at + u] = values.v[u];
  }
}
