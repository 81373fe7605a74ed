#pragma once
// Reads many run files at once.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <optional>
#include <thread>
#include <vector>

namespace ke {

/// f(i) for each i below `count`, computed on all cores; `f` must be safe to call from several
/// threads.
template <typename F>
auto on_all_cores(std::size_t count, const F& f) {
  std::vector<std::optional<decltype(f(count))>> results(count);
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) results[i] = f(i);
  };
  std::vector<std::jthread> threads;
  const std::size_t cores = std::thread::hardware_concurrency();
  for (std::size_t i = 1; i < std::min(cores, count); ++i) threads.emplace_back(work);
  work();
  threads.clear();
  return results;
}

}  // namespace ke
