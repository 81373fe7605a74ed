#pragma once
// Elites in order of their cells.

#include <cstddef>
#include <vector>

#include "core/archive.hpp"

namespace ke {

class ElitesByCell {
 public:
  /// Null for an empty cell. O(log n).
  CandidatePtr at(std::size_t cell) const;
  /// Fills a cell or replaces its elite. O(n) for a new cell.
  void put(std::size_t cell, CandidatePtr candidate);
  const std::vector<Elite>& list() const { return elites_; }

 private:
  std::vector<Elite> elites_;
};

/// Whether two candidates are the same, or compiled to the same binary.
bool same_kernel(const Candidate& a, const Candidate& b);

/// The rule's decision on a challenger in an occupied cell, or the duel's in the second call.
Addition decide_addition(const AcceptanceRule& rule, const Candidate& challenger,
                         const Candidate& incumbent, Decision decision);

/// Whether `offer_to_cell` may put the candidate in a cell with this holder; null = empty.
bool may_enter(const AcceptanceRule& rule, const Candidate& candidate, const Candidate* holder);

/// Offers a candidate to `result.cell`: sets `result.incumbent` to the holder, fills status and
/// gain, and stores the candidate if it enters. Rejects a NaN objective.
void offer_to_cell(ElitesByCell& elites, const AcceptanceRule& rule, const CandidatePtr& candidate,
                   Decision decision, OfferResult& result);

}  // namespace ke
