#pragma once
// Properties that a task's classes allow for contents of varied_case.

#include <string>
#include <vector>

#include "fitness/content/float_lines.hpp"
#include "fitness/content/int_lines.hpp"
#include "fitness/content/secret_random.hpp"
#include "fitness/task.hpp"

namespace ke {

/// Whether every class gives ascending rows.
bool all_ascend(const std::vector<std::string>& classes);

/// A class whose lines can be varied, the first of the list half of the time; the first class if
/// none can.
const std::string& class_to_vary(const std::vector<std::string>& classes, SecretRandom& random);
/// Whether class_to_vary gives a class that can be.
bool can_vary(const std::vector<std::string>& classes);

/// The rules for an input of a floating type; `others` are numbers to be drawn beside the task's
/// own and a few round ones.
FloatRules float_rules(const TensorSpec& input, const std::vector<double>& others);
/// The rules for an input of an integer type or bool whose values end before `high`.
IntRules int_rules(const TensorSpec& input, std::int64_t high);

}  // namespace ke
