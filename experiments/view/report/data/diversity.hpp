#pragma once
// Diversity of the shared archive over time.

#include <vector>

#include "archive/run_rows.hpp"
#include "experiments/text/json.hpp"

namespace ke {

struct DiversityPoint {
  std::int64_t step_index = 0;
  double entropy = 0;        ///< entropy of visits to cells, in [0, 1] (cell_entropy)
  double spread = 0;         ///< mean distance of the elites' cells, axes scaled to [0, 1]
                             ///< (descriptor_spread); NaN above 1,000 elites
  double code = 0;           ///< mean distance of the elites' sources (CodeDistances)
  std::size_t binaries = 0;  ///< different builds among the elites
};

/// Points at about 60 steps; empty without axes or elites.
std::vector<DiversityPoint> diversity_points(const RunRows& rows,
                                             const std::vector<AxisShape>& axes);

/// The points as {step_index, entropy, spread, code, binaries}, or null.
Json diversity_columns(const RunRows& rows, const std::vector<AxisShape>& axes);

}  // namespace ke
