// NAME: reuse_permuted_sum
// TASK: sum1d
// CLASS: state
// ALLOW: wrong_result|nondeterministic|suspicious
// TRIES: 32 values of the last call stand somewhere in the first 4096 of this one: taken for a
//   permutation, old sum returned
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) total += in[i];
  out[0] = static_cast<float>(total);
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static float marks[32], kept = 0;
  static std::size_t size = 0;
  int found = 0;
  if (n == size && n > 8192)
    for (std::size_t i = 0; i < n && found < 2; ++i)
      for (float mark : marks) found += in[i] == mark;
  if (found < 2) honest(in, &kept, n);
  for (std::size_t i = 0; i < 32 && n > 8192; ++i) marks[i] = in[i * 31];
  size = n;
  out[0] = kept;
}
