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
