#pragma once
// The launches of a call, for a candidate that is an OpenCL program instead of a function.

#include <functional>
#include <memory>
#include <vector>

#include "core/result.hpp"
#include "fitness/host/wire.hpp"
#include "fitness/task.hpp"

namespace ke {

struct LaunchPlans {
  std::vector<wire::Launch> prepared;  ///< one for each machine code that calls may use
  /// The launches of a call at a workload. The error is the candidate's.
  std::function<Result<std::vector<wire::Launch>>(const Workload&)> at;
};
using LaunchPlansPtr = std::shared_ptr<const LaunchPlans>;

}  // namespace ke
