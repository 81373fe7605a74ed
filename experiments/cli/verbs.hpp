#pragma once
// Declares one function for each line of verbs.def.

#include "experiments/cli/verb.hpp"

namespace ke::verbs {
#define KE_VERB(name) Verb name();
#include "experiments/cli/verbs/verbs.def"
#undef KE_VERB
}  // namespace ke::verbs
