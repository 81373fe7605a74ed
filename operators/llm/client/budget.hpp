#pragma once
// Limits on tokens and money that hold for any number of concurrent calls.

#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "operators/llm/client/answer.hpp"

namespace ke {

/// A call's use of a budget.
struct LlmCost {
  std::int64_t tokens = 0;
  std::int64_t picodollars = 0;
  double dollars() const { return static_cast<double>(picodollars) * 1e-12; }
  LlmCost& operator+=(const LlmCost& other) {
    tokens += other.tokens;
    picodollars += other.picodollars;
    return *this;
  }
  LlmCost& operator-=(const LlmCost& other) {
    tokens -= other.tokens;
    picodollars -= other.picodollars;
    return *this;
  }
  friend bool operator==(const LlmCost&, const LlmCost&) = default;
};

/// Dollars per million tokens.
struct Price {
  double input = 0;
  double cached = 0;         ///< input read from the provider's cache
  double cache_written = 0;  ///< input written to the provider's cache
  double output = 0;
  std::string date;  ///< year-month of the list; "" = given by the user
};

/// The list price of a model, by name or dated snapshot (gpt-5-mini-2025-08-07); nothing when
/// unlisted. Lists become outdated: an experiment may set its own price.
std::optional<Price> list_price(std::string_view model);

LlmCost cost_of(const Usage& usage, const Price& price);

/// Estimates of one endpoint's calls, learned from those that it counted. Before the first of them
/// a token is taken to have four bytes, or two where the estimate must not be too low.
class CallRates {
 public:
  void learn(std::size_t prompt_bytes, std::size_t reply_bytes, const Usage& counted);
  /// An estimate for a call without a report.
  Usage guess(std::size_t prompt_bytes, std::size_t reply_bytes) const;
  /// The most that a call takes: by the highest ratio and the lowest share of cached tokens among
  /// the last calls.
  Usage most(std::size_t prompt_bytes, std::int64_t max_output_tokens) const;
  /// The shortest limit on an answer that is worth a call: the longest of the last answers, or an
  /// eighth of `max_output_tokens` before the first.
  std::int64_t least_output(std::int64_t max_output_tokens) const;
  /// Estimated tokens of a prompt of which the provider read less than half, judging by its count
  /// `read`; 0 if there is no sign of that.
  std::int64_t sent_tokens(std::size_t prompt_bytes, std::int64_t read) const;

 private:
  struct Seen {
    double prompt_bytes;
    double reply_bytes;
    Usage usage;
  };
  std::deque<Seen> last_;  ///< the last calls
};

/// The cost of `usage` if no input is cheaper than the dearest kind, except the cached tokens.
LlmCost worst_cost(const Usage& usage, const Price& price);
/// The longest answer that `left` pays for beside the input of `usage`; 0 or less = none.
std::int64_t affordable_output(const LlmCost& left, const Usage& usage, const Price& price);

/// Reserve what a call costs at most before it and settle the actual cost afterwards: spent plus
/// reserved never exceeds the limits. Must outlive its reservations. Not thread-safe.
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
  /// The part that is neither spent nor reserved.
  LlmCost left() const;
  /// Books the cost of an earlier process.
  void add_spent(const LlmCost& cost) { spent_ += cost; }
  const LlmCost& spent() const { return spent_; }
  const LlmCost& reserved() const { return reserved_; }
  /// Spent share of the limit that is closer.
  double spent_share() const;

 private:
  bool fits(const LlmCost& taken, const LlmCost& more) const;
  Limits limits_;
  LlmCost spent_;
  LlmCost reserved_;
};

}  // namespace ke
