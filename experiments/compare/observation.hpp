#pragma once
// What a comparison is made of: one figure a run.

#include <cstdint>
#include <string>

namespace ke {

/// The endpoint of one run.
struct Observation {
  std::string arm;
  std::string task;
  std::string device;  ///< where kernels are timed; one name for all simulated runs
  std::int64_t seed = 0;
  double value = 0;
  bool censored = false;  ///< never reached the target: `value` is where it stopped looking
};

}  // namespace ke
