#pragma once
// Reads the axes of archives and places candidates on them.

#include <vector>

#include "archive/axis.hpp"
#include "core/candidate.hpp"

namespace ke {

/// A candidate's cell on a grid of axes.
struct GridPlace {
  std::size_t cell = 0;     ///< the last axis varies fastest
  std::size_t clipped = 0;  ///< number of measures outside their axes, missing or NaN
};

GridPlace place_on(const std::vector<Axis>& axes, const Candidate& candidate);
/// Position in [0, 1]^n, one number per axis.
std::vector<double> position_on(const std::vector<Axis>& axes, const Candidate& candidate);
/// Number of measures outside their axes.
std::size_t clipped_on(const std::vector<Axis>& axes, const Candidate& candidate);

/// Reads `axes`; by default all that the evaluator declares. Refuses two axes of one measure.
std::vector<Axis> read_axes(Params& params, const std::vector<AxisInfo>& declared);
/// Reads the axes of a grid as read_axes does. Refuses axes with more than a million cells.
std::vector<Axis> read_grid_axes(Params& params, const std::vector<AxisInfo>& declared);

std::size_t cells_on(const std::vector<Axis>& axes);

}  // namespace ke
