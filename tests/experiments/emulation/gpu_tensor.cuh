#pragma once
// Replaces configs/tasks/recsys/include/gpu_tensor.cuh: the same functions, written from PTX's
// description of mma.m16n8k16 and mma.m16n8k8, ldmatrix and cp.async. Every other copy arrives at
// once, the rest as late as allowed.

#include "cuda_block.cuh"

typedef unsigned short half_bits;

struct Left { unsigned r[4]; };
struct Right { unsigned r[2]; };
struct Sums { float v[4]; };

inline void trap_unless(bool good) {
  if (!good) __builtin_trap();
}

struct Binary16 {
  static float widened(half_bits bits) {
    _Float16 value;
    std::memcpy(&value, &bits, sizeof value);
    return float(value);
  }
  static half_bits narrowed(float value) {
    const auto half = _Float16(value);
    half_bits bits;
    std::memcpy(&bits, &half, sizeof bits);
    return bits;
  }
};

struct UpperHalf {
  static float widened(half_bits bits) { return __uint_as_float(unsigned(bits) << 16); }
  static half_bits narrowed(float value) {
    unsigned bits;
    std::memcpy(&bits, &value, sizeof bits);
    if (value != value) return 0x7fc0;
    return half_bits((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
  }
};

template <typename Type> struct TensorCore {
  static half_bits part(unsigned pair, int which) { return half_bits(pair >> 16 * which); }

  static void multiply(Sums& sums, const Left& a, const Right& b) {
    struct Both { Left a; Right b; };
    emulated::with_values_of_warp(Both{a, b}, [&](const Both* of) {
      const int g = emulated::lane() / 4, q = emulated::lane() % 4;
      for (int v = 0; v < 4; ++v)
        for (int k = 0; k < 16; ++k) {
          const int row = g + v / 2 * 8, column = 2 * q + v % 2, holder = k % 8 / 2;
          const unsigned left = of[row % 8 * 4 + holder].a.r[row / 8 + k / 8 * 2];
          const unsigned right = of[column * 4 + holder].b.r[k / 8];
          sums.v[v] += Type::widened(part(left, k % 2)) * Type::widened(part(right, k % 2));
        }
    });
  }
  static float widened(half_bits bits) { return Type::widened(bits); }
  static unsigned pair(float first, float second) {
    return Type::narrowed(first) | unsigned(Type::narrowed(second)) << 16;
  }
};
using Float16 = TensorCore<Binary16>;
using Bfloat16 = TensorCore<UpperHalf>;

template <int N> struct Split {
  unsigned high[N], low[N];

  void set(int i, float value) {
    const float rounded = seen(__float_as_uint(value));
    high[i] = __float_as_uint(rounded);
    low[i] = __float_as_uint(value - rounded);
  }
  static float seen(unsigned bits) { return __uint_as_float(bits >> 13 << 13); }  // ten fraction bits
};

template <int M, int N> void clear(Sums (&sums)[M][N]) {
  for (int i = 0; i < M; ++i)
    for (int j = 0; j < N; ++j) sums[i][j] = {};
}
template <int M, int N> void add(Sums (&sums)[M][N], const Sums (&more)[M][N]) {
  for (int i = 0; i < M; ++i)
    for (int j = 0; j < N; ++j)
      for (int v = 0; v < 4; ++v) sums[i][j].v[v] += more[i][j].v[v];
}

struct Float32 {
  static constexpr int parts = 3;

  /// Rounds towards zero like tensor cores.
  static float towards_zero(double value) {
    const auto nearest = float(value);
    return std::abs(double(nearest)) > std::abs(value) ? std::nextafterf(nearest, 0.0f) : nearest;
  }

  static void multiply(int part, Sums& sums, const Split<4>& a, const Split<2>& b) {
    multiply(reinterpret_cast<Sums(&)[1][1]>(sums), reinterpret_cast<const Split<4>(&)[1]>(a),
             reinterpret_cast<const Split<2>(&)[1]>(b), part, part + 1);
  }
  template <int M, int N>
  static void multiply(Sums (&sums)[M][N], const Split<4> (&a)[M], const Split<2> (&b)[N], int from = 0,
                       int to = parts) {
    struct Both { Split<4> a[M]; Split<2> b[N]; } own;
    std::copy_n(a, M, own.a);
    std::copy_n(b, N, own.b);
    emulated::with_values_of_warp(own, [&](const Both* of) {
      const int g = emulated::lane() / 4, q = emulated::lane() % 4;
      for (int tile = 0; tile < M * N; ++tile)
        for (int part = from; part < to; ++part)
          for (int v = 0; v < 4; ++v) {
            float& into = sums[tile / N][tile % N].v[v];
            double sum = into;
            for (int k = 0; k < 8; ++k) {
              const int row = g + v / 2 * 8, column = 2 * q + v % 2, at = row / 8 + k / 4 * 2;
              const Split<4>& left = of[row % 8 * 4 + k % 4].a[tile / N];
              const Split<2>& right = of[column * 4 + k % 4].b[tile % N];
              sum += double(Split<4>::seen(part == 0 ? left.low[at] : left.high[at])) *
                     Split<2>::seen(part == 1 ? right.low[k / 4] : right.high[k / 4]);
            }
            into = towards_zero(sum);
          }
    });
  }
};

template <bool TURNED> void load_tiles(unsigned (&r)[4], const half_bits* row) {
  trap_unless(std::uintptr_t(row) % 16 == 0);
  emulated::with_values_of_warp(row, [&](const half_bits* const* rows) {
    const int g = emulated::lane() / 4, q = emulated::lane() % 4;
    for (int i = 0; i < 4; ++i) {
      const half_bits* const* tile = rows + 8 * i;
      r[i] = TURNED ? tile[2 * q][g] | unsigned(tile[2 * q + 1][g]) << 16
                    : tile[g][2 * q] | unsigned(tile[g][2 * q + 1]) << 16;
    }
  });
}

inline void clear16(void* to) {
  trap_unless(std::uintptr_t(to) % 16 == 0);
  std::memset(to, 0, 16);
}
inline void copy_ahead(void* to, const void* from) {
  trap_unless(std::uintptr_t(to) % 16 == 0 && std::uintptr_t(from) % 16 == 0);
  static bool late = false;
  late = !late;
  if (late)
    emulated::block.running->open.push_back({to, from});
  else
    std::memcpy(to, from, 16);
}
inline void copy_ahead_if(bool inside, void* to, const void* from) {
  if (inside) copy_ahead(to, from);
  else clear16(to);
}
inline void end_group() {
  emulated::Thread& thread = *emulated::block.running;
  thread.groups.push_back(std::exchange(thread.open, {}));
}
template <int LEFT> void wait_groups() {
  auto& groups = emulated::block.running->groups;
  while (int(groups.size()) > LEFT) {
    for (const emulated::Copy& copy : groups.front()) std::memcpy(copy.to, copy.from, 16);
    groups.erase(groups.begin());
  }
}
