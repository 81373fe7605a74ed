#include "fitness/content/compare_rule.hpp"

#include <algorithm>
#include <cmath>

namespace ke {
namespace {

/// Edits make elements so much larger than a task's classes that their rounding alone would exceed
/// an absolute limit: there the limit grows with the largest element, so that an answer to the
/// content before the edit stays too far off.
double max_error(const FreshContent& content, const OutputFacts& facts, const CompareRule& rule) {
  const double stated = content.shapes().tolerance_factor * content.task().tolerance.max_error;
  if (std::isinf(stated) || !content.entry->label.ends_with(", edited")) return stated;
  const double rounded = (rule.relative + rule.rounding + rule.scale) * facts.largest + rule.floor;
  return std::max(stated, rounded);
}

/// A norm over few elements averages nothing, so there each element's own limit decides.
double norm_limit(const Tolerance& tolerance, std::size_t elements) {
  constexpr double few = 64;
  const double part = std::max(1.0, few / static_cast<double>(std::max<std::size_t>(elements, 1)));
  return std::max(tolerance.relative_l2, std::min(tolerance.relative + tolerance.scale,
                                                  tolerance.relative_l2 * std::sqrt(part)));
}

}  // namespace

CompareRule compare_rule(const FreshContent& content, std::size_t output) {
  const Task& task = content.task();
  const Dtype dtype = task.tensors[content.shapes().inputs + output].dtype;
  const FloatFormat format = format_of(dtype);
  const OutputFacts& facts = content.entry->facts[output];
  // Only float32's exponent range justifies flushing; with float16 it would hide errors of 2^-12.
  const bool flush = task.subnormals == Subnormals::flush && dtype != Dtype::float16;
  CompareRule rule;
  rule.inverse = 1 / content.output_factors[output];
  const double factor = content.shapes().tolerance_factor;
  rule.relative = factor * task.tolerance.relative;
  rule.rounding = is_half(dtype) ? 1.5 * format.epsilon : 0;
  rule.scale = factor * task.tolerance.scale;
  rule.floor = 4 * (flush ? format.least_normal : format.least) * std::abs(rule.inverse);
  const double floor = rule.floor / facts.unit;
  // A transform scales outputs exactly, and these with them: verdicts do not depend on it.
  rule.floor += factor * task.tolerance.absolute;
  rule.max_error = max_error(content, facts, rule);
  rule.overflow = format.largest * std::abs(rule.inverse) * (1 - rule.relative - rule.rounding);
  const auto elements =
      static_cast<std::size_t>(content.shapes().tensors[content.shapes().inputs + output].elements);
  const double norm = factor * norm_limit(task.tolerance, elements) + rule.rounding;
  rule.allowed_squares = std::isinf(norm) ? norm
                                          : norm * norm * facts.sum_squares +
                                                static_cast<double>(elements) * floor * floor;
  rule.most_misses = task.tolerance.most_misses(static_cast<std::int64_t>(elements));
  rule.skips_nonfinite = task.nonfinite == Nonfinite::unspecified;
  return rule;
}

}  // namespace ke
