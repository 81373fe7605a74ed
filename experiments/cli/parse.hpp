#pragma once
// From words to Arguments, by Boost.Program_options.

#include <string>
#include <vector>

#include "experiments/cli/verb.hpp"

namespace ke {

/// Options of a verb with those that every verb has.
std::vector<VerbOption> options_of(const Verb& verb);

/// Errors (Failure::usage) name the option and suggest the nearest one.
Result<Arguments> parse_arguments(const Verb& verb, const std::vector<std::string>& words);

/// Help of one verb, made from its declaration.
std::string help_text(const Verb& verb);

}  // namespace ke
