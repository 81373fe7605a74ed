#include "operators/llm/client/budget.hpp"

#include <utility>

namespace ke {

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
