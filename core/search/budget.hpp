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

  /// Whether `slots` more slots fit beside those in flight, each with one evaluation.
  bool fits(std::int64_t slots) const { return slots <= room(); }
  /// How many more slots fit.
  std::int64_t room() const {
    return std::min(left(limits_.proposals, proposals_ + in_flight_),
                    left(limits_.evaluations, evaluations_ + reserved_));
  }
  /// Admits `slots`, each with one evaluation.
  void ask(std::int64_t slots) {
    in_flight_ += slots;
    reserved_ += slots;
  }
  /// Admits up to `wanted` further evaluations of a slot that was asked; answers how many.
  std::int64_t reserve(std::int64_t wanted) {
    if (limits_.evaluations > 0) {
      const std::int64_t left = limits_.evaluations - evaluations_ - reserved_;
      wanted = std::clamp<std::int64_t>(left, 0, wanted);
    }
    reserved_ += wanted;
    return wanted;
  }
  /// One slot was committed. Of its evaluations, `further` of which were admitted beside the one
  /// that every slot has, it spent `spent`.
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
  std::int64_t reserved_ = 0;  ///< the most evaluations that slots in flight can spend
};

}  // namespace ke
