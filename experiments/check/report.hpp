#pragma once
// Prints the results of `check` for a task and its descriptors, as text and as JSON.

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
