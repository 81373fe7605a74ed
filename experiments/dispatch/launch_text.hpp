#pragma once
// Writes launch plans as data of exported libraries, which library/launched/plan.hpp evaluates; and
// formulas as such data.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "fitness/plan/launch_plan.hpp"
#include "fitness/task.hpp"

namespace ke {

/// A C string.
std::string quoted(const std::string& text);
/// A C++ initialiser of strings: {"a", "b"}.
std::string quoted_list(const std::vector<std::string>& texts);
/// An initialiser of Names of library/common/names.hpp, without its stages: the task's axes, and
/// its constants with those of `more` that they do not name.
std::string names_text(const Task& task, const std::map<std::string, std::int64_t>& more = {});
/// A product as a formula: "4 * rows * (cols + 1)".
std::string product_text(std::size_t factor, const std::vector<Expression>& factors);

/// Names of the kernels that a plan launches, each once. Data refers to them by index.
std::vector<std::string> launched_kernels(const LaunchPlan& plan);

/// Writes `inline dispatch::LaunchPlan plan()`. Errors, with the line: features that a library
/// cannot support (pointer tables and copies into variables, which calls on two streams would
/// share); a name that is no argument of the kernel.
Result<std::string> launch_text(const Task& task, const LaunchPlan& plan,
                                const std::map<std::string, std::int64_t>& knobs);

}  // namespace ke
