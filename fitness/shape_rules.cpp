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
  // Launch plans and tolerances of kernels for GPUs are made for the listed lengths: a tile that
  // fits into shared memory, sums of one length in float32. Their tasks say where more is wanted.
  if (task.language == "cpp") range.high = std::min(beyond_listed * range.high, largest_axis);
  return range;
}

bool keeps_order(const Task& task, const AxisLengths& axes) {
  for (const auto& a : axes) {
    for (const auto& b : axes) {
      const bool never_longer = std::ranges::all_of(task.workloads, [&](const Workload& workload) {
        return workload.axes.at(a.first) <= workload.axes.at(b.first);
      });
      if (never_longer && a.second > b.second) return false;
    }
  }
  return true;
}

}  // namespace ke
