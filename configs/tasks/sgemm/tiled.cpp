// Matrix product by a register tile of MR x (NV * WIDTH), panels of b and a packed or read in place, and blocks of
// KC x NC (b) and MC x KC (a) in an order of choice [Goto2008].
// @task sgemm
// @knob WIDTH int {8, 16} = 8                          floats in a vector
// @knob NV int {1, 2, 3, 4} = 2                           vectors across the register tile
// @knob MR int {4, 6, 8, 12, 14} = 4               rows of the register tile
// @knob KC int {64, 128, 256, 512} = 128    depth of a block
// @knob MC int {2, 8, 32} = 8                   height of a block, in register tiles
// @knob NC int {2, 8, 32} = 8                   width of a block, in register tiles
// @knob PACK_A bool = false                               copy blocks of a into panels of MR rows
// @knob PACK_B bool = true                                copy blocks of b into panels of NV * WIDTH columns
// @knob ORDER enum {jpi, pij, ipj} = jpi             order of the three loops over blocks
// @knob INNER enum {columns_first, rows_first} = columns_first  which register tiles follow each other in a block
// @knob UNROLL int {1, 4} = 1                       steps of k unrolled in the register tile
// @knob PREFETCH_B int {0, 8} = 0                  steps of k ahead
// @require MR * NV + NV + 1 <= 32
// @require WIDTH * NV * NC <= 1024
// @flags -O3 -march=native; -mprefer-vector-width={256,512}; -funroll-loops?; -fno-tree-slp-vectorize?
#include <cstddef>

#include "vector_math.hpp"

namespace {

using Vec = vm::f32<WIDTH>;
constexpr int mr = MR, nv = NV, k_unroll = UNROLL;
constexpr std::size_t nr = NV * WIDTH, mc = MC * MR, nc = NC * nr, kc = KC;

alignas(64) thread_local float panels_b[kc * nc];
alignas(64) thread_local float panels_a[kc * mc];

std::size_t least(std::size_t a, std::size_t b) { return a < b ? a : b; }

/// Where the operands of one register tile lie: element (i, p) of a at a[i * a_row + p * a_step], row p of b at b[p * b_step].
struct Operands {
  const float* a;
  std::size_t a_row, a_step;
  const float* b;
  std::size_t b_step;
};

/// c[0..MR)[0..nr) (+)= a b over `depth` steps.
VM_INLINE void register_tile(Operands o, std::size_t depth, float* c, std::size_t c_row, bool add) {
  Vec sum[mr][nv];
#pragma GCC unroll 16
  for (int i = 0; i < mr; ++i)
#pragma GCC unroll 4
    for (int j = 0; j < nv; ++j) sum[i][j] = vm::splat<WIDTH>(0.0f);
#pragma GCC unroll k_unroll
  for (std::size_t p = 0; p < depth; ++p) {
    Vec row[nv];
#pragma GCC unroll 4
    for (int j = 0; j < nv; ++j) {
      row[j] = vm::load<WIDTH>(o.b + j * WIDTH);
      if (PREFETCH_B > 0 && (j * WIDTH) % 16 == 0) __builtin_prefetch(o.b + PREFETCH_B * o.b_step + j * WIDTH);
    }
#pragma GCC unroll 16
    for (int i = 0; i < mr; ++i) {
      const float a = o.a[i * o.a_row];
#pragma GCC unroll 4
      for (int j = 0; j < nv; ++j) sum[i][j] += a * row[j];
    }
    o.a += o.a_step;
    o.b += o.b_step;
  }
#pragma GCC unroll 16
  for (int i = 0; i < mr; ++i) {
#pragma GCC unroll 4
    for (int j = 0; j < nv; ++j) {
      float* to = c + i * c_row + j * WIDTH;
      vm::store<WIDTH>(to, add ? vm::load<WIDTH>(to) + sum[i][j] : sum[i][j]);
    }
  }
}

__attribute__((noinline)) void whole_tile(Operands o, std::size_t depth, float* c, std::size_t c_row, bool add) {
  if (PACK_A) {  // the strides of packed operands are constants
    o.a_row = 1;
    o.a_step = mr;
  } else {
    o.a_step = 1;
  }
  if (PACK_B) o.b_step = nr;
  register_tile(o, depth, c, c_row, add);
}

/// A tile at the lower or right edge: zero-padded copies of the operands, and a copy of the part of c that exists.
__attribute__((noinline)) void edge_tile(Operands o, std::size_t depth, float* c, std::size_t c_row, bool add,
                                         std::size_t rows, std::size_t columns) {
  alignas(64) static thread_local float a[kc * mr], b[kc * nr], out[mr * nr];
  for (std::size_t p = 0; p < depth; ++p) {
    for (std::size_t i = 0; i < mr; ++i) a[p * mr + i] = i < rows ? o.a[i * o.a_row + p * o.a_step] : 0.0f;
    for (std::size_t j = 0; j < nr; ++j) b[p * nr + j] = j < columns ? o.b[p * o.b_step + j] : 0.0f;
  }
  register_tile({a, 1, mr, b, nr}, depth, out, nr, false);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) {
      const float value = out[i * nr + j];
      c[i * c_row + j] = add ? c[i * c_row + j] + value : value;
    }
}

/// Panels of MR rows (a) or nr columns (b), the short last one padded with zeros.
void pack_a(const float* a, std::size_t k, std::size_t rows, std::size_t depth) {
  float* to = panels_a;
  for (std::size_t i = 0; i < rows; i += mr)
    for (std::size_t p = 0; p < depth; ++p)
      for (std::size_t t = 0; t < mr; ++t) *to++ = i + t < rows ? a[(i + t) * k + p] : 0.0f;
}
void pack_b(const float* b, std::size_t n, std::size_t columns, std::size_t depth) {
  float* to = panels_b;
  for (std::size_t j = 0; j < columns; j += nr) {
    if (j + nr <= columns) {
      for (std::size_t p = 0; p < depth; ++p, to += nr)
        for (int v = 0; v < nv; ++v) vm::store<WIDTH>(to + v * WIDTH, vm::load<WIDTH>(b + p * n + j + v * WIDTH));
    } else {
      for (std::size_t p = 0; p < depth; ++p)
        for (std::size_t t = 0; t < nr; ++t) *to++ = j + t < columns ? b[p * n + j + t] : 0.0f;
    }
  }
}

struct Problem {
  const float *a, *b;
  float* c;
  std::size_t m, n, k;
};

void pack_block_a(const Problem& g, std::size_t i0, std::size_t p0) {
  if (PACK_A) pack_a(g.a + i0 * g.k + p0, g.k, least(mc, g.m - i0), least(kc, g.k - p0));
}
void pack_block_b(const Problem& g, std::size_t p0, std::size_t j0) {
  if (PACK_B) pack_b(g.b + p0 * g.n + j0, g.n, least(nc, g.n - j0), least(kc, g.k - p0));
}

void tile(const Problem& g, std::size_t i0, std::size_t j0, std::size_t p0, std::size_t i, std::size_t j) {
  const std::size_t depth = least(kc, g.k - p0);
  const std::size_t rows = least(mr, g.m - i), columns = least(nr, g.n - j);
  const float* a = PACK_A ? panels_a + (i - i0) * depth : g.a + i * g.k + p0;
  const float* b = PACK_B ? panels_b + (j - j0) * depth : g.b + p0 * g.n + j;
  const Operands o = {a, PACK_A ? 1 : g.k, PACK_A ? mr : std::size_t{1}, b, PACK_B ? nr : g.n};
  float* c = g.c + i * g.n + j;
  if (rows == mr && columns == nr)
    whole_tile(o, depth, c, g.n, p0 > 0);
  else
    edge_tile(o, depth, c, g.n, p0 > 0, rows, columns);
}

/// All register tiles of one block.
void block(const Problem& g, std::size_t i0, std::size_t j0, std::size_t p0) {
  const std::size_t i1 = least(i0 + mc, g.m), j1 = least(j0 + nc, g.n);
  if (INNER == INNER_rows_first) {
    for (std::size_t j = j0; j < j1; j += nr)
      for (std::size_t i = i0; i < i1; i += mr) tile(g, i0, j0, p0, i, j);
  } else {
    for (std::size_t i = i0; i < i1; i += mr)
      for (std::size_t j = j0; j < j1; j += nr) tile(g, i0, j0, p0, i, j);
  }
}

}  // namespace

extern "C" void kernel(const float* a, const float* b, float* c, std::size_t m, std::size_t n, std::size_t k) {
  const Problem g = {a, b, c, m, n, k};
  if (ORDER == ORDER_jpi) {
    for (std::size_t j = 0; j < n; j += nc)
      for (std::size_t p = 0; p < k; p += kc) {
        pack_block_b(g, p, j);
        for (std::size_t i = 0; i < m; i += mc) {
          pack_block_a(g, i, p);
          block(g, i, j, p);
        }
      }
  } else if (ORDER == ORDER_pij) {
    for (std::size_t p = 0; p < k; p += kc)
      for (std::size_t i = 0; i < m; i += mc) {
        pack_block_a(g, i, p);
        for (std::size_t j = 0; j < n; j += nc) {
          pack_block_b(g, p, j);
          block(g, i, j, p);
        }
      }
  } else {
    for (std::size_t i = 0; i < m; i += mc)
      for (std::size_t p = 0; p < k; p += kc) {
        pack_block_a(g, i, p);
        for (std::size_t j = 0; j < n; j += nc) {
          pack_block_b(g, p, j);
          block(g, i, j, p);
        }
      }
  }
}
