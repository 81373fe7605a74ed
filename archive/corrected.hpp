#pragma once
// The score of an archive after remeasuring its elites, which removes the effect of lucky timings.

#include <cstddef>
#include <functional>
#include <map>
#include <string>

#include "core/archive.hpp"

namespace ke {

/// Result of one more measurement of a candidate.
struct Remeasured {
  double objective = 0;
  std::map<std::string, double> measures;
};

struct CorrectedScore {
  double seen_qd_score = 0;  ///< score of the archive at the end of the search
  double qd_score = 0;       ///< after remeasuring
  double coverage = 0;       ///< after remeasuring, in [0, 1]
};

/// Measures every elite `repetitions` times and adds it with the medians of objective and measures
/// to `empty`, an archive of the same kind, as [Flageat2023] does for comparisons under noise.
/// Elites may move to other cells and be replaced there.
CorrectedScore corrected_score(
    const Archive& archive, Archive& empty, std::size_t repetitions,
    const std::function<Remeasured(const Candidate&, std::size_t repetition)>& measure);

}  // namespace ke
