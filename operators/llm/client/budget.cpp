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

void CallRates::learn(std::size_t prompt_bytes, std::size_t reply_bytes, const Usage& counted) {
  constexpr std::size_t kept = 8;
  if (prompt_bytes == 0 || counted.input == 0) return;
  last_.push_back({static_cast<double>(prompt_bytes), static_cast<double>(reply_bytes), counted});
  if (last_.size() > kept) last_.pop_front();
}

Usage CallRates::guess(std::size_t prompt_bytes, std::size_t reply_bytes) const {
  constexpr double assumed_bytes = 1e-6;  // so small that any call outweighs it
  double prompt = 4 * assumed_bytes, input = assumed_bytes;
  double reply = 4 * assumed_bytes, output = assumed_bytes;
  for (const Seen& call : last_) {
    prompt += call.prompt_bytes;
    input += static_cast<double>(call.usage.input);
    if (call.reply_bytes == 0) continue;
    reply += call.reply_bytes;
    output += static_cast<double>(call.usage.output);
  }
  Usage usage;
  usage.input = std::llround(static_cast<double>(prompt_bytes) * input / prompt);
  usage.output = std::llround(static_cast<double>(reply_bytes) * output / reply);
  return usage;
}

Usage CallRates::most(std::size_t prompt_bytes, std::int64_t max_output_tokens) const {
  double ratio = last_.empty() ? 0.5 : 0;
  double cached = last_.empty() ? 0 : 1;
  for (const Seen& call : last_) {
    const auto input = static_cast<double>(call.usage.input);
    ratio = std::max(ratio, input / call.prompt_bytes);
    cached = std::min(cached, static_cast<double>(call.usage.cached) / input);
  }
  Usage usage;
  usage.input = std::llround(std::ceil(ratio * static_cast<double>(prompt_bytes)));
  usage.cached = static_cast<std::int64_t>(cached * static_cast<double>(usage.input));
  usage.output = max_output_tokens;
  return usage;
}

std::int64_t CallRates::least_output(std::int64_t max_output_tokens) const {
  std::int64_t longest = last_.empty() ? max_output_tokens / 8 : 1;
  for (const Seen& call : last_) longest = std::max(longest, call.usage.output);
  return std::min(longest, max_output_tokens);
}

std::int64_t CallRates::sent_tokens(std::size_t prompt_bytes, std::int64_t read) const {
  constexpr double shortest = 2000;  // shorter prompts fit in any window
  constexpr double usual_bytes = 3, least_share = 0.5;
  double ratio = 1 / usual_bytes;
  for (const Seen& call : last_) {
    if (call.prompt_bytes < shortest) continue;
    ratio = std::max(ratio, static_cast<double>(call.usage.input) / call.prompt_bytes);
  }
  const auto bytes = static_cast<double>(prompt_bytes);
  const double sent = ratio * bytes;
  const bool cut = bytes >= shortest && read > 0 && static_cast<double>(read) < least_share * sent;
  return cut ? std::llround(sent) : 0;
}

LlmCost worst_cost(const Usage& usage, const Price& price) {
  Price highest = price;
  highest.input = std::max(price.input, price.cache_written);
  return cost_of(usage, highest);
}

std::int64_t affordable_output(const LlmCost& left, const Usage& usage, const Price& price) {
  Usage prompt = usage;
  prompt.output = 0;
  LlmCost rest = left;
  rest -= worst_cost(prompt, price);
  const std::int64_t each = picodollars(1, price.output);
  return each == 0 ? rest.tokens : std::min(rest.tokens, rest.picodollars / each);
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

LlmCost LlmBudget::left() const {
  LlmCost left{limits_.tokens, limits_.picodollars};
  left -= spent_;
  left -= reserved_;
  return left;
}

double LlmBudget::spent_share() const {
  const auto share = [](std::int64_t spent, std::int64_t limit) {
    return static_cast<double>(spent) / static_cast<double>(limit);
  };
  return std::max(share(spent_.tokens, limits_.tokens),
                  share(spent_.picodollars, limits_.picodollars));
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
