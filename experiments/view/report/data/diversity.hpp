#pragma once
// Diversity of the shared archive over time.
// Measures how different the sources of elites are.

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "archive/run_rows.hpp"
#include "experiments/text/json.hpp"

namespace ke {

/// Mean Euclidean distance over all pairs of points in [0, 1]^n; 0 for fewer than two. O(m^2 n).
double descriptor_spread(std::span<const std::vector<double>> points);

/// Shannon entropy of cell visits over log(cells), in [0, 1]; 0 without visits or with one cell.
/// `counts` holds the visited cells' counts.
double cell_entropy(std::span<const std::int64_t> counts, std::size_t cells);

/// Distances between sources: 1 - the Jaccard index of their runs of four tokens [Broder1997], in
/// [0, 1]. Knob values are not part of a source. Computes each pair once.
class CodeDistances {
 public:
  explicit CodeDistances(const std::vector<std::string>& sources) : sources_(sources) {}

  double between(std::int64_t a, std::int64_t b);
  /// Mean over all pairs of kernels; `counts` maps each source to its number of kernels. 0 for
  /// fewer than two kernels. O(s^2) for s sources, NaN above 1,000.
  double mean(const std::map<std::int64_t, std::int64_t>& counts);

 private:
  const std::vector<std::uint64_t>& shingles_of(std::int64_t source);

  const std::vector<std::string>& sources_;
  std::map<std::int64_t, std::vector<std::uint64_t>> shingles_;
  std::map<std::pair<std::int64_t, std::int64_t>, double> known_;
};

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
