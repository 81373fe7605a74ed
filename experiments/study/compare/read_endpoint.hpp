#pragma once
// Reads the endpoint of an analysis from one run.

#include <vector>

#include "experiments/study/compare/load.hpp"

namespace ke {

/// Endpoint of one run.
struct EndpointValue {
  double value = 0;
  bool censored = false;
  std::string missing;  ///< why there is no value; "" = there is one
};

Result<EndpointValue> read_endpoint(const RunReader& reader, const Analysis& analysis);

/// Reads the endpoints of all runs; runs without a value join `runs.missing`.
Result<std::vector<Observation>> observe(ComparedRuns& runs, const Analysis& analysis);

/// Mean of the best value so far over evaluations 1 to `limit`. Points are steps of a curve; the
/// last one is carried forward.
double area_under_curve(const std::vector<ProgressPoint>& points, std::int64_t limit);

}  // namespace ke
