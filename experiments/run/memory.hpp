#pragma once
// From a snapshot of lessons to those that a run may tell.

#include <string>
#include <vector>

#include "experiments/evaluators/evaluator_kind.hpp"
#include "experiments/experiment.hpp"

namespace ke {

/// Lessons of the snapshot in the subject's language; without those of its own family, unless the
/// plan says so, and without what the plan excludes. The file is looked for below `beside`, then
/// below the working folder. Error: as of `read_lessons`, at the place of the option.
Result<std::vector<Passage>> remembered(const MemoryPlan& memory, const Subject& subject,
                                        const std::string& beside);

}  // namespace ke
