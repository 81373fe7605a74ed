// NAME: bucketize_eytzinger
// TASK: bucketize_gather
// CLASS: good
// FLAGS: -O3 -march=native
// ALLOW: ok
// TRIES: a static Eytzinger layout rebuilt in every call
#include <cstddef>
#include <vector>

static void build(const float* b, std::size_t nb, std::vector<float>& t,
                  std::vector<std::size_t>& r, std::size_t& at, std::size_t i) {
  if (i > nb) return;
  build(b, nb, t, r, at, 2 * i);
  t[i] = b[at];
  r[i] = at++;
  build(b, nb, t, r, at, 2 * i + 1);
}
extern "C" void kernel(const float* values, const float* boundaries, const float* table, float* out,
                       std::size_t n, std::size_t nb, std::size_t dim) {
  static std::vector<float> t;
  static std::vector<std::size_t> r;
  t.resize(nb + 1);
  r.resize(nb + 1);
  std::size_t at = 0;
  build(boundaries, nb, t, r, at, 1);
  r[0] = nb;
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t j = 1;
    while (j <= nb) j = 2 * j + (t[j] < values[i]);
    j >>= __builtin_ffsll(~(long long)j);
    const float* row = table + r[j] * dim;
    for (std::size_t d = 0; d < dim; ++d) out[i * dim + d] = row[d];
  }
}
