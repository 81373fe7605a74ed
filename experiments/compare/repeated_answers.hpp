#pragma once
// Whose scatter it is: the search's, which asks different prompts, or the model's, which answers
// one prompt in different ways.

#include <string>
#include <vector>

#include "experiments/compare/load.hpp"
#include "experiments/statistics/variance_components.hpp"

namespace ke {

/// Gains of one step of an arm's runs. Groups are the prompts of all its runs that several slots
/// of one step put to a model (llm.repeats), values their answers.
struct ArmScatter {
  std::string arm;
  statistics::VarianceComponents found;
};

/// The gain of an answer is ln(objective of the child / of its best ok parent), and 0 when it is
/// worse or no kernel, as one keeps the parent then. Prompts without an ok parent are left out, and
/// so are arms with fewer than two prompts. Error when no arm is left. O(steps).
Result<std::vector<ArmScatter>> scatter_of_answers(const ComparedRuns& runs);

std::string text_of(const std::vector<ArmScatter>& arms);

}  // namespace ke
