#pragma once
// One quad of a GPU's cluster, repeated when it was disturbed.

#include <array>
#include <cstdint>
#include <functional>
#include <string>

#include "core/result.hpp"

namespace ke::gpu {

struct GpuQuad {
  std::string order;  ///< ABBA | BAAB
  std::array<std::int64_t, 4> event_ns{}, host_ns{};
  bool throttled = false;  ///< the GPU throttled before or after the quad
};

/// Largest relative distance between two samples of one arm.
double unrest_of(const GpuQuad& quad);

/// Takes one quad; false when a finding ended it.
using TakeQuad = std::function<Result<bool>(GpuQuad& quad)>;

/// Takes a quad up to three times, until one is undisturbed, with growing pauses while the GPU is
/// too hot. Prefers quads that were not throttled, then the one whose arms' own samples agree best.
/// False when `take` returned false.
Result<bool> take_calm_quad(const TakeQuad& take, GpuQuad& best);

}  // namespace ke::gpu
