// CLASS: good
// ALLOW: ok
#include <cstddef>

// NAME: bucketize_eytzinger
// TASK: bucketize_gather
// FLAGS: -O3 -march=native
// TRIES: a static Eytzinger layout rebuilt in every call
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

// NAME: bucketize_sort_and_merge
// TASK: bucketize_gather
// FLAGS: -O3
// TRIES: sorts the values with their places, then walks values and boundaries together
#include <algorithm>
#include <utility>
#include <vector>

extern "C" void kernel(const float* values, const float* boundaries, const float* table, float* out,
                       std::size_t n, std::size_t nb, std::size_t dim) {
  std::vector<std::pair<float, std::size_t>> order(n);
  for (std::size_t i = 0; i < n; ++i) order[i] = {values[i], i};
  std::sort(order.begin(), order.end());
  std::size_t k = 0;
  for (const auto& [value, at] : order) {
    while (k < nb && boundaries[k] < value) ++k;
    std::copy_n(table + k * dim, dim, out + at * dim);
  }
}

// NAME: bucketize_walk
// TASK: bucketize_gather
// FLAGS: -O3
// TRIES: guesses the bucket by interpolation, then walks until it is right
#include <cstring>

extern "C" void kernel(const float* values, const float* boundaries, const float* table, float* out,
                       std::size_t n, std::size_t nb, std::size_t dim) {
  const float low = boundaries[0], high = boundaries[nb - 1];
  for (std::size_t i = 0; i < n; ++i) {
    const float value = values[i];
    const float share = high > low ? (value - low) / (high - low) : 0.0f;
    std::size_t k =
        share > 0 ? static_cast<std::size_t>((share < 1 ? share : 1) * float(nb - 1)) : 0;
    while (k > 0 && !(boundaries[k - 1] < value)) --k;
    while (k < nb && boundaries[k] < value) ++k;
    std::memcpy(out + i * dim, table + k * dim, dim * sizeof(float));
  }
}

// NAME: dot_transposed_double
// TASK: dot_interaction
// FLAGS: -O3 -march=native
// TRIES: transposes each sample and adds outer products in double
#include <vector>

extern "C" void kernel(const float* x, float* y, std::size_t batch, std::size_t features,
                       std::size_t dim) {
  const std::size_t pairs = features * (features - 1) / 2;
  std::vector<double> sums(pairs), column(features);
  for (std::size_t b = 0; b < batch; ++b) {
    const float* sample = x + b * features * dim;
    sums.assign(pairs, 0.0);
    for (std::size_t d = 0; d < dim; ++d) {
      for (std::size_t i = 0; i < features; ++i) column[i] = sample[i * dim + d];
      double* to = sums.data();
      for (std::size_t i = 1; i < features; ++i) {
        for (std::size_t j = 0; j < i; ++j) to[j] += column[i] * column[j];
        to += i;
      }
    }
    for (std::size_t p = 0; p < pairs; ++p) y[b * pairs + p] = static_cast<float>(sums[p]);
  }
}

// NAME: embedding_multiplicities
// TASK: embedding_bag
// FLAGS: -O3 -march=native
// TRIES: counts how often an index stands in its bag and adds multiples of rows, each once
extern "C" void kernel(const float* table, const int* indices, float* out, std::size_t vocab,
                       std::size_t dim, std::size_t bags, std::size_t bag) {
  (void)vocab;
  for (std::size_t i = 0; i < bags; ++i) {
    const int* own = indices + i * bag;
    float* to = out + i * dim;
    for (std::size_t d = 0; d < dim; ++d) to[d] = 0;
    for (std::size_t j = 0; j < bag; ++j) {
      bool before = false;
      for (std::size_t e = 0; e < j && !before; ++e) before = own[e] == own[j];
      if (before) continue;
      float times = 1;
      for (std::size_t e = j + 1; e < bag; ++e) times += own[e] == own[j] ? 1.0f : 0.0f;
      const float* row = table + static_cast<std::size_t>(own[j]) * dim;
      for (std::size_t d = 0; d < dim; ++d) to[d] += times * row[d];
    }
  }
}

// NAME: embedding_sorted_indices
// TASK: embedding_bag
// FLAGS: -O3 -march=native
// TRIES: adds rows in the order of their indices
#include <algorithm>
#include <vector>

extern "C" void kernel(const float* table, const int* indices, float* out, std::size_t vocab,
                       std::size_t dim, std::size_t bags, std::size_t bag) {
  (void)vocab;
  std::vector<int> order(bag);
  for (std::size_t i = 0; i < bags; ++i) {
    order.assign(indices + i * bag, indices + (i + 1) * bag);
    std::sort(order.begin(), order.end());
    float* to = out + i * dim;
    std::fill(to, to + dim, 0.0f);
    for (int r : order)
      for (std::size_t d = 0; d < dim; ++d) to[d] += table[(std::size_t)r * dim + d];
  }
}
