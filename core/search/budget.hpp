#pragma once
// Budgets: a step is asked only if what is settled plus the most that steps in flight can cost
// fits.

#include <algorithm>
#include <cstdint>
#include <limits>

#include "core/search/plan.hpp"

namespace ke {

class Budget {
 public:
  /// Without a limit on proposals one follows from the evaluations, so that a space in which
  /// everything is a duplicate ends the run too.
  explicit Budget(const Limits& limits) : limits_(limits) {
    if (limits_.proposals == 0 && limits_.evaluations > 0) {
      limits_.proposals = 100 + 20 * limits_.evaluations;
    }
  }

  /// Whether `slots` more slots fit beside those in flight.
  bool fits(std::int64_t slots) const { return slots <= room(); }
  /// How many more slots fit.
  std::int64_t room() const {
    return std::min(left(limits_.proposals, proposals_), left(limits_.evaluations, evaluations_));
  }
  void ask(std::int64_t slots) { in_flight_ += slots; }
  /// One slot was committed; `measured` when it spent an evaluation.
  void settle(bool measured) {
    --in_flight_;
    ++proposals_;
    evaluations_ += measured ? 1 : 0;
  }

  std::int64_t proposals() const { return proposals_; }
  std::int64_t evaluations() const { return evaluations_; }
  std::int64_t in_flight() const { return in_flight_; }

 private:
  std::int64_t left(std::int64_t limit, std::int64_t settled) const {
    return limit == 0 ? std::numeric_limits<std::int64_t>::max() : limit - settled - in_flight_;
  }
  Limits limits_;
  std::int64_t proposals_ = 0;
  std::int64_t evaluations_ = 0;
  std::int64_t in_flight_ = 0;
};

}  // namespace ke
