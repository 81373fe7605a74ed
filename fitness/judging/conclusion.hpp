#pragma once
// From clusters to what a fact says: the same for every device.

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "core/evaluation.hpp"
#include "core/result.hpp"
#include "fitness/judging/finding.hpp"
#include "fitness/judging/tally.hpp"
#include "fitness/task.hpp"
#include "fitness/timing/duel_rule.hpp"

namespace ke {

/// The task's workloads of these roles, in its order.
std::vector<const Workload*> workloads_with(const Task& task,
                                            const std::vector<std::string>& roles);

void refuse(Fact& fact, const Finding& finding);
/// An opponent that fails says nothing about the candidate: the job is lost.
void blame_opponent(Fact& fact, const Finding& finding);

/// Verdict ok, with the tally's comparison and each workload's floor in ns (0 = not known).
void conclude(const Tally& tally, const Task& task,
              const std::function<double(const Workload&)>& floor_ns, Fact& fact);

/// Whether a workload of the comparison took less than this share of its floor.
bool below_floor(const Comparison& comparison, double share);
/// After a second measurement of such a kernel: flagged when both agree, suspicious otherwise. True
/// when they agree.
bool judge_floor(const Comparison& repeated, Fact& fact);

/// Adds one cluster to the tally. False = the fact is decided otherwise.
using AddCluster = std::function<Result<bool>()>;
/// Looks at the tally, after its first cluster, as often as the rule says, and asks for more
/// clusters in between. False = the fact is decided otherwise; else `ended` is what was found out,
/// `undecided` after `limit_ns`.
Result<bool> decide_duel(const Tally& tally, const DuelRule& rule, std::int64_t limit_ns,
                         const std::atomic<bool>& closing, const AddCluster& add,
                         DuelDecision& ended);

}  // namespace ke
