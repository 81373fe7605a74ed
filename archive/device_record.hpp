#pragma once
// One device of a run with several devices, as stored in the run file.

#include <cstdint>
#include <string>
#include <vector>

#include "core/evaluator.hpp"

namespace ke {

struct DeviceRecord {
  std::string name;
  std::string task;    ///< folder or name of this device's task
  EvaluatorInfo info;  ///< without lanes, which do not affect results
  std::vector<std::int64_t> islands;
};

}  // namespace ke
