#include "fitness/host/flush.hpp"

#include <emmintrin.h>

namespace ke {

void flush_lines(std::span<const std::byte> bytes) {
  constexpr std::size_t line = 64;
  for (std::size_t at = 0; at < bytes.size(); at += line) _mm_clflush(bytes.data() + at);
  if (!bytes.empty()) _mm_clflush(&bytes.back());
}

}  // namespace ke
