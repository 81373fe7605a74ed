#pragma once
// Rows of floats, accessed several at once, and one value of a block from one of each thread. For HIP kernels: waves may
// have 32 or 64 lanes.

template <int N> struct alignas(4 * N) Vector { float v[N]; };

/// STREAMED: past the caches, where an access has 16 bytes.
template <bool STREAMED, typename T> __device__ T take(const T* from) {
  if constexpr (sizeof(T) == 16 && STREAMED) {
#ifdef __HIP_PLATFORM_AMD__
    typedef float Four __attribute__((ext_vector_type(4)));
    const Four four = __builtin_nontemporal_load(reinterpret_cast<const Four*>(from));
#else
    const float4 four = __ldcs(reinterpret_cast<const float4*>(from));
#endif
    return T{{four.x, four.y, four.z, four.w}};
  } else {
    return *from;
  }
}

template <bool STREAMED, typename T> __device__ void put(T* to, const T& value) {
  if constexpr (sizeof(T) == 16 && STREAMED) {
#ifdef __HIP_PLATFORM_AMD__
    typedef float Four __attribute__((ext_vector_type(4)));
    __builtin_nontemporal_store(*reinterpret_cast<const Four*>(&value), reinterpret_cast<Four*>(to));
#else
    __stcs(reinterpret_cast<float4*>(to), *reinterpret_cast<const float4*>(&value));
#endif
  } else {
    *to = value;
  }
}

struct Sum {
  __device__ float operator()(float a, float b) const { return a + b; }
};

struct Largest {
  static __device__ float none() { return __int_as_float(0xff800000); }
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

/// Each group of LANES neighbours, a power of two within a wave, gets one result.
template <int LANES, typename Join> __device__ float joined_among(float value, Join join) {
#pragma unroll
  for (int lane = LANES / 2; lane > 0; lane /= 2) value = join(value, __shfl_xor(value, lane));
  return value;
}

/// Every thread of the block gets the result. SIZE, its threads, is a power of two, 32 to 1024.
template <int SIZE, typename Join> __device__ float joined_in_block(float value, Join join) {
  if constexpr (SIZE <= warpSize) {
    return joined_among<SIZE>(value, join);
  } else {
    constexpr int WAVES = SIZE / warpSize;
    __shared__ float parts[WAVES];
    value = joined_among<warpSize>(value, join);
    __syncthreads();  // an earlier result may still be read
    if (threadIdx.x % warpSize == 0) parts[threadIdx.x / warpSize] = value;
    __syncthreads();
    return joined_among<WAVES>(parts[threadIdx.x % WAVES], join);
  }
}
