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

  /// then / now - 1: positive if the run reported too much; 0 where either has no figure.
  double excess() const;
  /// True if there is a figure now and the excess, if any, is within the two intervals combined as
  /// independent errors.
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
/// machine; where none of its figures was reliable, of the kernel that seemed best, against all
/// that it was to be compared with. Does not change the run file. Empty if no kernel was verified.
/// Errors: a changed task, an unusable device, a champion that is no longer judged ok.
Result<std::vector<RemeasuredFigure>> remeasure(const RunReader& reader, const std::string& tasks,
                                                Console& console);

}  // namespace ke
