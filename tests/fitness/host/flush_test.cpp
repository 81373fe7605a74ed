#include "fitness/host/arena.hpp"

#include <emmintrin.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>

namespace ke {
namespace {

constexpr std::size_t lines = 256;
struct alignas(64) Line {
  std::size_t next = 0;
};

/// A linked list of lines with a stride of 97 lines, which no prefetcher follows.
std::array<Line, lines> chain() {
  std::array<Line, lines> made;
  for (std::size_t i = 0; i < lines; ++i) made[i].next = (i + 97) % lines;
  return made;
}

double walk_ns(const std::array<Line, lines>& chain) {
  const auto began = std::chrono::steady_clock::now();
  std::size_t at = 0;
  for (std::size_t i = 0; i < lines; ++i) at = chain[at].next;
  const auto took = std::chrono::steady_clock::now() - began;
  EXPECT_EQ(at, 97 * lines % lines);
  return std::chrono::duration<double, std::nano>(took).count();
}

// Other processes only add time, so the fastest walk shows the effect of the caches.
TEST(FlushLines, make_the_next_walk_go_to_memory) {
  const auto way = chain();
  double warm = std::numeric_limits<double>::infinity();
  double cold = warm;
  for (int look = 0; look < 50; ++look) {
    warm = std::min(warm, walk_ns(way));
    flush_lines(std::as_bytes(std::span(way)));
    _mm_mfence();
    cold = std::min(cold, walk_ns(way));
  }
  EXPECT_GT(cold, 3 * warm);
}

}  // namespace
}  // namespace ke
