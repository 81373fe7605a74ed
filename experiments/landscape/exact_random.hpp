#pragma once
// What uniform random search without replacement finds on average, in closed form.

#include <cstdint>
#include <span>
#include <vector>

#include "fitness/landscape/landscape.hpp"

namespace ke {

/// Optimum over recorded time of every point, 0 for those that failed; falling.
std::vector<double> ranked_quality(const Landscape& landscape);

/// Expected best of `draws` draws without replacement from falling `ranked` values, none of them
/// negative: sum of v_i C(N - i, n - 1) / C(N, n), i = 1..N. From N draws on it is the best. O(N).
double expected_best(std::span<const double> ranked, std::int64_t draws);

}  // namespace ke
