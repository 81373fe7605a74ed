#pragma once
// Selects the lessons of a snapshot that a run may use in prompts.

#include <string>
#include <vector>

#include "experiments/run/config/experiment.hpp"
#include "experiments/run/evaluators/evaluator_kind.hpp"

namespace ke {

/// Lessons of the snapshot in the subject's language. Omits those of the subject's own family,
/// unless the plan allows them, and those that the plan excludes. Looks for the file below
/// `beside`, then below the working folder. Errors are those of `read_lessons`, at the place of the
/// option.
Result<std::vector<Passage>> remembered(const MemoryPlan& memory, const Subject& subject,
                                        const std::string& beside);

}  // namespace ke
