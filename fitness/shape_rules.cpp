#include "fitness/shape_rules.hpp"

#include <algorithm>
#include <numeric>

namespace ke {

std::int64_t common_divisor(const Task& task, const std::string& axis) {
  std::int64_t divisor = 0;
  for (const Workload& workload : task.workloads) {
    divisor = std::gcd(divisor, workload.axes.at(axis));
  }
  return std::max<std::int64_t>(divisor, 1);
}

AxisRange axis_range(const Task& task, const std::string& axis) {
  const auto declared = task.ranges.find(axis);
  if (declared != task.ranges.end()) return declared->second;
  AxisRange range{largest_axis, 1};
  for (const Workload& workload : task.workloads) {
    range.low = std::min(range.low, workload.axes.at(axis));
    range.high = std::max(range.high, workload.axes.at(axis));
  }
  // Launch plans and tolerances of GPU kernels fit the listed lengths, e.g. tile sizes in shared
  // memory or the length of sums in float32. GPU tasks declare a larger range themselves.
  if (task.language == "cpp") range.high = std::min(beyond_listed * range.high, largest_axis);
  return range;
}

std::vector<std::pair<std::string, std::string>> ordered_axes(const Task& task) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const std::string& a : task.axis_arguments) {
    for (const std::string& b : task.axis_arguments) {
      const bool never_longer = std::ranges::all_of(task.workloads, [&](const Workload& workload) {
        return workload.axes.at(a) <= workload.axes.at(b);
      });
      if (never_longer && a != b) pairs.emplace_back(a, b);
    }
  }
  return pairs;
}

bool keeps_order(const Task& task, const AxisLengths& axes) {
  return std::ranges::all_of(ordered_axes(task), [&](const auto& pair) {
    return axes.at(pair.first) <= axes.at(pair.second);
  });
}

}  // namespace ke
