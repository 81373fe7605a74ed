#pragma once
// Prints the results of `check` for a task and its descriptors, as text and as JSON.

#include <string>
#include <vector>

#include "experiments/study/check/admission.hpp"
#include "experiments/study/check/reliability.hpp"
#include "experiments/text/json.hpp"

namespace ke {

Json json_of(const Task& task, const Admission& admission);
std::string text_of(const Task& task, const Admission& admission);

Json json_of(const ReliabilityReport& report);
std::string text_of(const ReliabilityReport& report);

}  // namespace ke
