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

constexpr int draws = 3;  // at the size of a rounding error
constexpr int far_smaller_draws = 2;
constexpr double far_smaller = 0x1p-10;
constexpr double proportional = 32;  // a jump does not shrink with the inputs' change
constexpr double most_terms = 1 << 16;
constexpr double of_formula = 2;             // another order of the same operations
constexpr std::size_t least_looked_at = 64;  // elements: a few changes may all be small by chance

/// Relative sizes of a rounding error of the arithmetic that kernels are expected to use, and of
/// the change of inputs that measures its effect: the oracle computes in double precision itself.
struct Rounding {
  double error = 0x1p-24, measured = 0x1p-24;
};

Rounding rounding_of(const Task& task) {
  const auto is_double = [](const TensorSpec& spec) { return spec.dtype == Dtype::float64; };
  if (std::ranges::any_of(task.tensors, is_double)) return {0x1p-53, 0x1p-33};
  return {};
}

bool is_single(const Task& task) {
  return std::ranges::all_of(task.tensors, [](const TensorSpec& spec) {
    return !is_float(spec.dtype) || spec.dtype == Dtype::float32;
  });
}

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
Outputs errors_as_written(const Content& content) {
  Outputs errors = no_changes(content);
  if (!is_single(*content.task)) return errors;
  const auto outputs = outputs_of(content, true, [](std::span<double>) {});
  if (outputs) add_changes(content, *outputs, errors);
  return errors;
}

double terms_of(const Content& content) {
  double most = 1;
  for (std::size_t t = 0; t < content.inputs.size(); ++t) {
    if (is_int(content.task->tensors[t].dtype)) continue;
    most = std::max(most, static_cast<double>(content.shapes->tensors[t].elements));
  }
  return std::min(most, most_terms);
}

/// Gives neighbouring rows of few elements their largest change.
void share_among_short_rows(const Content& content, Outputs& changes) {
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
  const Rounding rounding = rounding_of(*content.task);
  auto room = largest_changes(content, rounding.measured, draws, *random);
  auto small =
      largest_changes(content, rounding.measured * far_smaller, far_smaller_draws, *random);
  if (!room || !small) return {};
  share_among_short_rows(content, *room);
  share_among_short_rows(content, *small);
  const Outputs written = errors_as_written(content);
  const double factor = std::sqrt(terms_of(content)) * rounding.error / rounding.measured;
  for (std::size_t o = 0; o < room->size(); ++o) {
    for (std::size_t r = 0; r < (*room)[o].size(); ++r) {
      double& one = (*room)[o][r];
      const double scaled = (*small)[o][r] / far_smaller;
      const bool jumps = scaled > proportional * one || one > proportional * scaled;
      one = std::max(jumps ? 0 : one * factor, of_formula * written[o][r]);
    }
  }
  return *std::move(room);
}

}  // namespace

const std::vector<std::vector<double>>& rounding_room(const Content& content) {
  static const Outputs none;
  if (content.room == nullptr || content.reference == nullptr) return none;
  std::call_once(content.room->once, [&] { content.room->rows = measured_room(content); });
  return content.room->rows;
}

}  // namespace ke
