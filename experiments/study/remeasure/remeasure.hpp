#pragma once
// Remeasures the champion of an old run to estimate how much of its figures was luck.

#include <string>
#include <vector>

#include "archive/run_reader.hpp"
#include "experiments/run/console.hpp"
#include "experiments/study/summary/run_summary.hpp"

namespace ke {

/// One verified figure, old and remeasured.
struct RemeasuredFigure {
  std::string baseline;
  std::string role;
  SpeedupFigure then;
  SpeedupFigure now;

  /// then / now - 1: positive if the run reported too much.
  double excess() const;
  /// True if the excess is within the two intervals combined as independent errors.
  bool agrees() const;
};

/// Summary of several runs' excesses.
struct Agreement {
  std::size_t figures = 0;
  double mean = 0;             ///< mean of the signed excesses
  Interval ci;                 ///< 95 %, Student's t over the figures; unbounded for one figure
  double median_absolute = 0;  ///< median of the absolute excesses
};
Agreement agreement_of(const std::vector<double>& excesses);

/// Rebuilds everything without a build cache and repeats the champion's verification on this
/// machine. Does not change the run file. Empty if the run has no verified champion. Errors: a
/// changed task, an unusable device, a champion that is no longer judged ok.
Result<std::vector<RemeasuredFigure>> remeasure(const RunReader& reader, const std::string& tasks,
                                                Console& console);

}  // namespace ke
