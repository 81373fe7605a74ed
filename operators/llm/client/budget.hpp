#pragma once
// Limits of tokens and money that calls cannot pass, however many are under way.

#include <limits>
#include <variant>

#include "operators/llm/client/prices.hpp"

namespace ke {

/// Reserve the worst case before a call, settle what it took afterwards: what is spent and what is
/// reserved never exceed the limits together. Outlives its reservations. Not thread-safe.
class LlmBudget {
 public:
  struct Limits {
    std::int64_t tokens = std::numeric_limits<std::int64_t>::max();
    std::int64_t picodollars = std::numeric_limits<std::int64_t>::max();
  };
  /// busy: it may fit once calls under way are settled. exhausted: it does not fit any more.
  enum class Refusal { busy, exhausted };

  /// A part of the budget that is held for one call; given back at its end unless settled.
  class Reservation {
   public:
    Reservation(Reservation&& other) noexcept;
    Reservation& operator=(Reservation&& other) noexcept;
    ~Reservation() { settle({}); }
    /// Books what the call took and gives back the rest. Only the first call counts.
    void settle(const LlmCost& actual);
    const LlmCost& held() const { return held_; }

   private:
    friend class LlmBudget;
    Reservation(LlmBudget& budget, const LlmCost& held) : budget_(&budget), held_(held) {}
    LlmBudget* budget_;
    LlmCost held_;
  };

  LlmBudget() = default;
  explicit LlmBudget(const Limits& limits) : limits_(limits) {}
  LlmBudget(const LlmBudget&) = delete;
  LlmBudget& operator=(const LlmBudget&) = delete;

  std::variant<Reservation, Refusal> reserve(const LlmCost& worst);
  /// Books what an earlier process spent.
  void add_spent(const LlmCost& cost) { spent_ += cost; }
  const LlmCost& spent() const { return spent_; }
  const LlmCost& reserved() const { return reserved_; }

 private:
  bool fits(const LlmCost& taken, const LlmCost& more) const;
  Limits limits_;
  LlmCost spent_;
  LlmCost reserved_;
};

}  // namespace ke
