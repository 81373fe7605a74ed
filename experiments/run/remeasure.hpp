#pragma once
// The champion of an old run, measured again: were its figures luck?

#include <string>
#include <vector>

#include "archive/run_reader.hpp"
#include "experiments/cli/verb.hpp"
#include "experiments/report/run_summary.hpp"

namespace ke {

/// One verified figure and what the same comparison gives now.
struct RemeasuredFigure {
  std::string baseline;
  std::string role;
  SpeedupFigure then;
  SpeedupFigure now;

  /// then / now - 1: positive where the run reported too much.
  double excess() const;
  /// Whether the excess is within the two intervals taken together, as independent errors.
  bool agrees() const;
};

/// Excesses of several runs' figures.
struct Agreement {
  std::size_t figures = 0;
  double mean = 0;             ///< of the signed excesses
  Interval ci;                 ///< 95 %, Student's t over the figures; as wide as can be for one
  double median_absolute = 0;  ///< of the excesses without their signs
};
Agreement agreement_of(const std::vector<double>& excesses);

/// Builds everything anew, without any cache of builds, and repeats the champion's verification on
/// this machine. The run file stays as it is. Empty when the run has no verified champion. Errors:
/// a task that changed, a device that cannot be used, a champion that is not judged ok any more.
Result<std::vector<RemeasuredFigure>> remeasure(const RunReader& reader, const std::string& tasks,
                                                Console& console);

}  // namespace ke
