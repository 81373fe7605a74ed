#pragma once
// Compares one arm with the reference. Private to compare.

#include "experiments/study/compare/comparison.hpp"
#include "experiments/study/compare/samples.hpp"

namespace ke {

/// A contrast before adjustment for its family, with a note on its limits.
struct RawContrast {
  Contrast contrast;
  std::string note;  ///< "" = none
};

/// Bootstraps with the random stream of this number in the analysis.
statistics::BootstrapInterval interval_of(
    const Analysis& analysis, const statistics::Hierarchy& hierarchy, std::int64_t stream,
    statistics::BootstrapMethod method = statistics::BootstrapMethod::studentized);

/// Compares one arm with the reference. `family` counts the contrasts adjusted together; `stream`
/// numbers this one.
RawContrast contrast_of(const Analysis& analysis, const ArmSample& arm, const ArmSample& reference,
                        int family, std::int64_t stream);

/// Converts a gain to an effect: a ratio on the log scale; arm over reference in the endpoint's own
/// direction.
double effect_of(const Analysis& analysis, double gain);

}  // namespace ke
