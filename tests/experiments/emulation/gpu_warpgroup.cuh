#pragma once
// Replaces the barriers and the copy engine of configs/tasks/recsys/include/gpu_warpgroup.cuh.
// Every other box arrives at once, the rest when somebody waits for them.

#include "gpu_tensor.cuh"
#include "tensor_map.hpp"

#define __grid_constant__
using TensorMap = emulated::TensorMap;

inline std::uintptr_t __cvta_generic_to_shared(const void* at) { return reinterpret_cast<std::uintptr_t>(at); }

namespace emulated {

inline void yield() { swapcontext(&block.running->context, &block.scheduler); }

/// A pending box of a tensor map with `swizzle=128B`.
struct BoxCopy {
  unsigned char* to;
  const TensorMap* map;
  std::int64_t from[most_dims];
  int rank;
  void* barrier;
};
inline std::vector<BoxCopy> boxes_on_their_way;

/// `swizzle=128B`: the position of 16 bytes within a row of 128 depends on the row.
inline std::size_t swizzled_128(std::size_t byte) { return byte ^ (byte >> 7 & 7) << 4; }

inline void bring(const BoxCopy& copy) {
  const std::int64_t* box = copy.map->box;
  std::size_t to = 0;
  for (std::int64_t z = 0; z < box[2]; ++z)
    for (std::int64_t y = 0; y < box[1]; ++y)
      for (std::int64_t x = 0; x < box[0]; ++x, to += 2) {
        const std::int64_t at[] = {copy.from[0] + x, copy.from[1] + y, copy.from[2] + z};
        bool inside = true;
        const unsigned char* from = copy.map->base;
        for (int d = 0; d < copy.rank; ++d) {
          inside = inside && at[d] >= 0 && at[d] < copy.map->dims[d];
          from += at[d] * copy.map->strides[d];
        }
        if (inside) std::memcpy(copy.to + swizzled_128(to), from, 2);
        else std::memset(copy.to + swizzled_128(to), 0, 2);
      }
}

}  // namespace emulated

struct Barrier {
  unsigned short all, left;
  int parity_and_bytes;  // twice the bytes that are missing, plus the parity of the phase

  void begin(int arrivals) {
    all = left = arrivals;
    parity_and_bytes = 0;
  }
  void arrive() {
    trap_unless(left > 0);
    --left;
    finish();
  }
  void arrive_and_expect(int bytes) {
    parity_and_bytes += 2 * bytes;
    arrive();
  }
  void arrived(int bytes) {
    parity_and_bytes -= 2 * bytes;
    trap_unless(parity_and_bytes >= 0);
    finish();
  }
  void finish() {
    if (left > 0 || parity_and_bytes > 1) return;
    left = all;
    parity_and_bytes ^= 1;
  }
  void wait(int parity) {
    auto& waiting = emulated::boxes_on_their_way;
    while ((parity_and_bytes & 1) == parity) {
      const auto mine = std::find_if(waiting.begin(), waiting.end(), [&](auto& copy) { return copy.barrier == this; });
      if (mine == waiting.end()) {
        emulated::yield();
        continue;
      }
      const emulated::BoxCopy copy = *mine;
      waiting.erase(mine);
      emulated::bring(copy);
      arrived(int(copy.map->box[0] * copy.map->box[1] * copy.map->box[2] * 2));
    }
  }
};

inline void barriers_ready() {}
inline void let_next_start() {}
inline void wait_for_previous() {}

template <int N> struct WideSums { float v[N / 2]; };
inline void begin_products() {}
inline void end_products() {}
template <int LEFT> void wait_products() {}
