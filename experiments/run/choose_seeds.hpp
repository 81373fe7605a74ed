#pragma once
// Which kernels of its task a search starts from.

#include <string>
#include <vector>

#include "core/result.hpp"
#include "experiments/evaluators/evaluator_kind.hpp"

namespace ke {

/// Leaves in `subject.seeds` those that `kernels` names, in its order; all when it names none. The
/// naive kernel may be named too. Errors: config, for a name that the subject does not have.
Result<void> choose_seeds(const std::vector<std::string>& kernels, Subject& subject);

}  // namespace ke
