#include "fitness/task.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace ke {

// Rounding must not cost an element: 0.9 of 10 elements are 9.
std::int64_t Tolerance::most_misses(std::int64_t elements) const {
  const auto count = static_cast<double>(elements);
  return elements - static_cast<std::int64_t>(std::ceil(matched_ratio * count - 1e-12 * count));
}

Result<std::int64_t> Task::value(const Expression& expression, const Workload& workload) const {
  return expression.evaluate([&](std::string_view word) -> std::optional<std::int64_t> {
    const std::string key(word);
    if (const auto axis = workload.axes.find(key); axis != workload.axes.end()) return axis->second;
    if (const auto fixed = constants.find(key); fixed != constants.end()) return fixed->second;
    return std::nullopt;
  });
}

Result<std::int64_t> Task::elements(const TensorSpec& tensor, const Workload& workload) const {
  std::int64_t product = 1;
  for (const Expression& dimension : tensor.shape) {
    KE_TRY(const std::int64_t length, value(dimension, workload));
    if (length < 1 || product > std::numeric_limits<std::int64_t>::max() / 16 / length) {
      return Error{Failure::config, fmt::format("dimension {} = {} of tensor '{}' at {}: too {}",
                                                dimension.text(), length, tensor.name,
                                                workload.label, length < 1 ? "small" : "large")};
    }
    product *= length;
  }
  return product;
}

std::vector<const Workload*> Task::test_workloads() const {
  std::vector<const Workload*> list;
  for (const Workload& workload : workloads) {
    if (workload.role == Role::test || has_one_shape()) list.push_back(&workload);
  }
  return list;
}

std::vector<std::string> Task::labels(Role role) const {
  std::vector<std::string> labels;
  for (const Workload& workload : workloads) {
    if (workload.role == role) labels.push_back(workload.label);
  }
  return labels;
}

const std::string* Task::kernel_source(std::string_view wanted) const {
  const auto named = [&](const auto& list, std::string_view key) {
    return std::find_if(list.begin(), list.end(),
                        [&](const auto& item) { return item.first == key; });
  };
  if (const auto kernel = named(kernels, wanted); kernel != kernels.end()) return &kernel->second;
  if (const auto port = named(ports, wanted); port != ports.end()) return &port->second;
  const auto stem = named(stems, wanted);
  if (stem == stems.end()) return nullptr;
  const auto kernel = named(kernels, stem->second);
  return kernel == kernels.end() ? nullptr : &kernel->second;
}

std::string Task::language_of(std::string_view kernel) const {
  const bool is_port = std::any_of(ports.begin(), ports.end(),
                                   [&](const auto& item) { return item.first == kernel; });
  return is_port ? std::string(kernel) : language;
}

Result<Task> in_language(Task task, std::string_view language) {
  if (task.language == language) return task;
  const std::string* port = task.kernel_source(language);
  if (port == nullptr || task.language_of(language) != language) {
    return Error{Failure::config,
                 fmt::format("task '{}' has kernels in {} and none in {}: 'kernels.{}' of its "
                             "task.yaml names no file",
                             task.name, task.language, language, language)};
  }
  task.language = language;
  task.kernels = {{"naive", *task.kernel_source("naive")}, {"anchor", *port}};
  return task;
}

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
