#pragma once
// Separates two sources of scatter: the search asks different prompts, and the model answers one
// prompt in different ways.

#include <string>
#include <vector>

#include "experiments/study/compare/load.hpp"
#include "experiments/study/statistics/variance_components.hpp"

namespace ke {

/// Gains of one step of an arm's runs. Groups are prompts that several slots of one step sent to a
/// model (llm.repeats); values are the gains of their answers.
struct ArmScatter {
  std::string arm;
  statistics::VarianceComponents found;
};

/// The gain of an answer is ln(child's objective / objective of its best ok parent), or 0 if the
/// child is worse or no kernel, because the search then keeps the parent. Leaves out prompts
/// without an ok parent and arms with fewer than two prompts. Error when no arm is left. O(steps).
Result<std::vector<ArmScatter>> scatter_of_answers(const ComparedRuns& runs);

std::string text_of(const std::vector<ArmScatter>& arms);

}  // namespace ke
