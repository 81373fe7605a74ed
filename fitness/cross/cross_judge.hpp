#pragma once
// Answers screen, duel and verify jobs for a chip: checks outputs on secret inputs, takes costs on
// fixed ones.

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/job.hpp"
#include "fitness/content/contents.hpp"
#include "fitness/cross/machine.hpp"
#include "fitness/judging/judge.hpp"

namespace ke::cross {

using CrossArms = JobArms<CrossBuilt>;

class CrossJudge final : public ExactDevice {
 public:
  /// All arguments are borrowed.
  CrossJudge(const Task& task, const Chip& chip, const Reference& reference, Contents& contents,
             Machine& machine)
      : task_(task), chip_(chip), reference_(reference), contents_(contents), machine_(machine) {}

  /// Fills verdict, comparison, measures, feedback and cost of a fact whose candidate is built.
  Result<void> run(const Job& job, const CrossArms& arms, Fact& fact);

  const Task& task() const override { return task_; }
  Result<CheckReport> check(Thoroughness thoroughness) override;
  /// Either arm runs in a fresh start of the chip.
  Result<std::optional<Finding>> call(int arm, const WrongCall& wrong) override;
  Result<FreshContent> content(const Workload& workload) override;
  /// Finding: wrong outputs, or a count that differs on secret inputs. Caches counts.
  Result<std::optional<Finding>> costs(int arm, const std::vector<const Workload*>& on,
                                       std::vector<double>& costs) override;

 private:
  /// Planned calls; the calls of a pair have equal inputs.
  struct Plan {
    std::vector<Workload> unlisted;  ///< shapes that calls refer to
    std::vector<GuestCall> calls;
    std::vector<std::pair<std::size_t, std::size_t>> equal;
  };
  Result<Plan> plan(Thoroughness thoroughness);
  Result<void> add_unlisted(Thoroughness thoroughness, Plan& plan);
  Result<void> add_calls(const Workload& workload, Plan& plan);
  Result<GuestCall> fixed_call(const Workload& workload);
  const CrossBuilt& built(int arm) const { return arm == 0 ? *arms_.candidate : *arms_.opponent; }
  /// Measures a kernel's costs at the workloads where they are unknown.
  Result<std::optional<Finding>> take_costs(const CrossBuilt& built,
                                            const std::vector<const Workload*>& on);
  Result<std::optional<Finding>> costs_agree(const GuestRun& run,
                                             const std::vector<const Workload*>& on) const;
  void add_measures(const CrossBuilt& built, Fact& fact) const;

  const Task& task_;
  const Chip& chip_;
  const Reference& reference_;
  Contents& contents_;
  Machine& machine_;
  std::map<std::string, std::shared_ptr<const Content>> fixed_;  ///< by workload
  std::map<std::pair<Digest, std::string>, Counts> costs_;       ///< by build and workload
  CrossArms arms_;                                               ///< arms of the current job
  Side wrong_side_ = Side::start;                                ///< side of the last wrong call
};

}  // namespace ke::cross
