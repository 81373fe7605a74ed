#include "experiments/study/summary/distil.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "archive/recorded_facts.hpp"
#include "archive/run_devices.hpp"
#include "core/json.hpp"
#include "core/text.hpp"
#include "experiments/study/summary/made_by.hpp"
#include "experiments/study/summary/unified_diff.hpp"

namespace ke {
namespace {

constexpr std::size_t longest_diff = 60;  // lines

struct Gain {
  double ratio = 0;
  Interval interval;
  std::string evidence;
};

/// Combines the half widths of both intervals as independent errors on the log scale.
Gain ratio_of_screens(const Evaluation& child, const Evaluation& parent) {
  const double down = std::hypot(std::log(child.objective / child.interval.low),
                                 std::log(parent.interval.high / parent.objective));
  const double up = std::hypot(std::log(child.interval.high / child.objective),
                               std::log(parent.objective / parent.interval.low));
  const double ratio = child.objective / parent.objective;
  return {ratio, {ratio * std::exp(-down), ratio * std::exp(up)}, "screens"};
}

/// Gain from a duel that the child fought with this parent when it was committed, if there was one.
Result<std::optional<Gain>> gain_of_duel(const RunReader& reader, const CandidateView& child,
                                         const LogicalId& parent) {
  KE_TRY(const auto step, reader.step(child.step_index));
  if (!step) return std::optional<Gain>();
  for (const ArchiveEvent& event : step->events) {
    const bool theirs = event.challenger == child.candidate->id && event.incumbent == parent;
    if (!theirs || event.duel_key.is_zero()) continue;
    KE_TRY(const auto duel, reader.fact(event.duel_key));
    if (!duel || !duel->fact.comparison) continue;
    return std::optional<Gain>({duel->fact.comparison->speedup, event.bounds, "duel"});
  }
  return std::optional<Gain>();
}

Result<Gain> gain_over(const RunReader& reader, const CandidateView& child,
                       const Candidate& parent) {
  KE_TRY(const auto duel, gain_of_duel(reader, child, parent.id));
  if (duel) return *duel;
  return ratio_of_screens(child.candidate->evaluation, parent.evaluation);
}

std::string text_of_flags(const std::vector<std::string>& flags) {
  std::string text;
  for (const std::string& flag : flags) text += flag.empty() ? "" : " " + flag;
  return text.empty() ? " none" : text;
}

std::string pattern_of(const Kernel& from, const Kernel& to) {
  std::string pattern;
  for (const auto& [name, value] : to.knobs) {
    const auto had = from.knobs.find(name);
    if (had != from.knobs.end() && had->second != value) {
      pattern += fmt::format("{}: {} -> {}\n", name, had->second, value);
    }
  }
  if (from.flags != to.flags) {
    pattern += fmt::format("flags:{} ->{}\n", text_of_flags(from.flags), text_of_flags(to.flags));
  }
  std::size_t lines = 0;
  const std::string diff = unified_diff("parent", from.source, "child", to.source);
  for (const std::string_view line : split(diff, '\n')) {
    if (!line.empty() && lines++ < longest_diff) pattern += fmt::format("{}\n", line);
  }
  if (lines > longest_diff) pattern += fmt::format("[{} lines left out]\n", lines - longest_diff);
  return pattern;
}

/// The judge's limiters of the parent's workloads.
std::vector<std::string> limiters_of(const Evaluation& parent) {
  std::set<std::string> limiters;
  const Json record = parse_json(parent.feedback);
  const auto timing = record.is_object() ? record.find("timing") : record.end();
  if (timing == record.end() || !timing->is_object() || !timing->contains("workloads")) return {};
  for (const Json& workload : (*timing)["workloads"]) {
    const auto limiter = workload.is_object() ? workload.find("limiter") : workload.end();
    if (limiter != workload.end() && limiter->is_string()) limiters.insert(*limiter);
  }
  return {limiters.begin(), limiters.end()};
}

Lesson lesson_of(const Candidate& child, const Candidate& parent, const Gain& gain) {
  Lesson lesson;
  lesson.language = child.kernel.language;
  lesson.operator_name = child.operator_name;
  lesson.gain = gain.ratio;
  lesson.interval = gain.interval;
  lesson.evidence = gain.evidence;
  lesson.limiters = limiters_of(parent.evaluation);
  lesson.pattern = pattern_of(parent.kernel, child.kernel);
  return lesson;
}

/// Lesson of a candidate; nothing if it is not an improving edit.
Result<std::optional<Lesson>> learned_from(const RunReader& reader, const CandidateView& view) {
  const Candidate& child = *view.candidate;
  if (child.outcome != OutcomeKind::kernel || !is_ok_kernel(child)) return std::optional<Lesson>();
  KE_TRY(const CandidatePtr parent, best_parent(reader, child));
  if (!parent) return std::optional<Lesson>();
  KE_TRY(const Gain gain, gain_over(reader, view, *parent));
  if (!(gain.interval.low > 1)) return std::optional<Lesson>();
  return std::optional<Lesson>(lesson_of(child, *parent, gain));
}

/// Evaluator of an island's kernels; nothing if no session ever started one.
std::optional<EvaluatorInfo> evaluator_of(std::int64_t island,
                                          const std::optional<EvaluatorInfo>& only,
                                          const std::vector<DeviceRecord>& devices) {
  for (const DeviceRecord& device : devices) {
    if (std::ranges::find(device.islands, island) != device.islands.end()) return device.info;
  }
  return only;
}

}  // namespace

Result<std::vector<Lesson>> distil(const RunReader& reader) {
  KE_TRY(const RunHeader header, reader.header());
  KE_TRY(const auto only, recorded_evaluator(reader));
  KE_TRY(const auto devices, recorded_devices(reader));
  KE_TRY(const Digest history, reader.history_hash());
  std::vector<Lesson> lessons;
  for (std::int64_t row = 1;; ++row) {
    KE_TRY(const auto view, reader.candidate_at(row));
    if (!view) return lessons;
    KE_TRY(auto lesson, learned_from(reader, *view));
    if (!lesson) continue;
    lesson->id =
        fmt::format("{}@{}/{}", reader.run_id(), history.short_hex(8), view->candidate->id.text());
    lesson->task = header.task;
    if (const auto evaluator = evaluator_of(view->candidate->id.island, only, devices)) {
      lesson->device = evaluator->device_class;
      lesson->workloads = evaluator->workloads;
    }
    lessons.push_back(*std::move(lesson));
  }
}

}  // namespace ke
