#pragma once
// Offers candidates to archives; where only a direct comparison can decide, they duel and are
// offered again with its result.

#include <optional>
#include <string_view>
#include <vector>

#include "core/search/dispatcher.hpp"
#include "core/search/job_maker.hpp"
#include "core/search/plan.hpp"

namespace ke {

class Contest {
 public:
  /// All must outlive this object.
  Contest(const JobMaker& jobs, Dispatcher& dispatcher, const StopToken& stop)
      : jobs_(jobs), dispatcher_(dispatcher), stop_(stop) {}

  /// Offers a candidate with verdict ok and records the result; appends a duel's key to `facts`.
  /// Nothing when a stop was requested during the duel. `name` is the archive's in events.
  /// `learns`: the candidate's own evaluation, which receives the duel's profile; null = already
  /// committed and not changed.
  Result<std::optional<OfferResult>> offer(Archive& archive, std::string_view name,
                                           const CandidatePtr& candidate, StepRecord& record,
                                           std::vector<Digest>& facts,
                                           Evaluation* learns = nullptr) const;

  /// Times a candidate against the anchor at the validation workloads; repeats once if the answer
  /// is inconclusive. Appends the keys to `facts`. Nothing when a stop was requested.
  Result<std::optional<Fact>> validation_screen(const Candidate& candidate,
                                                std::vector<Digest>& facts) const;

 private:
  Result<bool> fight(const CandidatePtr& challenger, const CandidatePtr& incumbent,
                     ArchiveEvent& event, std::vector<Digest>& facts, Evaluation* learns) const;
  const JobMaker& jobs_;
  Dispatcher& dispatcher_;
  const StopToken& stop_;
};

}  // namespace ke
