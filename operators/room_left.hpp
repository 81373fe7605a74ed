#pragma once
// Points of a space that the run has not seen: whether there are any, and drawing one.

#include "core/operator.hpp"

namespace ke {

/// Draws a point that is new to the run, uniformly from the space of a uniformly drawn seed kernel.
/// Answers NoChild{no_seeds}, NoChild{constraints} when it found no admitted point, or
/// NoChild{all_seen} when it found no new one.
Outcome draw_new(const Context& context, RandomStream& random);

/// The genes that may differ from a given kernel's.
enum class Genes { knobs, knobs_and_flags };

/// Whether the space of `kernel` admits a point that is new to the run. Exact for spaces of up to
/// 256 combinations; a larger one counts as having room. `space` may be null: no room. O(points).
bool has_room(const KernelSpace* space, const Kernel& kernel, Genes genes, const Context& context);

/// Whether the space of some seed kernel has room.
bool has_room(std::span<const Seed> seeds, const Context& context);

}  // namespace ke
