#pragma once
// After the search: chooses the champion of a device, then measures it afresh against every
// baseline.

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "core/search/dispatcher.hpp"
#include "core/search/job_maker.hpp"
#include "core/search/observer.hpp"
#include "core/search/plan.hpp"

namespace ke {

class FinalVerification {
 public:
  struct Parts {
    const SearchPlan& plan;
    /// index in plan.devices; candidates of islands on other devices are left out
    std::size_t device;
    const EvaluatorInfo& info;
    const JobMaker& jobs;
    Dispatcher& dispatcher;
    History& history;
    SearchObserver& observer;
    const StopToken& stop;
  };

  explicit FinalVerification(Parts parts) : parts_(parts) {}

  /// False when a stop was requested; a second call continues from the recorded facts.
  Result<bool> run();
  const CandidatePtr& champion() const { return champion_; }

 private:
  std::vector<CandidatePtr> ranked(std::size_t most) const;
  Result<bool> playoffs(const std::vector<CandidatePtr>& ranked);
  Result<bool> sanitize(const std::vector<CandidatePtr>& ranked);
  Result<std::optional<bool>> passes_sanitizers(const CandidatePtr& candidate);
  Result<bool> drop_refused();
  Result<std::optional<Verdict>> verdict_of(const CandidatePtr& elite);
  /// Measures the candidate against the opponent and waits for the fact; nothing when a stop was
  /// requested.
  Result<std::optional<Fact>> ask_to_verify(const CandidatePtr& candidate, const Opponent& opponent,
                                            const Digest& opponent_build,
                                            const std::vector<std::string>& roles);
  Result<bool> choose_naive_flags();
  Result<bool> choose_flags_one_by_one(const Seed& naive, std::int64_t left);
  /// The variant's screened speedup over the anchor, 0 if it has none; nothing when a stop was
  /// requested.
  Result<std::optional<double>> try_naive_flags(const Kernel& variant);
  Result<bool> verify(const CandidatePtr& candidate, const std::string& baseline,
                      const Opponent& opponent, const Digest& opponent_build,
                      const std::vector<std::string>& roles);
  Result<void> keep(const CandidatePtr& candidate, const std::string& baseline, const Fact& fact,
                    const std::string& role);
  Parts parts_;
  CandidatePtr champion_;
  std::map<Digest, bool> passed_;  ///< what sanitizers said of a build
  std::optional<Kernel> naive_best_;
  Digest naive_best_build_;
  double naive_speedup_ = 0;  ///< screened speedup of naive_best_ over the anchor
  std::set<Digest> naive_builds_;
};

}  // namespace ke
