#include "experiments/run/ask.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <optional>

#include "core/search/job_maker.hpp"
#include "experiments/text/opponent_name.hpp"
#include "fitness/build_outcome.hpp"
#include "fitness/host/python_baseline.hpp"
#include "operators/llm/figures.hpp"

namespace ke {

Result<Fact> ask(Evaluator& evaluator, const Job& job) {
  KE_TRY_VOID(evaluator.submit(job));
  for (;;) {
    for (Fact& fact : evaluator.poll(std::chrono::milliseconds(1000))) {
      if (fact.key != job.key) continue;
      KE_TRY_VOID(reference_health(fact));
      return std::move(fact);
    }
  }
}

Result<Fact> ask_reliably(Evaluator& evaluator, Job job, std::string_view purpose) {
  constexpr std::int64_t most_looks = 3;
  const Digest first = job.key;
  for (job.look = 0;; ++job.look) {
    Encoder key;
    key(purpose)(first)(job.look);
    job.key = key.digest();
    KE_TRY(Fact fact, ask(evaluator, job));
    const bool again = is_worth_asking_again(fact.verdict);
    if (!again || job.look + 1 == most_looks) return fact;
  }
}

namespace {

/// Nothing when a stop was requested.
Result<std::optional<Fact>> ask_until(Evaluator& evaluator, const Job& job, const StopToken& stop) {
  KE_TRY_VOID(evaluator.submit(job));
  while (!stop.stop_requested()) {
    for (Fact& fact : evaluator.poll(std::chrono::milliseconds(50))) {
      if (fact.key == job.key) return std::optional(std::move(fact));
    }
  }
  evaluator.cancel(job.key);
  return std::optional<Fact>();
}

/// Why an opponent cannot run; "" if it can.
std::string failure_of(const Fact& fact) {
  constexpr std::string_view said = "the opponent failed: ";
  if (fact.verdict == Verdict::ok) return "";
  std::string text = fact.message.empty() ? fact.reason : fact.message;
  if (text.starts_with(said)) return text.substr(said.size());
  if (fact.verdict != Verdict::lost) text = fmt::format("{} {}", to_string(fact.verdict), text);
  for (const Diagnostic& one : fact.diagnostics) {
    if (one.severity == "error") return fmt::format("{}: line {}: {}", text, one.line, one.message);
  }
  return text;
}

/// A form that torch.compile cannot make, and a vendor's library that this machine lacks. Any other
/// failure is one of the task's files.
bool may_be_left_out(const std::string& name, const std::string& failure) {
  const bool of_the_task = name == "anchor" || name.starts_with("naive");
  return (lacks_file(failure) && !of_the_task) || !compile_mode(name).empty();
}

}  // namespace

Result<TriedOpponents> try_opponents(Evaluator& evaluator, std::size_t device, const Task& task,
                                     const std::vector<std::string>& names, const StopToken& stop) {
  TriedOpponents tried;
  std::vector<std::string> times;
  const JobMaker jobs(evaluator.device_info(device), task.content_hash, device);
  for (const std::string& name : names) {
    KE_TRY(const auto fact, ask_until(evaluator, jobs.probe(name), stop));
    if (!fact) return tried;
    KE_TRY_VOID(reference_health(*fact));
    const std::string failure = failure_of(*fact);
    const std::string words = opponent_name(name, anchor_stand_in(task));
    if (failure.empty()) {
      const auto ns = fact->measures.find(call_ns_measure);
      if (ns == fact->measures.end() || ns->second <= 0) continue;
      times.push_back(fmt::format("{} {}", words, time_words(ns->second, nullptr)));
      continue;
    }
    std::string text = fmt::format("task '{}': nothing can be compared with the opponent {}: {}",
                                   task.name, words, failure);
    if (!may_be_left_out(name, failure)) return Error{Failure::config, text};
    tried.warnings.push_back(std::move(text));
  }
  if (!times.empty()) {
    tried.times = fmt::format("Opponents at {}, the shortest of a few calls: {}\n",
                              task.labels(Role::bench).front(), fmt::join(times, ", "));
  }
  return tried;
}

}  // namespace ke
