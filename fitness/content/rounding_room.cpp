#include "fitness/content/rounding_room.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <span>

#include "fitness/content/secret_random.hpp"

namespace ke {
namespace {

using Outputs = std::vector<std::vector<double>>;

constexpr double most_terms = 1 << 16;

/// The oracle's outputs for inputs that `edit` changed, in double precision or as written.
template <typename Edit>
std::optional<Outputs> outputs_of(const Content& content, bool as_written, Edit edit) {
  const Task& task = *content.task;
  const auto tensors = content.reference->prepare(task, *content.shapes);
  if (!tensors) return std::nullopt;
  for (std::size_t t = 0; t < content.inputs.size(); ++t) {
    if (is_int(task.tensors[t].dtype)) {
      std::memcpy(tensors->data[t], content.inputs[t].data(), content.inputs[t].size());
      continue;
    }
    const std::span<double> values = tensors->doubles(t);
    widen_all(task.tensors[t].dtype, content.inputs[t], values);
    edit(values);
  }
  if (!content.reference->run(task, *content.shapes, *tensors, content.site, as_written)) {
    return std::nullopt;
  }
  Outputs outputs;
  for (std::size_t o = 0; o < content.expected.size(); ++o) {
    const std::size_t t = content.inputs.size() + o;
    outputs.emplace_back();
    if (!is_float(task.tensors[t].dtype)) continue;
    const std::span<double> values = tensors->doubles(t);
    outputs.back().assign(values.begin(), values.end());
  }
  tensors->process->release();
  return outputs;
}

/// The oracle's outputs for inputs whose elements are off by up to `change` of themselves.
std::optional<Outputs> changed_outputs(const Content& content, double change,
                                       SecretRandom& random) {
  return outputs_of(content, false, [&](std::span<double> values) {
    for (double& value : values) value *= 1 + change * (2 * random.uniform() - 1);
  });
}

/// Raises `largest` to the largest change in each row.
void add_changes(const Content& content, const Outputs& outputs, Outputs& largest) {
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    const auto row = static_cast<std::size_t>(content.facts[o].row);
    for (std::size_t i = 0; i < outputs[o].size(); ++i) {
      const double change = std::abs(outputs[o][i] - content.expected[o][i]);
      double& most = largest[o][i / row];
      if (std::isfinite(change)) most = std::max(most, change);
    }
  }
}

Outputs no_changes(const Content& content) {
  Outputs changes;
  for (const OutputFacts& facts : content.facts) changes.emplace_back(facts.row_rms.size(), 0.0);
  return changes;
}

std::optional<Outputs> largest_changes(const Content& content, double change, int count,
                                       SecretRandom& random) {
  Outputs largest = no_changes(content);
  for (int i = 0; i < count; ++i) {
    const auto outputs = changed_outputs(content, change, random);
    if (!outputs) return std::nullopt;
    add_changes(content, *outputs, largest);
  }
  return largest;
}

/// The largest error in each row of the formula as it is written; 0 where that cannot be asked.
Outputs errors_as_written(const Content& content, const RoomRule& rule) {
  Outputs errors = no_changes(content);
  if (!rule.single) return errors;
  const auto outputs = outputs_of(content, true, [](std::span<double>) {});
  if (outputs) add_changes(content, *outputs, errors);
  return errors;
}

/// Gives neighbouring rows of few elements their largest change.
void share_among_short_rows(const Content& content, std::size_t least_looked_at, Outputs& changes) {
  for (std::size_t o = 0; o < changes.size(); ++o) {
    const auto row = static_cast<std::size_t>(content.facts[o].row);
    const std::size_t rows = (least_looked_at + row - 1) / row;
    for (std::size_t at = 0; at < changes[o].size(); at += rows) {
      const auto group = std::span(changes[o]).subspan(at, std::min(rows, changes[o].size() - at));
      std::ranges::fill(group, std::ranges::max(group));
    }
  }
}

Outputs measured_room(const Content& content) {
  auto random = SecretRandom::from_system();
  if (!random) return {};
  const RoomRule rule = room_rule(*content.task, *content.shapes);
  auto room = largest_changes(content, rule.measured, rule.draws, *random);
  auto small =
      largest_changes(content, rule.measured * rule.far_smaller, rule.far_smaller_draws, *random);
  if (!room || !small) return {};
  const auto least = static_cast<std::size_t>(rule.least_looked_at);
  share_among_short_rows(content, least, *room);
  share_among_short_rows(content, least, *small);
  const Outputs written = errors_as_written(content, rule);
  for (std::size_t o = 0; o < room->size(); ++o) {
    for (std::size_t r = 0; r < (*room)[o].size(); ++r) {
      double& one = (*room)[o][r];
      const double scaled = (*small)[o][r] / rule.far_smaller;
      const bool jumps = scaled > rule.proportional * one || one > rule.proportional * scaled;
      one = std::max(jumps ? 0 : one * rule.factor, rule.of_formula * written[o][r]);
    }
  }
  return *std::move(room);
}

}  // namespace

RoomRule room_rule(const Task& task, const Shapes& shapes) {
  RoomRule rule;
  double terms = 1;
  double error = 0x1p-24;  // of the arithmetic that kernels are expected to use
  for (std::size_t t = 0; t < task.tensors.size(); ++t) {
    const Dtype dtype = task.tensors[t].dtype;
    rule.single = rule.single && (!is_float(dtype) || dtype == Dtype::float32);
    if (dtype == Dtype::float64) {
      error = 0x1p-53;
      rule.measured = 0x1p-33;  // the oracle computes in double precision itself
    }
    if (t < shapes.inputs && is_float(dtype))
      terms = std::max(terms, static_cast<double>(shapes.tensors[t].elements));
  }
  rule.factor = std::sqrt(std::min(terms, most_terms)) * error / rule.measured;
  return rule;
}

const std::vector<std::vector<double>>& rounding_room(const Content& content) {
  static const Outputs none;
  if (content.room == nullptr || content.reference == nullptr) return none;
  std::call_once(content.room->once, [&] { content.room->rows = measured_room(content); });
  return content.room->rows;
}

}  // namespace ke
