// Pairwise dot interaction by register tiles: TI x TJ dot products at once, along the features' dimension
// (horizontal sums at the end), or across pairs on a transposed copy of the sample (no horizontal sums).
// @task dot_interaction
// @knob WIDTH int {4, 8, 16} = 8                      floats in a vector
// @knob LANES enum {dimension, pairs} = dimension     what lies in the lanes of a vector
// @knob TI int {1, 2, 3, 4, 5, 6} = 2                 features i in the register tile
// @knob TJ int {1, 2, 3, 4, 6} = 2                    features j (dimension) or vectors of them (pairs) in the tile
// @knob UNROLL int {1, 2, 4, 8} = 1                   steps of the inner loop unrolled
// @knob SPLIT int {1, 2} = 1                          independent sums a dot product
// @knob SUMS enum {each, together} = each             horizontal sums one by one, or of all dots of a tile by a tree of merges
// @knob DIAGONAL enum {single, tile} = single         pairs next to the diagonal: one by one, or whole tiles partly thrown away
// @knob PREFETCH bool = false                         fetch the next sample
// @require TI * TJ * SPLIT + TJ + 1 <= 28
// @require LANES == 0 || (DIAGONAL == 1 && TJ <= 4 && SUMS == 0)
// @require SUMS == 0 || TI * TJ > 1
// @flags -O3 -march=native; -mprefer-vector-width={256,512}; -funroll-loops?; -fno-tree-slp-vectorize?
#include <cstddef>
#include <cstdlib>

#include "vector_math.hpp"

namespace {

using Vec = vm::f32<WIDTH>;
constexpr int ti = TI, tj = TJ, split = SPLIT, k_unroll = UNROLL;

std::size_t least(std::size_t a, std::size_t b) { return a < b ? a : b; }

/// Pairs of neighbouring groups of `Group` lanes added up; those of `a` and of `b` alternate in the result.
template <int Group>
VM_INLINE Vec merged(Vec a, Vec b) {
  vm::i32<WIDTH> first, second;
  for (int lane = 0; lane < WIDTH; ++lane) {
    const int pair = lane / (2 * Group) * 2 * Group + lane % Group, from = lane / Group % 2 ? WIDTH : 0;
    first[lane] = from + pair;
    second[lane] = from + pair + Group;
  }
#if defined(__clang__)
  Vec x, y;
  for (int lane = 0; lane < WIDTH; ++lane) {
    x[lane] = first[lane] < WIDTH ? a[first[lane]] : b[first[lane] - WIDTH];
    y[lane] = second[lane] < WIDTH ? a[second[lane]] : b[second[lane] - WIDTH];
  }
  return x + y;
#else
  return __builtin_shuffle(a, b, first) + __builtin_shuffle(a, b, second);
#endif
}

/// Sums of WIDTH vectors, vector k's in lane k. `Group` lanes of each are done already.
template <int Count, int Group = 1>
VM_INLINE Vec sums_together(const Vec* v) {
  if constexpr (Count == 1) {
    return v[0];
  } else {
    Vec half[Count / 2];
#pragma GCC unroll 16
    for (int i = 0; i < Count / 2; ++i) half[i] = merged<Group>(v[2 * i], v[2 * i + 1]);
    return sums_together<Count / 2, Group * 2>(half);
  }
}

/// Dot products of I rows from `a` on with J rows from `b` on, rows `dim` apart.
template <int I, int J>
VM_INLINE void dots(const float* a, const float* b, std::size_t dim, float (*out)[J]) {
  Vec sum[split][I][J];
#pragma GCC unroll 2
  for (int s = 0; s < split; ++s)
#pragma GCC unroll 6
    for (int i = 0; i < I; ++i)
#pragma GCC unroll 6
      for (int j = 0; j < J; ++j) sum[s][i][j] = vm::splat<WIDTH>(0.0f);
  const auto step = [&](std::size_t d, int s) {
    Vec right[J];
#pragma GCC unroll 6
    for (int j = 0; j < J; ++j) right[j] = vm::load<WIDTH>(b + j * dim + d);
#pragma GCC unroll 6
    for (int i = 0; i < I; ++i) {
      const Vec left = vm::load<WIDTH>(a + i * dim + d);
#pragma GCC unroll 6
      for (int j = 0; j < J; ++j) sum[s][i][j] += left * right[j];
    }
  };
  std::size_t d = 0;
#pragma GCC unroll k_unroll
  for (; d + split * WIDTH <= dim; d += split * WIDTH)
#pragma GCC unroll 2
    for (int s = 0; s < split; ++s) step(d + s * WIDTH, s);
  for (; d + WIDTH <= dim; d += WIDTH) step(d, 0);
  if (split == 2) {
#pragma GCC unroll 6
    for (int i = 0; i < I; ++i)
#pragma GCC unroll 6
      for (int j = 0; j < J; ++j) sum[0][i][j] += sum[split - 1][i][j];
  }
  float* const flat = &out[0][0];
  if (SUMS == SUMS_together && I * J > 1) {
    constexpr int rounds = (I * J + WIDTH - 1) / WIDTH;
#pragma GCC unroll 4
    for (int round = 0; round < rounds; ++round) {
      Vec v[WIDTH];
#pragma GCC unroll 16
      for (int lane = 0; lane < WIDTH; ++lane) {
        const int at = round * WIDTH + lane;
        v[lane] = at < I * J ? sum[0][at / J % I][at % J] : vm::splat<WIDTH>(0.0f);
      }
      const Vec total = sums_together<WIDTH>(v);
      if ((round + 1) * WIDTH <= I * J)
        vm::store<WIDTH>(flat + round * WIDTH, total);
      else
        vm::store_part<WIDTH>(flat + round * WIDTH, total, I * J - round * WIDTH);
    }
  } else {
#pragma GCC unroll 6
    for (int i = 0; i < I; ++i)
#pragma GCC unroll 6
      for (int j = 0; j < J; ++j) out[i][j] = vm::sum<WIDTH>(sum[0][i][j]);
  }
  if (d < dim) {
    for (int i = 0; i < I; ++i)
      for (int j = 0; j < J; ++j)
        for (std::size_t t = d; t < dim; ++t) out[i][j] += a[i * dim + t] * b[j * dim + t];
  }
}

std::size_t triangle(std::size_t i) { return i * (i - 1) / 2; }

/// Lanes along the dimension.
void by_dimension(const float* x, float* y, std::size_t features, std::size_t dim) {
  const auto single = [&](std::size_t i, std::size_t j) {
    float one[1][1];
    dots<1, 1>(x + i * dim, x + j * dim, dim, one);
    y[triangle(i) + j] = one[0][0];
  };
  for (std::size_t i = 0; i < features; i += ti) {
    const std::size_t last = least(i + ti, features) - 1;  // row `last` has the most pairs
    std::size_t j = 0;
    if (i + ti <= features) {
      // Whole tiles while every pair lies below the diagonal, or while the tile touches the triangle at all.
      const std::size_t end = DIAGONAL == DIAGONAL_tile ? last : i;
      for (; j < end && j + tj <= (DIAGONAL == DIAGONAL_tile ? features : end); j += tj) {
        float out[ti][tj];
        dots<ti, tj>(x + i * dim, x + j * dim, dim, out);
        for (std::size_t r = i; r <= last; ++r)
          for (std::size_t c = j; c < least(j + tj, r); ++c) y[triangle(r) + c] = out[r - i][c - j];
      }
    }
    for (std::size_t r = i; r <= last; ++r)
      for (std::size_t c = j; c < r; ++c) single(r, c);
  }
}

/// Memory that grows and stays with its thread.
struct Scratch {
  float* data = nullptr;
  std::size_t size = 0;
  float* at_least(std::size_t floats) {
    if (floats > size) {
      std::free(data);
      size = (floats + 15) / 16 * 16;
      data = static_cast<float*>(std::aligned_alloc(64, size * sizeof(float)));
    }
    return data;
  }
};
thread_local Scratch transposed;

/// Lanes across the features j: the sample transposed to [d][feature], features padded to whole tiles.
void by_pairs(const float* x, float* y, std::size_t features, std::size_t dim) {
  constexpr std::size_t wide = TJ * WIDTH;
  const std::size_t pitch = (features + wide - 1) / wide * wide;
  float* const t = transposed.at_least(pitch * dim);
  for (std::size_t d = 0; d < dim; ++d) {
    for (std::size_t f = 0; f < features; ++f) t[d * pitch + f] = x[f * dim + d];
    for (std::size_t f = features; f < pitch; ++f) t[d * pitch + f] = 0.0f;
  }
  for (std::size_t i = 0; i < features; i += ti) {
    const std::size_t last = least(i + ti, features) - 1;
    for (std::size_t j = 0; j < last; j += wide) {
      Vec sum[ti][tj];
#pragma GCC unroll 6
      for (int r = 0; r < ti; ++r)
#pragma GCC unroll 6
        for (int c = 0; c < tj; ++c) sum[r][c] = vm::splat<WIDTH>(0.0f);
      const float* left[ti];
      for (int r = 0; r < ti; ++r) left[r] = x + least(i + r, last) * dim;  // a missing row repeats the last
#pragma GCC unroll k_unroll
      for (std::size_t d = 0; d < dim; ++d) {
        Vec right[tj];
#pragma GCC unroll 6
        for (int c = 0; c < tj; ++c) right[c] = vm::load<WIDTH>(t + d * pitch + j + c * WIDTH);
#pragma GCC unroll 6
        for (int r = 0; r < ti; ++r)
#pragma GCC unroll 6
          for (int c = 0; c < tj; ++c) sum[r][c] += left[r][d] * right[c];
      }
      for (std::size_t r = i; r <= last; ++r)
        for (int c = 0; c < tj; ++c) {
          const std::size_t from = j + c * WIDTH;
          if (from >= r) break;
          float* to = y + triangle(r) + from;
          if (from + WIDTH <= r)
            vm::store<WIDTH>(to, sum[r - i][c]);
          else
            vm::store_part<WIDTH>(to, sum[r - i][c], r - from);
        }
    }
  }
}

}  // namespace

extern "C" void kernel(const float* x, float* y, std::size_t batch, std::size_t features, std::size_t dim) {
  const std::size_t sample = features * dim, pairs = features * (features - 1) / 2;
  for (std::size_t b = 0; b < batch; ++b, x += sample, y += pairs) {
    if (PREFETCH)
      for (std::size_t t = 0; t < sample; t += 16) __builtin_prefetch(x + sample + t);
    if (LANES == LANES_dimension)
      by_dimension(x, y, features, dim);
    else
      by_pairs(x, y, features, dim);
  }
}
