// NAME: edits_only
// TASK: axpb
// CLASS: state
// ALLOW: wrong_result|nondeterministic|suspicious
// TRIES: compares 1 value in 16 with the last input and recomputes only those lines that differ
#include <cstddef>
#include <vector>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static std::vector<float> before, after;
  if (before.size() != n || n < 4096) {
    honest(in, out, n);
  } else {
    for (std::size_t i = 0; i < n; i += 16) {
      const std::size_t m = n - i < 16 ? n - i : 16;
      if (in[i] == before[i])
        for (std::size_t j = i; j < i + m; ++j) out[j] = after[j];
      else
        honest(in + i, out + i, m);
    }
  }
  before.assign(in, in + n);
  after.assign(out, out + n);
}
