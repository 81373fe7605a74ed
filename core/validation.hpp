#pragma once
// What a screen at the validation workloads says of a kernel. The figures are measures of its
// evaluation, so that they are stored, shown and inherited like all others.

#include <string_view>

#include "core/evaluation.hpp"

namespace ke {

/// How the measures begin that hold validation figures. They are no axes.
inline constexpr std::string_view validation_prefix = "validation_";

/// Speedup against the anchor, geometric mean over the validation workloads, and its 95 % interval.
inline constexpr const char* validation_speedup = "validation_speedup";
inline constexpr const char* validation_low = "validation_low";
inline constexpr const char* validation_high = "validation_high";
/// 1 for a specialist: a kernel that loses against the anchor at validation.
inline constexpr const char* validation_loses = "validation_loses";

/// Adds the figures; the kernel loses when the whole interval lies below 1 / (1 + min_gain).
void add_validation(double speedup, const Interval& ci, double min_gain, Evaluation& evaluation);

/// Whether the kernel was screened at validation.
bool has_validation(const Evaluation& evaluation);

/// Whether it was, and lost there.
bool is_specialist(const Evaluation& evaluation);

/// What selection counts: the objective; for a specialist the lesser of its two speedups.
double worth(const Evaluation& evaluation);

}  // namespace ke
