#pragma once
// What `check` says of a task and of its descriptors, for people and as JSON.

#include <string>
#include <vector>

#include "experiments/check/admission.hpp"
#include "experiments/check/reliability.hpp"
#include "experiments/cli/json.hpp"

namespace ke {

Json json_of(const Task& task, const Admission& admission);
std::string text_of(const Task& task, const Admission& admission);

Json json_of(const ReliabilityReport& report);
std::string text_of(const ReliabilityReport& report);

}  // namespace ke
