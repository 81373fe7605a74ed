#pragma once
// The only randomness of the statistics: an index below a bound, drawn by the caller's stream.

#include <cstddef>
#include <functional>

namespace ke::statistics {

/// Uniform in [0, bound), bound >= 1. Bind a RandomStream here; results repeat with its seed.
using RandomIndex = std::function<std::size_t(std::size_t bound)>;

}  // namespace ke::statistics
