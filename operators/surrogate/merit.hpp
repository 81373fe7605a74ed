#pragma once
// A kernel's expected merit, from a model's prediction.

#include "operators/surrogate/extra_trees.hpp"

namespace ke {

/// E[max(0, Y - best)] for Y ~ N(mean, deviation) [Jones1998]. Equal on every machine, with an
/// error below 1e-7 in the normal distribution [Abramowitz1964, 26.2.17].
double expected_improvement(const ExtraTrees::Prediction& prediction, double best);

}  // namespace ke
