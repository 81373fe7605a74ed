#pragma once
// Cross-validates the choice of an arm: its gain on a task that was left out of the choice.

#include <string>
#include <vector>

#include "experiments/study/compare/analysis.hpp"

namespace ke {

/// Mean gain of each arm on each task that all arms have.
struct TaskTable {
  std::vector<std::string> tasks;
  std::vector<std::vector<double>> gains;  ///< [arm][task], larger is better
};

/// The arm that is best on the other tasks.
struct HeldOut {
  std::string task;
  std::string arm;
  double gain = 0;  ///< gain of that arm over the reference on this task
};

inline constexpr std::size_t least_tasks_to_leave_out = 3;

/// For each task: the arm with the largest mean gain over all other tasks (the earlier arm wins
/// ties), and its gain over arms[reference] on the task itself [Stone1974]. Empty with fewer than
/// three tasks. O(arms x tasks^2).
std::vector<HeldOut> leave_one_out(const std::vector<std::string>& arms, std::size_t reference,
                                   const TaskTable& table);

/// Mean gain over the tasks; 0 if there are none.
double mean_gain(const std::vector<HeldOut>& held_out);

}  // namespace ke
