// NAME: constexpr_bomb
// TASK: axpb
// CLASS: compile
// ALLOW: compile_limit|compile_error
// TRIES: a constant that takes the compiler hours
#include <cstddef>

#pragma GCC diagnostic ignored "-Wall"
constexpr unsigned long steps(unsigned long k) {
  unsigned long x = k;
  for (int i = 0; i < 30000; ++i) x = x * 6364136223846793005ul + 1;
  return x;
}
template <unsigned long... K>

struct Many {
  static constexpr unsigned long value = (steps(K) + ... + 0);
};
template <unsigned long N>
constexpr unsigned long all() {
  if constexpr (N == 0)
    return 0;
  else
    return Many<N, N + 1, N + 2, N + 3, N + 4, N + 5, N + 6, N + 7>::value + all<N - 1>();
}
constexpr unsigned long number = all<800>();
static_assert(number != 12345);

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + (number == 12345 ? 0.0f : 1.0f);
}
