#pragma once
// Measures how different the sources of elites are.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ke {

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

}  // namespace ke
