#pragma once
// Whether a space contains points that the run has not seen.

#include "core/operator.hpp"

namespace ke {

/// The genes that may differ from a given kernel's.
enum class Genes { knobs, knobs_and_flags };

/// Whether the space of `kernel` admits a point that is new to the run. Exact for spaces of up to
/// 256 combinations; a larger one counts as having room. `space` may be null: no room. O(points).
bool has_room(const KernelSpace* space, const Kernel& kernel, Genes genes, const Context& context);

/// Whether the space of some seed kernel has room.
bool has_room(std::span<const Seed> seeds, const Context& context);

}  // namespace ke
