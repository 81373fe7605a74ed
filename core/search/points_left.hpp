#pragma once
// Untried points of a small space, so that a search ends when none is left.

#include <optional>
#include <unordered_set>

#include "core/search/plan.hpp"

namespace ke {

/// The points of the seeds' spaces that have not been judged yet.
class PointsLeft {
 public:
  /// Nothing when the points cannot run out: some operator makes other sources, the run has several
  /// devices, or there are more points than the budget can try.
  static std::optional<PointsLeft> of(const SearchPlan& plan);

  /// Removes the point of a committed candidate that was judged itself or copies a judged one.
  void settle(const Candidate& candidate);
  bool none() const { return left_.empty(); }
  std::size_t total() const { return total_; }

 private:
  bool add(const Seed& seed, std::size_t most);
  std::unordered_set<Digest> left_;  ///< genome hashes
  std::size_t total_ = 0;
};

}  // namespace ke
