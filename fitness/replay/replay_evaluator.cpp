#include "fitness/replay/replay_evaluator.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "fitness/job_queues.hpp"

namespace ke {
namespace {

constexpr std::size_t most_named = 6;

void compare_knobs(const Kernel& asked, const Kernel& other, std::vector<std::string>& differs) {
  for (const auto& [name, value] : asked.knobs) {
    const auto found = other.knobs.find(name);
    if (found == other.knobs.end()) {
      differs.push_back(fmt::format("knob {} is not there", name));
    } else if (found->second != value) {
      differs.push_back(fmt::format("knob {} is {} instead of {}", name, found->second, value));
    }
  }
}

void compare_flags(const Kernel& asked, const Kernel& other, std::vector<std::string>& differs) {
  if (asked.flags.size() != other.flags.size()) {
    differs.emplace_back("it has another number of flag genes");
    return;
  }
  for (std::size_t g = 0; g < asked.flags.size(); ++g) {
    if (asked.flags[g] == other.flags[g]) continue;
    differs.push_back(
        fmt::format("flag {} is '{}' instead of '{}'", g, other.flags[g], asked.flags[g]));
  }
}

std::vector<std::string> kernel_differences(const Kernel& asked, const Kernel& other) {
  std::vector<std::string> differs;
  if (asked.language != other.language) differs.push_back("its language is " + other.language);
  if (asked.source != other.source) {
    // The knobs of a different source mean little, but they break ties.
    differs.push_back(fmt::format("its source is {} instead of {}",
                                  sha256(other.source).short_hex(8),
                                  sha256(asked.source).short_hex(8)));
  }
  if (asked.launch_plan != other.launch_plan) differs.emplace_back("its launch plan differs");
  compare_knobs(asked, other, differs);
  compare_flags(asked, other, differs);
  return differs;
}

std::string opponent_name(const Job& job) {
  if (!job.opponent) return "none";
  if (!job.opponent->kernel) return job.opponent->name;
  return "kernel " + job.opponent->kernel->genome_hash().short_hex(8);
}

/// The differences of `other` from `asked`; empty when both request the same of one kernel.
std::vector<std::string> differences(const Job& asked, const Job& other) {
  std::vector<std::string> differs;
  if (asked.kind != other.kind) {
    differs.push_back(fmt::format("it is a {}", to_string(other.kind)));
  } else if (opponent_name(asked) != opponent_name(other)) {
    differs.push_back(fmt::format("its opponent is {} instead of {}", opponent_name(other),
                                  opponent_name(asked)));
  }
  if (asked.look != other.look) {
    differs.push_back(fmt::format("it is look {} instead of {}", other.look, asked.look));
  }
  for (std::string& difference : kernel_differences(asked.kernel, other.kernel)) {
    differs.push_back(std::move(difference));
  }
  return differs;
}

std::string listed(std::vector<std::string> differs) {
  if (differs.empty()) {
    return "it asks the same of the same kernel, so task content, toolchain, device class or the "
           "build it rests on differ";
  }
  const std::size_t count = differs.size();
  if (count > most_named) {
    differs.resize(most_named);
    differs.push_back(fmt::format("and {} more", count - most_named));
  }
  return fmt::format("{}", fmt::join(differs, ", "));
}

class ReplayEvaluator final : public Evaluator {
 public:
  explicit ReplayEvaluator(Recording recording) : recording_(std::move(recording)) {}

  const EvaluatorInfo& info() const override { return recording_.info; }
  const EvaluatorInfo& device_info(std::size_t device) const override {
    return recording_.devices.empty() ? recording_.info : recording_.devices.at(device);
  }

  Result<void> submit(const Job& job) override {
    KE_TRY_VOID(check_needs(job, device_info(job.device).capabilities, unserved_need));
    const bool joined = std::any_of(ready_.begin(), ready_.end(),
                                    [&](const Fact& fact) { return fact.key == job.key; });
    if (joined) return {};
    KE_TRY(std::optional<Fact> fact, recording_.facts->find(job.key));
    if (!fact) {
      KE_TRY(const std::vector<Job> recorded, recording_.jobs());
      return Error{Failure::replay_miss, describe_miss(job, recorded)};
    }
    ready_.push_back(*std::move(fact));
    return {};
  }
  std::vector<Fact> poll(std::chrono::milliseconds) override { return std::exchange(ready_, {}); }
  void cancel(const Digest& key) override {
    std::erase_if(ready_, [&](const Fact& fact) { return fact.key == key; });
  }

 private:
  Recording recording_;
  std::vector<Fact> ready_;
};

}  // namespace

std::string describe_miss(const Job& asked, std::span<const Job> recorded) {
  std::string text =
      fmt::format("replay miss: no recorded {} {} of kernel {}", to_string(asked.kind),
                  asked.key.short_hex(), asked.kernel.genome_hash().short_hex());
  const Job* nearest = nullptr;
  std::vector<std::string> fewest;
  for (const Job& job : recorded) {
    std::vector<std::string> differs = differences(asked, job);
    if (nearest != nullptr && differs.size() >= fewest.size()) continue;
    nearest = &job;
    fewest = std::move(differs);
  }
  if (nearest == nullptr) return text + "; nothing is recorded";
  return text + fmt::format("; the nearest is {} {}: {}", to_string(nearest->kind),
                            nearest->key.short_hex(), listed(std::move(fewest)));
}

std::unique_ptr<Evaluator> make_replay_evaluator(Recording recording) {
  return std::make_unique<ReplayEvaluator>(std::move(recording));
}

}  // namespace ke
