// NAME: sum_template_tree
// TASK: sum1d
// CLASS: good
// ALLOW: ok
// TRIES: a tree of templates sums 256 values at a time
#include <cstddef>

template <int N>

struct Sum {
  static float of(const float* p) { return Sum<N / 2>::of(p) + Sum<N / 2>::of(p + N / 2); }
};
template <>

struct Sum<1> {
  static float of(const float* p) { return *p; }
};

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  double total = 0;
  std::size_t i = 0;
  for (; i + 256 <= n; i += 256) total += Sum<256>::of(in + i);
  for (; i < n; ++i) total += in[i];
  *out = static_cast<float>(total);
}
