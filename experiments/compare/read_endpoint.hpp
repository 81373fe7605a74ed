#pragma once
// The endpoint of an analysis, read from one run.

#include <vector>

#include "experiments/compare/load.hpp"

namespace ke {

/// What an endpoint says of one run.
struct EndpointValue {
  double value = 0;
  bool censored = false;
  std::string missing;  ///< why there is no value; "" = there is one
};

Result<EndpointValue> read_endpoint(const RunReader& reader, const Analysis& analysis);

/// All runs; those without a value join `runs.missing`.
Result<std::vector<Observation>> observe(ComparedRuns& runs, const Analysis& analysis);

/// Mean of the best value so far over evaluations 1 to `limit`; points are steps of a curve, the
/// last one is carried forward.
double area_under_curve(const std::vector<ProgressPoint>& points, std::int64_t limit);

}  // namespace ke
