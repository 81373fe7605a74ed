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

/// What a rule says of a challenger in an occupied cell, or what the duel said in the second call.
Addition judge(const AcceptanceRule& rule, const Candidate& challenger, const Candidate& incumbent,
               Decision decision);

}  // namespace ke
