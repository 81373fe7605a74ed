// NAME: template_bomb
// TASK: axpb
// CLASS: compile
// ALLOW: compile_limit|compile_error
// TRIES: types that double at every step
#include <cstddef>

template <int N, class L, class R>

struct Tree {
  using type = typename Tree<N - 1, Tree<N, L, R>, Tree<N, R, L>>::type;
  static constexpr unsigned long value =
      Tree<N - 1, L, Tree<N, L, R>>::value + Tree<N - 1, Tree<N, R, L>, R>::value;
};
template <class L, class R>

struct Tree<0, L, R> {
  using type = L;
  static constexpr unsigned long value = sizeof(L);
};
static_assert(Tree<24, int, long>::value != 0);

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}
