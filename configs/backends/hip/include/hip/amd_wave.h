#pragma once
// Shuffles and votes among the lanes of a wave.

constexpr int warpSize = __AMDGCN_WAVEFRONT_SIZE__;

HIP_INLINE unsigned __lane_id() { return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0u)); }

template <typename T> HIP_INLINE T __hip_value_of(T value, int lane) {
  static_assert(sizeof(T) % sizeof(int) == 0, "shuffles move values of 4, 8, 12, ... bytes");
  struct Words {
    int word[sizeof(T) / sizeof(int)];
  };
  Words words = __builtin_bit_cast(Words, value);
  for (int& word : words.word) word = __builtin_amdgcn_ds_bpermute(4 * lane, word);
  return __builtin_bit_cast(T, words);
}

template <typename T> HIP_INLINE T __shfl(T value, int lane, int width = warpSize) {
  const int self = __lane_id();
  return __hip_value_of(value, (self & -width) + (lane & (width - 1)));
}
template <typename T> HIP_INLINE T __shfl_up(T value, unsigned delta, int width = warpSize) {
  const int self = __lane_id(), from = self - static_cast<int>(delta);
  return __hip_value_of(value, from < (self & -width) ? self : from);
}
template <typename T> HIP_INLINE T __shfl_down(T value, unsigned delta, int width = warpSize) {
  const int self = __lane_id(), from = self + static_cast<int>(delta);
  return __hip_value_of(value, from >= (self & -width) + width ? self : from);
}
template <typename T> HIP_INLINE T __shfl_xor(T value, int mask, int width = warpSize) {
  const int self = __lane_id(), from = self ^ mask;
  return __hip_value_of(value, from >= (self & -width) + width ? self : from);
}

HIP_INLINE unsigned long long __ballot(int vote) { return __builtin_amdgcn_ballot_w64(vote != 0); }
HIP_INLINE int __any(int vote) { return __ballot(vote) != 0; }
HIP_INLINE int __all(int vote) { return __ballot(vote == 0) == 0; }
