#pragma once
// The AMD GPUs that HIP kernels are compiled for.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "fitness/plan/resolve_plan.hpp"

namespace ke::hip {

/// Accelerators of the CDNA families; waves of both have 64 lanes.
inline constexpr std::array<std::string_view, 2> amd_targets = {"gfx90a", "gfx942"};

/// Limits of a target for launch plans. `target` is one of amd_targets.
DeviceTerms terms_of(std::string_view target);
/// Text for prompts: waves, registers and memories. `target` as above.
std::string sheet_of(std::string_view target);
/// Total capacity of its caches: the one in front of memory and the L2 of each die. `target` as
/// above.
std::int64_t cache_bytes_of(std::string_view target);

}  // namespace ke::hip
