#pragma once
// One arm against the reference. Private to compare.

#include "experiments/compare/comparison.hpp"
#include "experiments/compare/samples.hpp"

namespace ke {

/// A contrast before the family is adjusted, with what it cannot say.
struct RawContrast {
  Contrast contrast;
  std::string note;  ///< "" = nothing to say
};

/// A bootstrap of the numbered stream of this analysis.
statistics::BootstrapInterval interval_of(
    const Analysis& analysis, const statistics::Hierarchy& hierarchy, std::int64_t stream,
    statistics::BootstrapMethod method = statistics::BootstrapMethod::studentized);

/// `family` is the number of contrasts that are adjusted together; `stream` numbers this one.
RawContrast contrast_of(const Analysis& analysis, const ArmSample& arm, const ArmSample& reference,
                        int family, std::int64_t stream);

/// A gain on the scale of effects: a ratio on the log scale; arm over reference in the endpoint's
/// own direction.
double effect_of(const Analysis& analysis, double gain);

}  // namespace ke
