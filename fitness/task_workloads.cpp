// Reads a task's workloads: axes, roles and sizes.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "core/text.hpp"
#include "fitness/task_reader.hpp"

namespace ke {
namespace {

constexpr std::int64_t largest_tensor_bytes = std::int64_t{1} << 36;

/// Parses a whole number such as 4096, or a power of ten such as 1e6.
std::optional<std::int64_t> whole_number(const std::string& text) {
  const auto value = number_from<double>(text);
  if (!value || *value != std::floor(*value) || std::abs(*value) > 0x1p53) return std::nullopt;
  return static_cast<std::int64_t>(*value);
}

}  // namespace

void TaskReader::read_workloads() {
  for (Params& p : top_.sections("workloads")) read_workload(p);
  check_roles();
}

void TaskReader::read_workload(Params p) {
  Workload workload;
  std::vector<std::string> parts;
  for (const std::string& axis : task_.axes) {
    if (!is_variable(axis)) continue;
    if (!p.has(axis)) p.fail(axis, "is missing");
    workload.axes[axis] = p.integer(axis, 1, {1, largest_axis}, "length of this axis");
    parts.push_back(fmt::format("{}={}", axis, workload.axes[axis]));
  }
  if (!p.has("role")) p.fail("role", "is missing");
  workload.role = p.choice_of<Role>("role", "test", {"test", "bench", "validation", "holdout"},
                                    "what the workload is for");
  workload.label = parts.empty() ? "one shape" : fmt::format("{}", fmt::join(parts, " "));
  for (const Workload& other : task_.workloads) {
    if (other.axes != workload.axes) continue;
    p.fail("role", parts.empty() ? "repeats the only shape: where no axis varies, the task has one "
                                   "workload, of role bench"
                                 : fmt::format("repeats workload {}", workload.label));
  }
  read_weight(p, workload);
  if (log_.errors.empty()) check_sizes(p, workload);
  task_.workloads.push_back(std::move(workload));
}

// The hash of a task without this key does not mention it, so stored runs still replay.
void TaskReader::read_weight(Params& p, const Workload& workload) {
  if (is_variable("weight") || !p.has("weight")) return;
  if (workload.role == Role::test) p.fail("weight", "stands at role test, which is not timed");
  const double weight =
      p.real("weight", 1, {1e-9, 1e15}, "in the mean of its role, as a count of calls");
  if (weight != 1) task_.mean.weights[workload.label] = weight;
}

void TaskReader::check_sizes(Params& p, const Workload& workload) {
  for (const TensorSpec& spec : task_.tensors) {
    const auto count = task_.elements(spec, workload);
    if (!count) {
      p.fail("role", count.error().message);
    } else if (*count > largest_tensor_bytes / static_cast<std::int64_t>(bytes_of(spec.dtype))) {
      p.fail("role", fmt::format("makes tensor '{}' larger than 64 GiB", spec.name));
    }
    if (spec.output || !is_int(spec.dtype)) continue;
    const auto high = task_.value(spec.range_high, workload);
    if (!high || *high <= spec.range_low || *high - 1 > row_of(spec.dtype).most) {
      p.fail("role", fmt::format("leaves no range of {} for '{}': [{}, {})", to_string(spec.dtype),
                                 spec.name, spec.range_low, spec.range_high.text()));
    }
  }
  const auto row = task_.value(task_.row, workload);
  if (!row || *row < 1) p.fail("role", fmt::format("makes row '{}' less than 1", task_.row.text()));
  for (const Expression* cost : {&task_.bytes, &task_.flops}) {
    const auto value = task_.value(*cost, workload);
    if (!value) p.fail("role", value.error().message);
  }
}

void TaskReader::check_roles() {
  const auto need = [&](Role role, std::size_t least) {
    const std::size_t count = task_.labels(role).size();
    if (count >= least) return;
    top_.fail("workloads",
              fmt::format("has {} of role {}, at least {} needed", count, to_string(role), least));
  };
  need(Role::bench, 1);
  if (!task_.has_one_shape()) need(Role::test, 1);
}

// The hash of a task without this key does not mention it, so stored runs still replay.
void TaskReader::read_ranges() {
  Params ranges = top_.section("ranges");
  for (const std::string& axis : ranges.keys()) {
    const auto known = [&](const std::string& name) { return is_variable(name); };
    std::vector<std::string> names;
    std::ranges::copy_if(task_.axes, std::back_inserter(names), known);
    if (is_variable(axis)) {
      read_range(ranges, axis);
    } else {
      ranges.raw(axis);
      ranges.fail(axis, fmt::format("is no axis that varies{}", suggestion(axis, names)));
    }
  }
}

void TaskReader::read_range(Params& ranges, const std::string& axis) {
  std::vector<std::int64_t> ends;
  const auto texts = ranges.texts(axis, {}, "least and greatest length of this axis");
  for (const std::string& text : texts) {
    const auto end = whole_number(text);
    if (end && *end >= 1 && *end <= largest_axis) ends.push_back(*end);
  }
  if (texts.size() != 2 || ends.size() != 2 || ends[0] > ends[1]) {
    return ranges.fail(axis, fmt::format("= [{}] is not [least, greatest] with 1 <= least <= "
                                         "greatest <= {}",
                                         fmt::join(texts, ", "), largest_axis));
  }
  for (const Workload& workload : task_.workloads) {
    const std::int64_t length = workload.axes.at(axis);
    if (length >= ends[0] && length <= ends[1]) continue;
    ranges.fail(axis,
                fmt::format("= [{}, {}] leaves out workload {}", ends[0], ends[1], workload.label));
  }
  task_.ranges[axis] = {ends[0], ends[1]};
}

}  // namespace ke
