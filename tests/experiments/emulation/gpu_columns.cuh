#pragma once
// Replaces configs/tasks/recsys/include/gpu_columns.cuh: the same functions, written from PTX's
// description of wgmma.mma_async and of tensor copies.

#include "gpu_warpgroup.cuh"

inline void copy_box(half_bits* to, const TensorMap& map, int column, int row, int layer, Barrier& arrived) {
  trap_unless(std::uintptr_t(to) % 1024 == 0);
  const emulated::BoxCopy copy{reinterpret_cast<unsigned char*>(to), &map, {column, row, layer}, 3, &arrived};
  static bool late = false;
  late = !late;
  if (late) {
    emulated::boxes_on_their_way.push_back(copy);
  } else {
    emulated::bring(copy);
    arrived.arrived(int(map.box[0] * map.box[1] * map.box[2] * 2));
  }
}

inline void copy_out(void* to, const void* from, int bytes) {
  trap_unless(std::uintptr_t(to) % 16 == 0 && std::uintptr_t(from) % 16 == 0 && bytes % 16 == 0);
  std::memcpy(to, from, bytes);
}
inline void wait_copied_out() {}
inline void shown_to_copies() {}

inline void meet_warpgroup(int group) {
  static emulated::Barrier barriers[8];
  emulated::wait_at(barriers[group], 128);
}

struct Columns {
  const unsigned char* box;  // the first one
  int rows;                  // of a box
  int row;

  template <int ROWS> static Columns of(const half_bits* box, int i) {
    return {reinterpret_cast<const unsigned char*>(box), ROWS, 16 * i};
  }
  float at(int k, int column) const {
    half_bits bits;
    const std::size_t byte = (row + k) * 128 + column % 64 * 2;
    std::memcpy(&bits, box + column / 64 * rows * 128 + emulated::swizzled_128(byte), 2);
    return Binary16::widened(bits);
  }
};

template <int N> void multiply(WideSums<N>& sums, const Left& a, Columns b, bool more) {
  emulated::with_values_of_warp(a, [&](const Left* of) {
    const int g = emulated::lane() / 4, q = emulated::lane() % 4;
    for (int i = 0; i < N / 2; ++i) {
      float sum = more ? sums.v[i] : 0;
      for (int k = 0; k < 16; ++k) {
        const unsigned pair = of[g * 4 + k % 8 / 2].r[i % 4 / 2 + k / 8 * 2];
        sum += Binary16::widened(half_bits(pair >> 16 * (k % 2))) * b.at(k, i / 4 * 8 + 2 * q + i % 2);
      }
      sums.v[i] = sum;
    }
  });
}
