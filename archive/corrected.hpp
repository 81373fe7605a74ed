#pragma once
// The score of an archive whose elites are measured again: lucky measurements count no more.

#include <cstddef>
#include <functional>
#include <map>
#include <string>

#include "core/archive.hpp"

namespace ke {

/// What one more measurement of a candidate said.
struct Remeasured {
  double objective = 0;
  std::map<std::string, double> measures;
};

struct CorrectedScore {
  double seen_qd_score = 0;  ///< of the archive as the search left it
  double qd_score = 0;       ///< after measuring again
  double coverage = 0;       ///< after measuring again, in [0, 1]
};

/// Measures every elite `repetitions` times and adds it with the medians of objective and measures
/// to `empty`, an archive of the same kind, as [Flageat2023] does for comparisons under noise.
/// Elites may move to other cells and fall there.
CorrectedScore corrected_score(
    const Archive& archive, Archive& empty, std::size_t repetitions,
    const std::function<Remeasured(const Candidate&, std::size_t repetition)>& measure);

}  // namespace ke
