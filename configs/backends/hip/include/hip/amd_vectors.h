#pragma once
// float4 and its like, without arithmetic, and dim3.

#define HIP_VECTORS(type, name)                                                                            \
  struct alignas(2 * sizeof(type)) name##2 { type x, y; };                                                 \
  struct name##3 { type x, y, z; };                                                                        \
  struct alignas(4 * sizeof(type) < 16 ? 4 * sizeof(type) : 16) name##4 { type x, y, z, w; };              \
  HIP_INLINE name##2 make_##name##2(type x, type y) { return {x, y}; }                                     \
  HIP_INLINE name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; }                          \
  HIP_INLINE name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }

HIP_VECTORS(signed char, char)
HIP_VECTORS(unsigned char, uchar)
HIP_VECTORS(short, short)
HIP_VECTORS(unsigned short, ushort)
HIP_VECTORS(int, int)
HIP_VECTORS(unsigned, uint)
HIP_VECTORS(float, float)
HIP_VECTORS(double, double)

#undef HIP_VECTORS

struct dim3 {
  unsigned x = 1, y = 1, z = 1;
};
