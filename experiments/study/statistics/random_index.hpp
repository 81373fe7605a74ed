#pragma once
// Source of randomness for the statistics: an index below a bound, drawn from the caller's stream.

#include <cstddef>
#include <functional>

namespace ke::statistics {

/// Uniform in [0, bound), bound >= 1; reproducible from the seed of its stream:
/// `[&stream](std::size_t bound) { return stream.below(bound); }`.
using RandomIndex = std::function<std::size_t(std::size_t bound)>;

}  // namespace ke::statistics
