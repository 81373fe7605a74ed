#pragma once
// Limits on tokens and money that hold for any number of concurrent calls.

#include <limits>
#include <variant>

#include "operators/llm/client/prices.hpp"

namespace ke {

/// Reserve the worst case before a call and settle the actual cost afterwards: spent plus reserved
/// never exceeds the limits. Must outlive its reservations. Not thread-safe.
class LlmBudget {
 public:
  struct Limits {
    std::int64_t tokens = std::numeric_limits<std::int64_t>::max();
    std::int64_t picodollars = std::numeric_limits<std::int64_t>::max();
  };
  /// busy: may fit once open calls are settled. exhausted: cannot fit any more.
  enum class Refusal { busy, exhausted };

  /// Part of the budget reserved for one call; released on destruction unless settled.
  class Reservation {
   public:
    Reservation(Reservation&& other) noexcept;
    Reservation& operator=(Reservation&& other) noexcept;
    ~Reservation() { settle({}); }
    /// Books the actual cost and releases the rest. Only the first call counts.
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
  /// Books the cost of an earlier process.
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
