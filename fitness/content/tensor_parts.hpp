#pragma once
// Parts of a large tensor, on all processors of this thread.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <span>
#include <thread>
#include <vector>

#include "fitness/content/secret_random.hpp"
#include "fitness/host/host.hpp"

namespace ke {

inline constexpr std::size_t part_elements = std::size_t{1} << 24;

/// Calls `visit(i, part)` for parts of that many elements, on all processors of this thread.
template <typename T, typename Visit>
void in_parts(std::span<T> values, Visit visit) {
  const std::size_t parts = (values.size() + part_elements - 1) / part_elements;
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < parts; i = next++) {
      const std::size_t from = i * part_elements;
      visit(i, values.subspan(from, std::min(part_elements, values.size() - from)));
    }
  };
  std::vector<std::jthread> others;
  for (std::size_t i = 1; i < std::min(parts, usable_cores().size()); ++i)
    others.emplace_back(work);
  work();
}

/// Like `draw(random, part)` for parts of a large tensor, side by side. The values depend on the
/// randomness alone, not on the number of processors.
template <typename T, typename Draw>
void draw_in_parts(SecretRandom& random, std::span<T> values, Draw draw) {
  if (values.size() <= part_elements) return draw(random, values);
  std::vector<SecretRandom> sources;
  for (std::size_t at = 0; at < values.size(); at += part_elements) {
    sources.emplace_back(
        SecretRandom::Seed{random.bits(), random.bits(), random.bits(), random.bits()});
  }
  in_parts(values, [&](std::size_t i, std::span<T> part) { draw(sources[i], part); });
}

}  // namespace ke
