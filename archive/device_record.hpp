#pragma once
// One device of a run that has several, as its file keeps it.

#include <cstdint>
#include <string>
#include <vector>

#include "core/evaluator.hpp"

namespace ke {

struct DeviceRecord {
  std::string name;
  std::string task;    ///< folder or name of the task as its kernels solve it
  EvaluatorInfo info;  ///< without lanes, which change no result
  std::vector<std::int64_t> islands;
};

}  // namespace ke
