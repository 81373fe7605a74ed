#pragma once
// Results of a screen at the validation workloads. The figures are measures of the evaluation, so
// they are stored, shown and inherited like other measures.

#include <string_view>

#include "core/evaluation.hpp"

namespace ke {

/// Prefix of measures with validation figures. They are not axes.
inline constexpr std::string_view validation_prefix = "validation_";

/// Speedup over the anchor, mean over the validation workloads, and its 95 % interval.
inline constexpr const char* validation_speedup = "validation_speedup";
inline constexpr const char* validation_low = "validation_low";
inline constexpr const char* validation_high = "validation_high";
/// 1 for a specialist: a kernel slower than the anchor at validation.
inline constexpr const char* validation_loses = "validation_loses";

/// Adds the figures; the kernel loses when the whole interval lies below 1 / (1 + min_gain).
void add_validation(double speedup, const Interval& ci, double min_gain, Evaluation& evaluation);

/// Whether the kernel was screened at validation.
bool has_validation(const Evaluation& evaluation);

/// Whether the kernel was screened at validation and lost there.
bool is_specialist(const Evaluation& evaluation);

/// The value used by selection: the objective; for a specialist the smaller of its two speedups.
double worth(const Evaluation& evaluation);

}  // namespace ke
