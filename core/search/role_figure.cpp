#include "core/search/role_figure.hpp"

#include <algorithm>
#include <cmath>

#include "core/validation.hpp"

namespace ke {

RoleFigure role_figure(const Comparison& comparison, std::string_view role) {
  double sum = 0;
  double squares = 0;
  RoleFigure figure;
  for (const WorkloadTiming& timing : comparison.workloads) {
    if (timing.role != role || timing.speedup <= 0) continue;
    sum += std::log(timing.speedup);
    const double half =
        std::log(std::max(timing.ci.high, 1e-9) / std::max(timing.ci.low, 1e-9)) / 2;
    squares += half * half;
    ++figure.count;
  }
  if (figure.count == 0) return figure;
  const double mean = sum / figure.count;
  const double half = std::sqrt(squares) / figure.count;
  figure.speedup = std::exp(mean);
  figure.ci = {std::exp(mean - half), std::exp(mean + half)};
  return figure;
}

void take_validation(const Fact& fact, double min_gain, Evaluation& evaluation) {
  if (is_worth_asking_again(fact.verdict)) return;
  if (fact.verdict != Verdict::ok) {
    evaluation.verdict = fact.verdict;
    evaluation.reason = fact.reason;
    evaluation.message = fact.message;
    evaluation.feedback = fact.feedback;
    evaluation.diagnostics = fact.diagnostics;
    return;
  }
  if (!fact.comparison) return;
  const RoleFigure figure = role_figure(*fact.comparison, validation_role);
  if (figure.count > 0) add_validation(figure.speedup, figure.ci, min_gain, evaluation);
}

bool is_resolved(const Interval& ci, double within) {
  return ci.low > 0 && std::log(ci.high / ci.low) / 2 <= std::log1p(within);
}

std::string figure_note(const Fact& fact, std::string_view role) {
  constexpr std::size_t longest = 200;
  if (fact.verdict == Verdict::lost && !fact.message.empty())
    return fact.message.substr(0, longest);
  if (fact.verdict != Verdict::ok) return std::string(to_string(fact.verdict)) + " " + fact.reason;
  const std::string flag = unresolved_flag + std::string(role);
  const auto& flags = fact.policy_flags;
  return std::ranges::find(flags, flag) == flags.end() ? "" : std::string(not_resolved);
}

}  // namespace ke
