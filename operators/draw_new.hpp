#pragma once
// Draws a random kernel that the run has not seen, for operators without parents.

#include "core/operator.hpp"

namespace ke {

/// Draws a point that is new to the run, uniformly from the space of a uniformly drawn seed kernel.
/// Answers NoChild{no_seeds}, NoChild{constraints} when it found no admitted point, or
/// NoChild{all_seen} when it found no new one.
Outcome draw_new(const Context& context, RandomStream& random);

}  // namespace ke
