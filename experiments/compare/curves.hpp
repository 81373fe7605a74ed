#pragma once
// How arms do over what they spend, in each currency.

#include <string>
#include <vector>

#include "experiments/compare/load.hpp"
#include "experiments/statistics/quartiles.hpp"

namespace ke {

/// The currencies that curves can be drawn against.
const std::vector<std::string>& curve_currencies();

/// One run's curve: what it had spent, and the best objective, coverage and QD score by then.
struct RunCurve {
  std::string arm;
  std::string task;
  std::vector<double> spent;  ///< rises
  std::vector<double> best;
  std::vector<double> qd_score;
};

/// Quartiles over the runs of one arm on one task that had spent `at`; runs that ended earlier are
/// carried forward.
struct CurvePoint {
  std::string arm;
  std::string task;
  double at = 0;
  std::size_t runs = 0;
  statistics::Quartiles best{};
  statistics::Quartiles qd_score{};
};

Result<std::vector<RunCurve>> read_curves(const ComparedRuns& runs, const std::string& currency);

/// At `points` equally spaced amounts up to the largest that any run spent.
std::vector<CurvePoint> quartiles(const std::vector<RunCurve>& curves, std::size_t points);

/// The value when `at` was spent: of the last step that cost no more; 0 before the first. `spent`
/// rises, `values` has one entry each.
double value_when(const std::vector<double>& spent, const std::vector<double>& values, double at);

/// One line a point.
std::string csv_of(const std::vector<CurvePoint>& points, const std::string& currency);

}  // namespace ke
