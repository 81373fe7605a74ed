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
  /// Fills or refills a cell. O(n) for a new one.
  void put(std::size_t cell, CandidatePtr candidate);
  const std::vector<Elite>& list() const { return elites_; }

 private:
  std::vector<Elite> elites_;
};

/// Whether two candidates are one, or came out of the compiler as the same binary.
bool same_kernel(const Candidate& a, const Candidate& b);

/// What a rule says of a challenger in an occupied cell, or what the duel said in the second call.
Addition judge(const AcceptanceRule& rule, const Candidate& challenger, const Candidate& incumbent,
               Decision decision);

/// Whether `offer` may seat the candidate in a cell with this holder; null = nobody.
bool may_enter(const AcceptanceRule& rule, const Candidate& candidate, const Candidate* holder);

/// Offers a candidate to `result.cell`, whose holder becomes `result.incumbent`: fills status and
/// gain, and seats the candidate where it enters. An objective that is no number is rejected.
void offer(ElitesByCell& elites, const AcceptanceRule& rule, const CandidatePtr& candidate,
           Decision decision, AddResult& result);

}  // namespace ke
