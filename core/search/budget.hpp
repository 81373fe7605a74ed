#pragma once
// Ends of a search. Budgets: a step is asked only if the settled amount plus the maximum cost of
// the steps in flight fits. Small spaces: the search ends when no untried point is left.

#include <algorithm>
#include <cstdint>
#include <limits>
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

/// The limit on proposals: if none is given, one derived from the evaluations, so that a run that
/// finds only duplicates also ends.
inline std::int64_t derived_proposals(const Limits& limits) {
  const bool derived = limits.proposals == 0 && limits.evaluations > 0;
  return derived ? 100 + 20 * limits.evaluations : limits.proposals;
}

/// Whether a search with these counts ended at a derived limit, with evaluations left.
inline bool ended_by_derived_limit(const Limits& limits, std::int64_t proposals,
                                   std::int64_t evaluations) {
  return limits.proposals == 0 && limits.evaluations > 0 && evaluations < limits.evaluations &&
         proposals >= derived_proposals(limits);
}

class Budget {
 public:
  explicit Budget(const Limits& limits) : limits_(limits) {
    limits_.proposals = derived_proposals(limits);
  }

  /// Whether `slots` more slots fit in addition to those in flight, with one evaluation each.
  bool fits(std::int64_t slots) const { return slots <= room(); }
  /// Number of further slots that fit.
  std::int64_t room() const {
    return std::min(left(limits_.proposals, proposals_ + in_flight_),
                    left(limits_.evaluations, evaluations_ + reserved_));
  }
  /// Admits `slots` slots with one evaluation each.
  void ask(std::int64_t slots) {
    in_flight_ += slots;
    reserved_ += slots;
  }
  /// Reserves up to `wanted` further evaluations for an admitted slot; returns how many fit.
  std::int64_t reserve(std::int64_t wanted) {
    if (limits_.evaluations > 0) {
      const std::int64_t left = limits_.evaluations - evaluations_ - reserved_;
      wanted = std::clamp<std::int64_t>(left, 0, wanted);
    }
    reserved_ += wanted;
    return wanted;
  }
  /// Records the commit of one slot that spent `spent` evaluations and had reserved `further` in
  /// addition to its own one.
  void settle(std::int64_t spent, std::int64_t further = 0) {
    --in_flight_;
    reserved_ -= 1 + further;
    ++proposals_;
    evaluations_ += spent;
  }

  std::int64_t proposals() const { return proposals_; }
  std::int64_t evaluations() const { return evaluations_; }
  std::int64_t in_flight() const { return in_flight_; }

 private:
  static std::int64_t left(std::int64_t limit, std::int64_t spoken_for) {
    return limit == 0 ? std::numeric_limits<std::int64_t>::max() : limit - spoken_for;
  }
  Limits limits_;
  std::int64_t proposals_ = 0;
  std::int64_t evaluations_ = 0;
  std::int64_t in_flight_ = 0;
  std::int64_t reserved_ = 0;  ///< maximum number of evaluations that slots in flight can spend
};

}  // namespace ke
