#include "fitness/host/bandwidth.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "fitness/timing/clock.hpp"

namespace ke {
namespace {

constexpr std::size_t smallest_bytes = std::size_t{1} << 12;
constexpr std::size_t largest_bytes = std::size_t{1} << 26;
constexpr std::size_t bytes_per_pass = std::size_t{1} << 22;

// Reading alone can be faster per byte than copying; memchr for an absent byte is the fastest
// reader available.
double measure_reads(std::size_t bytes) {
  const std::vector<char> from(bytes, 1);
  const std::size_t repeats = std::max<std::size_t>(bytes_per_pass / bytes, 1);
  double best = 0;
  for (int pass = 0; pass < 8; ++pass) {
    const std::int64_t before = now_ns();
    for (std::size_t i = 0; i < repeats; ++i) {
      const void* volatile found = std::memchr(from.data(), 7, bytes);
      static_cast<void>(found);
    }
    const auto took = static_cast<double>(std::max<std::int64_t>(now_ns() - before, 1));
    best = std::max(best, static_cast<double>(bytes * repeats) / took);
  }
  return best;
}

double measure_copies(std::size_t bytes) {
  const std::size_t half = bytes / 2;
  std::vector<char> from(half, 1), to(half, 2);
  const std::size_t repeats = std::max<std::size_t>(bytes_per_pass / bytes, 1);
  double best = 0;
  for (int pass = 0; pass < 8; ++pass) {
    const std::int64_t before = now_ns();
    for (std::size_t i = 0; i < repeats; ++i) {
      std::memcpy(to.data(), from.data(), half);
      asm volatile("" : : "r"(to.data()) : "memory");
    }
    const auto took = static_cast<double>(std::max<std::int64_t>(now_ns() - before, 1));
    best = std::max(best, static_cast<double>(2 * half * repeats) / took);
  }
  return best;
}

}  // namespace

double Bandwidth::bytes_per_ns(std::size_t bytes) {
  const std::size_t size =
      std::clamp(std::bit_floor(std::max<std::size_t>(bytes, 1)), smallest_bytes, largest_bytes);
  const auto [entry, fresh] = known_.try_emplace(size, 0);
  if (fresh) {
    // A larger set is never faster, so larger sets correct a measurement on a disturbed core.
    entry->second = std::max(measure_copies(size), measure_reads(size));
    for (const auto& [other, speed] : known_) {
      if (other > size) entry->second = std::max(entry->second, speed);
    }
  }
  return entry->second;
}

}  // namespace ke
