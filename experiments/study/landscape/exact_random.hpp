#pragma once
// Expected result of uniform random search without replacement, in closed form.

#include <cstdint>
#include <span>
#include <vector>

#include "fitness/landscape/landscape.hpp"

namespace ke {

/// Ratio optimum / recorded time of every point, 0 for failed ones; falling.
std::vector<double> ranked_quality(const Landscape& landscape);

/// Expected best of `draws` draws without replacement from falling, non-negative `ranked` values:
/// sum of v_i C(N - i, n - 1) / C(N, n), i = 1..N. With N or more draws it is the best value. O(N).
double expected_best(std::span<const double> ranked, std::int64_t draws);

}  // namespace ke
