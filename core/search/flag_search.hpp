#pragma once
// Selects the flag sets to try for the baseline "naive with its best flags".

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/kernel.hpp"
#include "core/knob_space.hpp"
#include "core/result.hpp"

namespace ke {

/// Number of flag sets of a space, saturated at 2^62.
std::uint64_t flag_set_count(const KernelSpace& space);

/// Measures one flag set: its speedup, 0 for a set that does not build or fails; nothing when a
/// stop was requested.
using TryFlags = std::function<Result<std::optional<double>>(const Kernel& variant)>;

/// Tries flag sets of `kernel`; the callback remembers the best. Tries every set if there are at
/// most `most`. Otherwise tries all defaults, every gene at its last alternative, and single
/// changes of the defaults; then single changes of the best set so far until none improves it or
/// `most` sets were tried. Never tries a set twice. False when a stop was requested.
Result<bool> search_flags(const Kernel& kernel, const KernelSpace& space, std::int64_t most,
                          const TryFlags& try_flags);

}  // namespace ke
