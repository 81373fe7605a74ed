#include "experiments/study/compare/leave_one_out.hpp"

namespace ke {
namespace {

double sum_without(const std::vector<double>& gains, std::size_t task) {
  double sum = 0;
  for (std::size_t t = 0; t < gains.size(); ++t) {
    if (t != task) sum += gains[t];
  }
  return sum;
}

std::size_t best_without(const TaskTable& table, std::size_t task) {
  std::size_t best = 0;
  for (std::size_t arm = 1; arm < table.gains.size(); ++arm) {
    if (sum_without(table.gains[arm], task) > sum_without(table.gains[best], task)) best = arm;
  }
  return best;
}

}  // namespace

std::vector<HeldOut> leave_one_out(const std::vector<std::string>& arms, std::size_t reference,
                                   const TaskTable& table) {
  std::vector<HeldOut> held_out;
  if (table.tasks.size() < least_tasks_to_leave_out) return held_out;
  for (std::size_t t = 0; t < table.tasks.size(); ++t) {
    const std::size_t arm = best_without(table, t);
    held_out.push_back(
        {table.tasks[t], arms[arm], table.gains[arm][t] - table.gains[reference][t]});
  }
  return held_out;
}

double mean_gain(const std::vector<HeldOut>& held_out) {
  double sum = 0;
  for (const HeldOut& one : held_out) sum += one.gain;
  return held_out.empty() ? 0 : sum / static_cast<double>(held_out.size());
}

}  // namespace ke
