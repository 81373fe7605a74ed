#pragma once
// Which kernels of its task a search starts from.

#include <string>
#include <vector>

#include "core/result.hpp"
#include "experiments/evaluators/evaluator_kind.hpp"

namespace ke {

/// Whether an option `kernels` is "none": a language model drafts what a search starts from.
bool starts_from_drafts(const std::vector<std::string>& kernels);

/// Leaves in `subject.seeds` those that `kernels` names, in its order; all when it is "all", all
/// but those that earlier searches found when it is empty. The naive kernel may be named too.
/// "none" leaves no seed, and `subject.interface` is what prompts show. Errors: config, for a name
/// that the subject does not have.
Result<void> choose_seeds(const std::vector<std::string>& kernels, Subject& subject);

}  // namespace ke
