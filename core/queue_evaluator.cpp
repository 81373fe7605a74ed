#include "core/queue_evaluator.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ke {

std::string device_capability(std::size_t device) { return fmt::format("device {}", device); }

Job without_device_need(Job job) {
  std::erase_if(job.needs, [](const std::string& need) { return need.starts_with("device "); });
  return job;
}

Result<void> QueueEvaluator::submit(const Job& job) {
  if (!open_.insert(job.key).second) return {};
  Job asked = job;
  asked.needs.push_back(device_capability(job.device));
  return queue_.push(asked);
}

std::vector<Fact> QueueEvaluator::poll(std::chrono::milliseconds wait) {
  constexpr std::chrono::milliseconds longest_pause(25);
  std::vector<Fact> facts = take();
  while (facts.empty() && !open_.empty() && wait.count() > 0 && health_) {
    const auto pause = std::min(pause_, wait);
    wait_(pause);
    wait -= pause;
    pause_ = std::min(2 * pause_, longest_pause);
    facts = take();
  }
  if (!facts.empty()) pause_ = std::chrono::milliseconds(1);
  return facts;
}

std::vector<Fact> QueueEvaluator::take() {
  auto facts = queue_.take_finished();
  if (!facts) {
    health_ = facts.error();
    return {};
  }
  // Another session of the run may have asked for more.
  std::erase_if(*facts, [this](const Fact& fact) { return open_.erase(fact.key) == 0; });
  return *std::move(facts);
}

void QueueEvaluator::cancel(const Digest& key) {
  if (open_.erase(key) == 0) return;
  if (auto cancelled = queue_.cancel(key); !cancelled) health_ = cancelled.error();
}

}  // namespace ke
