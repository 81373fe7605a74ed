#pragma once
// Chooses the kernels of its task that a search starts from.

#include <string>
#include <vector>

#include "core/result.hpp"
#include "experiments/run/evaluators/evaluator_kind.hpp"

namespace ke {

/// True if the option `kernels` is "none": a language model drafts the initial kernels.
bool starts_from_drafts(const std::vector<std::string>& kernels);

/// Keeps the seeds that `kernels` names, in its order. "all" keeps all; an empty list keeps all but
/// those that earlier searches found. The naive kernel may be named too. "none" keeps no seed, and
/// prompts show `subject.interface`. Error of kind config: an unknown name.
Result<void> choose_seeds(const std::vector<std::string>& kernels, Subject& subject);

}  // namespace ke
