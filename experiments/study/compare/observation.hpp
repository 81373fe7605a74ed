#pragma once
// Input of a comparison: one figure per run.

#include <cstdint>
#include <optional>
#include <string>

namespace ke {

/// Endpoint of one run.
struct Observation {
  std::string arm;
  std::string task;
  std::string device;  ///< where kernels are timed; all simulated runs share one name
  std::int64_t seed = 0;
  double value = 0;
  bool censored = false;   ///< never reached the target: `value` is where it stopped looking
  std::string group = {};  ///< the task's category, or its op_type; "" = it states none
  std::optional<double> sol = {};  ///< SOL score; nothing where no limit was measured
};

}  // namespace ke
