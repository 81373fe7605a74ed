#pragma once
// AMD GPUs that HIP kernels are compiled for.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "fitness/plan/resolve_plan.hpp"

namespace ke::hip {

/// Accelerators of the CDNA families; waves of both have 64 lanes.
inline constexpr std::array<std::string_view, 2> amd_targets = {"gfx90a", "gfx942"};

/// What limits a launch plan there. `target` is one of amd_targets.
DeviceTerms terms_of(std::string_view target);
/// Lines for prompts: waves, registers and memories. `target` likewise.
std::string sheet_of(std::string_view target);
/// All that its caches hold, the one in front of memory with those of each die. `target` likewise.
std::int64_t cache_bytes_of(std::string_view target);

}  // namespace ke::hip
