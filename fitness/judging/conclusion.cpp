#include "fitness/judging/conclusion.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "fitness/timing/clock.hpp"

namespace ke {

std::vector<const Workload*> workloads_with(const Task& task,
                                            const std::vector<std::string>& roles) {
  std::vector<const Workload*> list;
  for (const Workload& workload : task.workloads) {
    if (std::ranges::find(roles, to_string(workload.role)) != roles.end())
      list.push_back(&workload);
  }
  return list;
}

void refuse(Fact& fact, const Finding& finding) {
  fact.verdict = finding.verdict;
  fact.reason = finding.reason;
  fact.message = finding.message;
  if (!finding.workload.empty() && !finding.mismatch) {
    fact.message += fmt::format(" ({}; {}; placement {}; call {})", finding.workload,
                                finding.inputs, finding.placement, finding.call);
  }
}

void blame_opponent(Fact& fact, const Finding& finding) {
  fact.verdict = Verdict::lost;
  fact.reason = "opponent_failed";
  fact.message = "the opponent failed: " + finding.message;
}

void conclude(const Tally& tally, const Task& task,
              const std::function<double(const Workload&)>& floor_ns, Fact& fact) {
  Comparison comparison = tally.comparison();
  for (WorkloadTiming& timing : comparison.workloads) {
    for (const Workload& workload : task.workloads) {
      if (workload.label == timing.workload) timing.floor_ns = floor_ns(workload);
    }
  }
  const double width = comparison.ci.low > 0 ? std::log(comparison.ci.high / comparison.ci.low) : 0;
  comparison.resolvable = std::expm1(width / 2);
  fact.verdict = Verdict::ok;
  fact.reason.clear();
  fact.message.clear();
  fact.comparison = std::move(comparison);
}

bool below_floor(const Comparison& comparison, double share) {
  return std::ranges::any_of(comparison.workloads, [&](const WorkloadTiming& timing) {
    return timing.candidate_ns > 0 && timing.candidate_ns < share * timing.floor_ns;
  });
}

bool judge_floor(const Comparison& repeated, Fact& fact) {
  bool same = true;
  for (std::size_t i = 0; i < repeated.workloads.size(); ++i) {
    const double ratio =
        repeated.workloads[i].candidate_ns / fact.comparison->workloads[i].candidate_ns;
    same = same && ratio > 0.8 && ratio < 1.25;
  }
  if (same) {
    fact.policy_flags.push_back("below_floor");
    return true;
  }
  fact.verdict = Verdict::suspicious;
  fact.reason = "below_floor";
  fact.message = "faster than memory allows, and not so when measured again";
  return false;
}

Result<bool> decide_duel(const Tally& tally, const DuelRule& rule, std::int64_t limit_ns,
                         const std::atomic<bool>& closing, const AddCluster& add,
                         DuelDecision& ended) {
  const std::int64_t begin = now_ns();
  ended = decide(tally.combined(), rule).decision;
  while (ended == DuelDecision::continue_ && !closing && now_ns() - begin < limit_ns) {
    const int more = clusters_to_next_look(static_cast<int>(tally.combined().size()), rule);
    for (int i = 0; i < more; ++i) {
      KE_TRY(const bool measured, add());
      if (!measured) return false;
    }
    ended = decide(tally.combined(), rule).decision;
  }
  if (ended == DuelDecision::continue_) ended = DuelDecision::undecided;
  return true;
}

}  // namespace ke
