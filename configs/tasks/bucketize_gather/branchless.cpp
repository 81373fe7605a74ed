// Bucketize by a binary search without branches, several values at a time, the last steps by counting; then copies.
// @task bucketize_gather
// @knob BATCH int {1, 2, 4, 8, 16, 32} = 4              values searched together
// @knob COUNT int {1, 8, 16, 32, 64} = 1                boundaries left when counting takes over (1: never)
// @knob WIDTH int {4, 8, 16} = 8                        floats in a vector, of counting and of copies
// @knob STEP enum {index, pointer} = index              the search moves an index by a product, or selects a pointer
// @knob COPY enum {loop, vectors} = loop                rows are copied by a plain loop or by explicit vectors
// @knob GATHER enum {after_batch, after_all} = after_batch  copies follow each batch, or all searches of a block
// @knob BLOCK int {64, 256, 1024} = 256                 values a block of after_all
// @knob PREFETCH bool = false                           fetch the table's row as soon as it is known
// @require GATHER == 1 || BLOCK == 256
// @require GATHER == 1 || PREFETCH == 0 || BATCH > 1
// @flags -O3 -march=native; -funroll-loops?; -mprefer-vector-width={256,512}
#include <cstddef>

#include "vector_math.hpp"

namespace {

struct Table {
  const float* boundaries;
  std::size_t nb;
  const float* rows;
  std::size_t dim;
};

/// How many of the `count` boundaries from `from` on lie below `value`.
VM_INLINE std::size_t below(const float* from, std::size_t count, float value) {
  vm::i32<WIDTH> less = {};
  std::size_t i = 0;
  for (; i + WIDTH <= count; i += WIDTH) less += vm::load<WIDTH>(from + i) < value;  // true is -1
  int total = 0;
  for (int lane = 0; lane < WIDTH; ++lane) total -= less[lane];
  for (; i < count; ++i) total += from[i] < value;
  return static_cast<std::size_t>(total);
}

/// Buckets of N values. The remaining length is the same for all of them, so their searches run side by side.
template <int N>
VM_INLINE void buckets(const Table& t, const float* values, std::size_t* bucket) {
  const float* base[N];
  std::size_t length = t.nb;
#pragma GCC unroll 32
  for (int v = 0; v < N; ++v) base[v] = t.boundaries;
  while (length > COUNT) {
    const std::size_t half = length / 2;
#pragma GCC unroll 32
    for (int v = 0; v < N; ++v) {
      const bool right = base[v][half - 1] < values[v];
      if (STEP == STEP_index)
        base[v] += right * half;
      else
        base[v] = right ? base[v] + half : base[v];
    }
    length -= half;
  }
#pragma GCC unroll 32
  for (int v = 0; v < N; ++v) {
    const std::size_t rest = COUNT == 1 ? (length > 0 && *base[v] < values[v]) : below(base[v], length, values[v]);
    bucket[v] = static_cast<std::size_t>(base[v] - t.boundaries) + rest;
    if (PREFETCH) __builtin_prefetch(t.rows + bucket[v] * t.dim);
  }
}

VM_INLINE void copy(const Table& t, std::size_t bucket, float* to) {
  const float* from = t.rows + bucket * t.dim;
  std::size_t d = 0;
  if (COPY == COPY_vectors)
    for (; d + WIDTH <= t.dim; d += WIDTH) vm::store<WIDTH>(to + d, vm::load<WIDTH>(from + d));
  for (; d < t.dim; ++d) to[d] = from[d];
}

/// Searches `count` values in batches; `ready` gets the buckets of each batch.
template <class Ready>
VM_INLINE void search(const Table& t, const float* values, std::size_t count, Ready ready) {
  std::size_t i = 0, bucket[BATCH];
  for (; i + BATCH <= count; i += BATCH) {
    buckets<BATCH>(t, values + i, bucket);
    for (std::size_t v = 0; v < BATCH; ++v) ready(i + v, bucket[v]);
  }
  for (; i < count; ++i) {
    buckets<1>(t, values + i, bucket);
    ready(i, bucket[0]);
  }
}

}  // namespace

extern "C" void kernel(const float* values, const float* boundaries, const float* table, float* out, std::size_t n,
                       std::size_t nb, std::size_t dim) {
  const Table t = {boundaries, nb, table, dim};
  if (GATHER == GATHER_after_batch) {
    search(t, values, n, [&](std::size_t i, std::size_t bucket) { copy(t, bucket, out + i * dim); });
    return;
  }
  for (std::size_t from = 0; from < n; from += BLOCK) {
    std::size_t found[BLOCK];
    const std::size_t count = n - from < BLOCK ? n - from : BLOCK;
    search(t, values + from, count, [&](std::size_t i, std::size_t bucket) { found[i] = bucket; });
    for (std::size_t i = 0; i < count; ++i) copy(t, found[i], out + (from + i) * dim);
  }
}
