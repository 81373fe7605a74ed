#include "fitness/task.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ke {

// Rounding must not cost an element: 0.9 of 10 elements are 9.
std::int64_t Tolerance::most_misses(std::int64_t elements) const {
  const auto count = static_cast<double>(elements);
  return elements - static_cast<std::int64_t>(std::ceil(matched_ratio * count - 1e-12 * count));
}

std::string_view to_string(Role role) {
  constexpr std::string_view names[] = {"test", "bench", "validation", "holdout"};
  return names[static_cast<std::size_t>(role)];
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

}  // namespace ke
