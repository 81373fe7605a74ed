#pragma once
// Axes as archives read and use them together.

#include <vector>

#include "archive/axis.hpp"
#include "core/candidate.hpp"

namespace ke {

/// Where a candidate lies on a grid of axes.
struct GridPlace {
  std::size_t cell = 0;     ///< the last axis runs fastest
  std::size_t clipped = 0;  ///< measures outside their axes, missing or NaN
};

GridPlace place_on(const std::vector<Axis>& axes, const Candidate& candidate);
/// Place in [0, 1]^n, one number an axis.
std::vector<double> position_on(const std::vector<Axis>& axes, const Candidate& candidate);
/// How many measures lie outside their axes.
std::size_t clipped_on(const std::vector<Axis>& axes, const Candidate& candidate);

/// Reads `axes`; all that the evaluator declares when there is none. Refuses a measure on two axes.
std::vector<Axis> read_axes(Params& params, const std::vector<AxisInfo>& declared);
/// The same for grids, which also must not have more than a million cells.
std::vector<Axis> read_grid_axes(Params& params, const std::vector<AxisInfo>& declared);

std::size_t cells_on(const std::vector<Axis>& axes);

}  // namespace ke
