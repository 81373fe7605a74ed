#include "core/device_router.hpp"

#include <algorithm>
#include <utility>

#include "core/evaluator.hpp"

namespace ke {
namespace {

constexpr std::chrono::milliseconds slice(2);  ///< longest wait per device before polling the next

}  // namespace

DeviceRouter::DeviceRouter(std::vector<std::unique_ptr<Evaluator>> evaluators) {
  KE_CHECK(!evaluators.empty());
  for (auto& evaluator : evaluators) devices_.push_back({std::move(evaluator)});
}

const EvaluatorInfo& DeviceRouter::device_info(std::size_t device) const {
  return devices_.at(device).evaluator->info();
}

Result<void> DeviceRouter::submit(const Job& job) {
  Device& device = devices_.at(job.device);
  if (job.kind == JobKind::build) return device.evaluator->submit(job);
  device.waiting.push_back(job);
  pass_turn();
  return {};
}

bool DeviceRouter::others_wait() const {
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    if (i != turn_ && !devices_[i].waiting.empty()) return true;
  }
  return false;
}

void DeviceRouter::pass_turn() {
  if (others_wait() && !devices_[turn_].measuring.empty()) return;
  for (std::size_t step = 0; others_wait() && step < devices_.size(); ++step) {
    turn_ = (turn_ + 1) % devices_.size();
    if (!devices_[turn_].waiting.empty()) break;
  }
  Device& device = devices_[turn_];
  for (const Job& job : std::exchange(device.waiting, {})) {
    if (const auto taken = device.evaluator->submit(job); taken) {
      device.measuring.insert(job.key);
    } else {
      refused_.push_back(refused_job(job.key, taken.error()));
    }
  }
}

void DeviceRouter::collect(Device& device, std::chrono::milliseconds wait,
                           std::vector<Fact>& facts) {
  for (Fact& fact : device.evaluator->poll(wait)) {
    device.measuring.erase(fact.key);
    facts.push_back(std::move(fact));
  }
}

std::vector<Fact> DeviceRouter::poll(std::chrono::milliseconds wait) {
  std::vector<Fact> facts;
  for (auto left = wait; facts.empty(); left -= slice) {
    for (Device& device : devices_) collect(device, std::chrono::milliseconds(0), facts);
    if (facts.empty() && left > slice) collect(devices_[turn_], slice, facts);
    pass_turn();
    std::ranges::move(std::exchange(refused_, {}), std::back_inserter(facts));
    if (left <= slice) break;
  }
  return facts;
}

void DeviceRouter::cancel(const Digest& key) {
  for (Device& device : devices_) {
    std::erase_if(device.waiting, [&](const Job& job) { return job.key == key; });
    device.measuring.erase(key);
    device.evaluator->cancel(key);
  }
}

}  // namespace ke
