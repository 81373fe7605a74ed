#pragma once
// Progress curves of arms over each currency of cost.

#include <string>
#include <vector>

#include "experiments/study/compare/load.hpp"
#include "experiments/study/statistics/quartiles.hpp"

namespace ke {

/// Currencies that curves can be drawn against.
const std::vector<std::string>& curve_currencies();

/// Curve of one run: amounts spent, and the best objective, coverage and QD score at each.
struct RunCurve {
  std::string arm;
  std::string task;
  std::vector<double> spent;  ///< rising
  std::vector<double> best;
  std::vector<double> qd_score;
};

/// Quartiles over the runs of one arm on one task at the cost `at`; runs that ended earlier keep
/// their last value.
struct CurvePoint {
  std::string arm;
  std::string task;
  double at = 0;
  std::size_t runs = 0;
  statistics::Quartiles best{};
  statistics::Quartiles qd_score{};
};

Result<std::vector<RunCurve>> read_curves(const ComparedRuns& runs, const std::string& currency);

/// Computes `points` equally spaced quartiles up to the largest amount that any run spent.
std::vector<CurvePoint> quartiles(const std::vector<RunCurve>& curves, std::size_t points);

/// Value at cost `at`: that of the last step that cost no more, 0 before the first. `spent` rises;
/// `values` has one entry per step.
double value_when(const std::vector<double>& spent, const std::vector<double>& values, double at);

/// Writes one line per point.
std::string csv_of(const std::vector<CurvePoint>& points, const std::string& currency);

}  // namespace ke
