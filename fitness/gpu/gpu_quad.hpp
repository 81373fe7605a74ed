#pragma once
// One quad of a GPU's cluster, taken again when it was disturbed.

#include <array>
#include <cstdint>
#include <functional>
#include <string>

#include "core/result.hpp"

namespace ke::gpu {

struct GpuQuad {
  std::string order;  ///< ABBA | BAAB
  std::array<std::int64_t, 4> event_ns{}, host_ns{};
  bool throttled = false;  ///< the GPU slowed itself down before or after it
};

/// Largest relative distance between two samples of one arm.
double unrest_of(const GpuQuad& quad);

/// Takes one quad; false when a finding ended it.
using TakeQuad = std::function<Result<bool>(GpuQuad& quad)>;

/// Takes a quad until it was not disturbed, three times at most, with growing pauses for a GPU that
/// is too hot. Keeps one that was not throttled if there is any, and of those the one whose arms'
/// own samples agree best. False when `take` said so.
Result<bool> take_calm_quad(const TakeQuad& take, GpuQuad& best);

}  // namespace ke::gpu
