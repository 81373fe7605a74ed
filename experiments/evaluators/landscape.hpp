#pragma once
// Landscapes as subjects of a search: what the device kind and the verb `landscape` share.

#include <memory>
#include <string>

#include "experiments/evaluators/evaluator_kind.hpp"

namespace ke {

/// The file of a landscape given by path or by the name of a shipped one (configs/landscapes).
/// `beside` is searched first.
Result<std::string> find_landscape(const std::string& name, const std::string& beside);

/// A landscape with the options below `device` as something to search.
Result<Subject> landscape_subject(Params& device, std::shared_ptr<const Landscape> landscape,
                                  const std::string& file);

}  // namespace ke
