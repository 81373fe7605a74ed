#include "operators/llm/sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/feedback_record.hpp"
#include "operators/llm/figures.hpp"

namespace ke {
namespace {

/// A kernel with its times and the name of its line.
struct TimedKernel {
  std::string name;
  std::vector<RecordedTiming> timings;
};

std::string parent_name(const PromptScene& scene, std::size_t i) {
  if (!scene.worked_on.empty()) return i == 0 ? std::string(scene.worked_on) : "parent";
  return scene.parents.size() > 1 ? fmt::format("parent {}", i + 1) : "parent";
}

std::vector<TimedKernel> timed_kernels(const PromptScene& scene) {
  std::vector<TimedKernel> list;
  for (std::size_t i = 0; i < scene.parents.size(); ++i) {
    const Candidate& c = *scene.parents[i].candidate;
    list.push_back({parent_name(scene, i), timings_of(c.evaluation.feedback)});
  }
  if (const Candidate* best = best_other(scene)) {
    list.push_back({fmt::format("best other kernel ({})", best->id.text()),
                    timings_of(best->evaluation.feedback)});
  }
  return list;
}

/// Each workload once, from its first measurement.
std::vector<RecordedTiming> timed_workloads_of(const std::vector<TimedKernel>& kernels) {
  std::vector<RecordedTiming> list;
  for (const TimedKernel& kernel : kernels) {
    for (const RecordedTiming& timing : kernel.timings) {
      const auto known = std::ranges::find(list, timing.workload, &RecordedTiming::workload);
      if (known == list.end()) list.push_back(timing);
    }
  }
  return list;
}

std::string times_floor(double time, double floor) {
  return floor > 0 ? fmt::format(", {:.2f} times the floor", time / floor) : "";
}

std::string kernel_line(const std::string& name, const RecordedTiming& t, double floor,
                        const DeviceSheet* sheet) {
  std::string text =
      fmt::format("  {}: {}{}", name, time_words(t.time, sheet), times_floor(t.time, floor));
  if (t.speedup > 0) {
    text += fmt::format(", speedup {:.3f} [{:.3f}, {:.3f}]", t.speedup, t.ci.low, t.ci.high);
  }
  if (sheet != nullptr && !sheet->time_unit.empty()) return text + "\n";
  if (t.gb_per_s > 0) text += fmt::format(", {:.1f} GB/s", t.gb_per_s);
  if (t.gflops > 0) text += fmt::format(", {:.1f} GFLOP/s", t.gflops);
  return text + "\n";
}

std::string workload_lines(const RecordedTiming& first, const std::vector<TimedKernel>& kernels,
                           const DeviceSheet* sheet) {
  double floor = floor_of(sheet, first.workload);
  if (floor == 0) floor = first.floor;
  std::string text = fmt::format("{} {}:\n", first.role, first.workload);
  if (floor > 0) text += fmt::format("  floor: {}\n", time_words(floor, sheet));
  if (first.opponent_time > 0) {
    text += fmt::format("  anchor: {}{}\n", time_words(first.opponent_time, sheet),
                        times_floor(first.opponent_time, floor));
  }
  for (const TimedKernel& kernel : kernels) {
    const auto timing =
        std::ranges::find(kernel.timings, first.workload, &RecordedTiming::workload);
    if (timing != kernel.timings.end()) text += kernel_line(kernel.name, *timing, floor, sheet);
  }
  return text;
}

std::optional<double> measure(const Evaluation& evaluation, const char* name) {
  const auto found = evaluation.measures.find(name);
  return found == evaluation.measures.end() ? std::nullopt : std::optional(found->second);
}

/// The validation result, if measured.
std::string validation_words(const Evaluation& evaluation) {
  const auto speedup = measure(evaluation, "validation_speedup");
  const auto low = measure(evaluation, "validation_low");
  const auto high = measure(evaluation, "validation_high");
  if (!speedup) return "";
  std::string text = fmt::format("; at the validation shapes {:.3f}", *speedup);
  if (low && high) text += fmt::format(" [{:.3f}, {:.3f}]", *low, *high);
  if (measure(evaluation, "validation_loses")) text += ", where it loses: it is no winner";
  return text;
}

std::string score_line(const std::string& name, const Candidate& c) {
  const Evaluation& e = c.evaluation;
  if (e.verdict != Verdict::ok) return "";
  return fmt::format("{}: {:.3f} [{:.3f}, {:.3f}]{}\n", name, e.objective, e.interval.low,
                     e.interval.high, validation_words(e));
}

}  // namespace

std::string score_section(const PromptScene& scene) {
  std::string text;
  for (std::size_t i = 0; i < scene.parents.size(); ++i) {
    text += score_line(parent_name(scene, i), *scene.parents[i].candidate);
  }
  if (const Candidate* best = best_other(scene)) {
    text += score_line(fmt::format("best other kernel ({})", best->id.text()), *best);
  }
  if (text.empty()) return text;
  return "## Score\nSpeedup against the anchor, the task's own structured kernel, with its 95 % "
         "interval; at the bench shapes:\n" +
         text;
}

std::string timing_section(const PromptScene& scene) {
  const std::vector<TimedKernel> kernels = timed_kernels(scene);
  std::string text;
  for (const RecordedTiming& workload : timed_workloads_of(kernels)) {
    text += workload_lines(workload, kernels, scene.context.sheet);
  }
  if (text.empty()) return text;
  return "## Times\nEach is the median of one call. A floor is what memory alone needs; a speedup "
         "is the "
         "anchor's time over the kernel's.\n" +
         text;
}

}  // namespace ke
