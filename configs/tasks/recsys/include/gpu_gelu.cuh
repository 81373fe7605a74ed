#pragma once
// Bias in bfloat16 and GELU in float32. For CUDA kernels.

/// Bias of a column and of the next, zeros from `columns` on; `bias` begins at a multiple of four bytes, `column` is even.
struct BiasPair {
  float low, high;

  __device__ BiasPair(const unsigned short* bias, int column, int columns) {
    unsigned both = 0;
    if (column + 1 < columns) both = __ldg(reinterpret_cast<const unsigned*>(bias + column));
    else if (column < columns) both = __ldg(bias + column);
    low = __uint_as_float(both << 16);
    high = __uint_as_float(both & 0xffff0000u);
  }
};

__device__ inline float reciprocal(float v) {
  float made;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(made) : "f"(v));
  return made;
}
__device__ inline float power_of_2(float v) {
  float made;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(made) : "f"(v));
  return made;
}

/// By erfc of the library or, if `Short`, of five terms.
template <bool Short> __device__ float gelu(float v) {
  if constexpr (!Short) return 0.5f * v * erfcf(-0.70710678f * v);
  // erfc(z) = t (a1 + a2 t + .. + a5 t^4) exp(-z^2) with t = 1 / (1 + 0.56 z): off by 8e-5 of it at most, in its tail
  // too; fitted for that. Here are halves of a1 to a5, and z^2 in units of log 2.
  const float t = reciprocal(fmaf(0.39597980f, fabsf(v), 1.0f)), z = 0.84932180f * v;
  const float terms = fmaf(fmaf(fmaf(fmaf(-0.08456929f, t, 0.14936430f), t, 0.11843252f), t, 0.15869152f), t,
                           0.15804431f);
  return fmaf(-fabsf(v), terms * t * power_of_2(-z * z), fmaxf(v, 0.0f));
}
