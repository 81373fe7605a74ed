#pragma once
// Parses command-line words into Arguments with Boost.Program_options.

#include <string>
#include <vector>

#include "experiments/cli/verb.hpp"

namespace ke {

/// The verb's own options and those that every verb has.
std::vector<VerbOption> options_of(const Verb& verb);

/// Parses the words. Errors (Failure::usage) name the option and suggest the nearest one.
Result<Arguments> parse_arguments(const Verb& verb, const std::vector<std::string>& words);

/// Generates the help of one verb from its declaration.
std::string help_text(const Verb& verb);

}  // namespace ke
