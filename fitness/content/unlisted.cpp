#include "fitness/content/unlisted.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "fitness/shape_rules.hpp"

namespace ke {
namespace {

constexpr int attempts = 32;

Result<std::int64_t> elements_of(const Task& task, const Workload& workload) {
  std::int64_t sum = 0;
  for (const TensorSpec& tensor : task.tensors) {
    KE_TRY(const std::int64_t elements, task.elements(tensor, workload));
    sum += elements;
  }
  return sum;
}

/// A random listed workload with a fitting number of elements, or the smallest of all.
Result<const Workload*> base_of(const Task& task, std::int64_t least, std::int64_t most,
                                SecretRandom& random) {
  std::vector<const Workload*> fitting;
  const Workload* smallest = nullptr;
  std::int64_t fewest = 0;
  for (const Workload& workload : task.workloads) {
    KE_TRY(const std::int64_t elements, elements_of(task, workload));
    if (elements >= least && elements <= most) fitting.push_back(&workload);
    if (smallest != nullptr && elements >= fewest) continue;
    smallest = &workload;
    fewest = elements;
  }
  return fitting.empty() ? smallest : fitting[random.below(fitting.size())];
}

/// Somewhere between the least listed length and that of `base`, with the common divisor.
std::int64_t length_of(const Task& task, const std::string& axis, std::int64_t base,
                       SecretRandom& random) {
  const std::int64_t divisor = common_divisor(task, axis);
  std::int64_t least = base;
  for (const Workload& workload : task.workloads) {
    least = std::min(least, workload.axes.at(axis));
  }
  const auto steps = static_cast<std::uint64_t>((base - least) / divisor);
  return least + divisor * static_cast<std::int64_t>(random.below(steps + 1));
}

}  // namespace

Result<Workload> unlisted_workload(const Task& task, std::int64_t least, std::int64_t most,
                                   SecretRandom& random) {
  KE_TRY(const Workload* const base, base_of(task, least, most, random));
  Workload made{.axes = base->axes, .role = Role::holdout, .label = "a shape of no list"};
  for (int attempt = 0; attempt < attempts; ++attempt) {
    AxisLengths axes = base->axes;
    for (auto& [axis, length] : axes) length = length_of(task, axis, length, random);
    if (!keeps_order(task, axes)) continue;
    made.axes = std::move(axes);
    break;
  }
  return made;
}

}  // namespace ke
