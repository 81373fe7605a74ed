#pragma once
// The only randomness of the statistics: an index below a bound, drawn by the caller's stream.

#include <cstddef>
#include <functional>

namespace ke::statistics {

/// Uniform in [0, bound), bound >= 1; results repeat with the seed of the stream behind it:
/// `[&stream](std::size_t bound) { return stream.below(bound); }`.
using RandomIndex = std::function<std::size_t(std::size_t bound)>;

}  // namespace ke::statistics
