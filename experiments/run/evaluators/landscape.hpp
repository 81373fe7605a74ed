#pragma once
// Landscapes as subjects of a search; shared by the device kind and the verb `landscape`.

#include <memory>
#include <string>

#include "experiments/run/evaluators/evaluator_kind.hpp"

namespace ke {

/// Finds the file of a landscape by its path or the name of a shipped one (configs/landscapes).
/// Searches `beside` first.
Result<std::string> find_landscape(const std::string& name, const std::string& beside);

/// Makes a search subject from a landscape and the options below `device`.
Result<Subject> landscape_subject(Params& device, std::shared_ptr<const Landscape> landscape,
                                  const std::string& file);

}  // namespace ke
