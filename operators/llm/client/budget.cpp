#include "operators/llm/client/budget.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ke {
namespace {

struct PriceRow {
  std::string_view model;
  double input;
  double cached;
  double output;
  std::string_view date;
};

// Dollars per million tokens of standard calls, from the providers' public price pages.
constexpr PriceRow price_table[] = {
    {"claude-3-5-haiku", 0.80, 0.08, 4.00, "2026-02"},
    {"claude-haiku-4-5", 1.00, 0.10, 5.00, "2026-02"},
    {"claude-opus-4-1", 15.00, 1.50, 75.00, "2026-02"},
    {"claude-opus-4-5", 5.00, 0.50, 25.00, "2026-02"},
    {"claude-opus-4-6", 5.00, 0.50, 25.00, "2026-02"},
    {"claude-sonnet-4", 3.00, 0.30, 15.00, "2026-02"},
    {"claude-sonnet-4-5", 3.00, 0.30, 15.00, "2026-02"},
    {"claude-sonnet-4-6", 3.00, 0.30, 15.00, "2026-02"},
    {"gpt-4.1", 2.00, 0.50, 8.00, "2026-02"},
    {"gpt-5-mini", 0.25, 0.025, 2.00, "2026-02"},
    {"gpt-5.2", 1.75, 0.175, 14.00, "2026-02"},
};
constexpr double written_factor = 1.25;  // relative to the price of input

/// Accepts "-20250514" and "-2025-08-07", but not "-pro": another model has another price.
bool is_snapshot(std::string_view rest) {
  if (rest.empty()) return true;
  const auto fits = [](char c) { return (c >= '0' && c <= '9') || c == '-'; };
  return rest.starts_with("-20") && rest.size() >= 9 && std::all_of(rest.begin(), rest.end(), fits);
}

std::int64_t picodollars(std::int64_t tokens, double dollars_per_million) {
  return tokens * std::llround(dollars_per_million * 1e6);
}

}  // namespace

std::optional<Price> list_price(std::string_view model) {
  for (const PriceRow& row : price_table) {
    if (!model.starts_with(row.model) || !is_snapshot(model.substr(row.model.size()))) continue;
    return Price{row.input, row.cached, row.input * written_factor, row.output,
                 std::string(row.date)};
  }
  return std::nullopt;
}

LlmCost cost_of(const Usage& usage, const Price& price) {
  const std::int64_t cached = std::min(usage.cached, usage.input);
  const std::int64_t written = std::min(usage.cache_written, usage.input - cached);
  return {usage.input + usage.output, picodollars(usage.input - cached - written, price.input) +
                                          picodollars(cached, price.cached) +
                                          picodollars(written, price.cache_written) +
                                          picodollars(usage.output, price.output)};
}

Usage worst_usage(std::size_t prompt_bytes, std::size_t messages, std::int64_t max_output_tokens) {
  Usage usage;
  usage.input = static_cast<std::int64_t>(prompt_bytes + 16 * (messages + 1));
  usage.output = max_output_tokens;
  return usage;
}

LlmCost worst_cost(const Usage& worst, const Price& price) {
  Price highest = price;
  highest.input = std::max({price.input, price.cached, price.cache_written});
  return cost_of(worst, highest);
}

Usage guessed_usage(std::size_t prompt_bytes, std::size_t reply_bytes) {
  Usage usage;
  usage.input = static_cast<std::int64_t>(prompt_bytes / 3 + 1);
  usage.output = static_cast<std::int64_t>(reply_bytes / 3);
  return usage;
}

LlmBudget::Reservation::Reservation(Reservation&& other) noexcept
    : budget_(std::exchange(other.budget_, nullptr)), held_(other.held_) {}

LlmBudget::Reservation& LlmBudget::Reservation::operator=(Reservation&& other) noexcept {
  std::swap(budget_, other.budget_);
  std::swap(held_, other.held_);
  return *this;
}

void LlmBudget::Reservation::settle(const LlmCost& actual) {
  if (budget_ == nullptr) return;
  budget_->reserved_ -= held_;
  budget_->spent_ += actual;
  budget_ = nullptr;
}

bool LlmBudget::fits(const LlmCost& taken, const LlmCost& more) const {
  return more.tokens <= limits_.tokens - taken.tokens &&
         more.picodollars <= limits_.picodollars - taken.picodollars;
}

std::variant<LlmBudget::Reservation, LlmBudget::Refusal> LlmBudget::reserve(const LlmCost& worst) {
  LlmCost taken = spent_;
  if (!fits(taken, worst)) return Refusal::exhausted;
  taken += reserved_;
  if (!fits(taken, worst)) return Refusal::busy;
  reserved_ += worst;
  return Reservation(*this, worst);
}

}  // namespace ke
