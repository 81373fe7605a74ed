#pragma once
// The k best candidates.

#include <memory>

#include "archive/elites.hpp"

namespace ke {

/// Keeps k places. A newcomer takes a free place; otherwise it challenges the elite with its own
/// build hash, or else the weakest one (ties: the younger). Cells are places and never move.
class TopKArchive final : public Archive {
 public:
  TopKArchive(std::size_t k, std::shared_ptr<const AcceptanceRule> rule);
  OfferResult offer(const CandidatePtr& candidate, Decision decision = Decision::none) override;
  bool may_enter(const Candidate& candidate) const override;
  const std::vector<Elite>& elites() const override { return elites_.list(); }
  std::size_t cells() const override { return k_; }
  /// The candidate's place, or the one it would challenge now.
  std::size_t cell_of(const Candidate& candidate) const override;
  std::size_t clipped() const override { return 0; }

 private:
  std::size_t k_;
  std::shared_ptr<const AcceptanceRule> rule_;
  ElitesByCell elites_;
};

}  // namespace ke
