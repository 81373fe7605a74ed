#include "core/patient_evaluator.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ke {

Result<void> PatientEvaluator::submit(const Job& job) {
  const bool repeats = job.kind == JobKind::screen || job.kind == JobKind::duel;
  if (repeats && !open_.try_emplace(job.key, Open{job}).second) return {};
  return inner_.submit(job);
}

std::vector<Fact> PatientEvaluator::poll(std::chrono::milliseconds wait) {
  repeat_due();
  std::vector<Fact> facts = inner_.poll(until_due(wait));
  std::erase_if(facts, [this](const Fact& fact) { return is_held(fact); });
  for (const Fact& fact : facts) {
    if (open_.erase(fact.key) > 0) count(fact);
  }
  return facts;
}

void PatientEvaluator::cancel(const Digest& key) {
  open_.erase(key);
  inner_.cancel(key);
}

void PatientEvaluator::repeat_due() {
  for (auto& [key, open] : open_) {
    if (!open.waiting || open.due > rules_.now()) continue;
    open.waiting = false;
    if (auto taken = inner_.submit(open.job); !taken) health_ = taken.error();
  }
}

/// `wait`, or less when a repeat is due earlier.
std::chrono::milliseconds PatientEvaluator::until_due(std::chrono::milliseconds wait) const {
  const auto now = rules_.now();
  for (const auto& [key, open] : open_) {
    if (!open.waiting) continue;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(open.due - now);
    wait = std::clamp(left, std::chrono::milliseconds(0), wait);
  }
  return wait;
}

bool PatientEvaluator::is_held(const Fact& fact) {
  const auto found = open_.find(fact.key);
  if (found == open_.end() || fact.verdict != Verdict::unreliable) return false;
  Open& open = found->second;
  if (open.repeats == rules_.pauses.size()) return false;
  open.due = rules_.now() + rules_.pauses[open.repeats++];
  open.waiting = true;
  return true;
}

// A kernel that fails before timing gives no information about the machine.
void PatientEvaluator::count(const Fact& fact) {
  if (fact.comparison) in_a_row_ = 0;
  if (!is_worth_asking_again(fact.verdict) || ++in_a_row_ < rules_.most_in_a_row) return;
  if (health_) health_ = Error{Failure::device, complaint(fact)};
}

std::string PatientEvaluator::complaint(const Fact& fact) const {
  if (fact.verdict == Verdict::lost) {
    return fmt::format(
        "{} measurements in a row were lost ({}: {}); no evaluation was charged for "
        "them; 'resume' goes on once the cause is gone",
        in_a_row_, fact.reason, fact.message);
  }
  return fmt::format(
      "this machine is too busy to time kernels: {} in a row came out unreliable "
      "({}: {}), each tried {} times; end other programs, then 'resume' goes on",
      in_a_row_, fact.reason, fact.message, rules_.pauses.size() + 1);
}

}  // namespace ke
