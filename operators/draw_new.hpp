#pragma once
// A random kernel that the run has not seen: what operators open with that need no parent.

#include "core/operator.hpp"

namespace ke {

/// Draws a point uniformly from the space of a uniformly drawn seed kernel, among those that are
/// new to the run. Answers NoChild{no_seeds}, NoChild{constraints} when no admitted point was met,
/// or NoChild{all_seen} when no new one was.
Outcome draw_new(const Context& context, RandomStream& random);

}  // namespace ke
