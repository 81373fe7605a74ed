#pragma once
// Which flag sets of a kernel are tried for the baseline "naive with its best flags".

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/kernel.hpp"
#include "core/knob_space.hpp"
#include "core/result.hpp"

namespace ke {

/// How many flag sets a space has, saturated at 2^62.
std::uint64_t flag_set_count(const KernelSpace& space);

/// Measures one flag set: nothing when a stop was requested; else its speedup, 0 for a set that
/// does not build or fails.
using TryFlags = std::function<Result<std::optional<double>>(const Kernel& variant)>;

/// Tries flag sets of `kernel` and leaves the choice to whoever measures: every set while there are
/// at most `most`. Else all defaults, every gene at its last alternative, and single changes of the
/// defaults first, then single changes of the best set so far, again and again until none improves
/// it or `most` sets were tried. No set is tried twice. False when a stop was requested.
Result<bool> search_flags(const Kernel& kernel, const KernelSpace& space, std::int64_t most,
                          const TryFlags& try_flags);

}  // namespace ke
