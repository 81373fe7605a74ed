#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/feedback_record.hpp"
#include "core/json.hpp"
#include "operators/llm/figures.hpp"
#include "operators/llm/prompt_sections.hpp"

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
  if (floor <= 0) return "";
  return fmt::format(", {:.2f} times the floor (headroom {:.0f} %)", time / floor,
                     100 * std::max(0.0, 1 - floor / time));
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
                           const PromptScene& scene) {
  const DeviceSheet* sheet = scene.context.sheet;
  double floor = floor_of(sheet, first.workload);
  if (floor == 0) floor = first.floor;
  std::string text = fmt::format("{} {}:\n", first.role, first.workload);
  if (floor > 0) text += fmt::format("  floor: {}\n", time_words(floor, sheet));
  if (first.opponent_time > 0) {
    text += fmt::format("  {}: {}{}\n", opponent_words(scene.context.contract),
                        time_words(first.opponent_time, sheet),
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
  return fmt::format(
      "## Score\nSpeedup against {}, with its 95 % interval; at the bench shapes:\n{}",
      opponent_words(scene.context.contract), text);
}

std::string timing_section(const PromptScene& scene) {
  const std::vector<TimedKernel> kernels = timed_kernels(scene);
  std::string text;
  for (const RecordedTiming& workload : timed_workloads_of(kernels)) {
    text += workload_lines(workload, kernels, scene);
  }
  if (text.empty()) return text;
  return fmt::format(
      "## Times\nEach is the median of one call. A floor is what moving the bytes or the usual "
      "operations need at least, headroom the share of a time above it; a speedup is the time of "
      "{} over the kernel's.\n{}",
      opponent_words(scene.context.contract), text);
}

namespace {

/// The judge's record of a candidate; an empty object when there is none.
Json record_of(const Candidate& candidate) {
  Json json = parse_json(candidate.evaluation.feedback);
  return json.is_object() ? json : Json::object();
}

/// One part per parent, under one heading.
template <typename Text>
std::string of_parents(const PromptScene& scene, std::string_view heading, Text text_of) {
  std::string body;
  for (std::size_t i = 0; i < scene.parents.size(); ++i) {
    const std::string text = text_of(*scene.parents[i].candidate);
    if (text.empty()) continue;
    if (scene.parents.size() > 1) body += fmt::format("Parent {}:\n", i + 1);
    body += text;
  }
  return body.empty() ? body : fmt::format("## {}\n{}", heading, body);
}

/// A member of an object as plain text: a string without quotes, a number in short form.
std::string plain(const Json& object, const char* key) {
  if (!object.is_object() || !object.contains(key)) return "";
  const Json& value = object[key];
  if (value.is_string()) return value.get<std::string>();
  return value.is_number_float() ? fmt::format("{:.4g}", value.get<double>()) : json_text(value);
}

/// Program output as data: quoted, on one line.
std::string quoted(const std::string& text) { return json_text(Json(text)); }

// --- diagnostics ---

std::string place_of(const Json& failure) {
  const std::string workload = plain(failure, "workload"), inputs = plain(failure, "inputs");
  std::string text = "It failed";
  if (workload == "not shown") text += " at a shape that is not shown";
  if (!workload.empty() && workload != "not shown") text += " at " + workload;
  if (!inputs.empty()) text += ", inputs " + inputs;
  if (const auto place = plain(failure, "placement"); !place.empty()) {
    text += fmt::format(", tensors at the {} of their memory", place);
  }
  if (const auto call = plain(failure, "call"); !call.empty() && call != "0") {
    text += fmt::format(", call {}", call);
  }
  return text + "\n";
}

std::string mismatch_of(const Json& failure) {
  const std::string output = plain(failure, "output");
  if (output.empty()) return "";
  std::string text = fmt::format("Output {}", output);
  if (const auto wrong = plain(failure, "wrong"); !wrong.empty()) {
    text += fmt::format(": {} of {} elements wrong", wrong, plain(failure, "elements"));
  }
  text += fmt::format("; pattern: {}", plain(failure, "pattern"));
  if (failure.contains("stride")) text += fmt::format(", every {}", plain(failure, "stride"));
  if (failure.contains("error_used_of_allowed")) {
    text += fmt::format("; the largest error is {} times the allowed one",
                        plain(failure, "error_used_of_allowed"));
  }
  text += "\n";
  if (!failure.contains("first")) return text;
  for (const Json& element : failure["first"]) {
    text += fmt::format("  {}[{}] is {}, should be {}\n", output, plain(element, "index"),
                        plain(element, "got"), plain(element, "want"));
  }
  return text;
}

std::string compiler_lines(const Json& record) {
  std::string text;
  if (!record.contains("diagnostics") || !record["diagnostics"].is_array()) return text;
  for (const Json& one : record["diagnostics"]) {
    const std::string column = plain(one, "column");
    text += fmt::format("  line {}{}: {} {}\n", plain(one, "line"),
                        column.empty() || column == "0" ? "" : ", column " + column,
                        plain(one, "severity"), quoted(plain(one, "message")));
  }
  return text.empty() ? text : "The compiler says:\n" + text;
}

std::string note_lines(const Json& record) {
  std::string text;
  if (const auto margin = plain(record, "error_used_of_allowed"); !margin.empty()) {
    text += fmt::format("Its largest error is {} of the allowed one\n", margin);
  }
  if (!record.contains("policy_flags") || !record["policy_flags"].is_array()) return text;
  for (const Json& flag : record["policy_flags"]) {
    if (flag.is_string()) text += fmt::format("The judge notes {}\n", quoted(flag));
  }
  return text;
}

std::string diagnosis_of(const Candidate& c) {
  const Json record = record_of(c);
  std::string text;
  if (c.evaluation.verdict != Verdict::ok) {
    text = fmt::format("Verdict: {} ({})", to_string(c.evaluation.verdict), c.evaluation.reason);
    if (const auto message = plain(record, "message"); !message.empty()) {
      text += ": " + quoted(message);
    }
    text += "\n";
  }
  if (record.contains("failure")) {
    text += place_of(record["failure"]) + mismatch_of(record["failure"]);
  }
  return text + compiler_lines(record) + note_lines(record);
}

// --- profile ---

double measured(const Candidate& c, const char* name) {
  return measure(c.evaluation, name).value_or(0);
}

/// Threads that fit the registers of one multiprocessor. Registers are allocated per warp in units
/// of 256 and separately in each of its four partitions.
std::int64_t threads_by_registers(std::int64_t registers, const ResidencyLimits& limits) {
  constexpr std::int64_t unit = 256, parts = 4;
  const std::int64_t of_warp = (registers * limits.wave + unit - 1) / unit * unit;
  const std::int64_t warps = of_warp == 0 ? 0 : limits.registers / parts / of_warp * parts;
  return std::min(warps * limits.wave, limits.threads);
}

std::string register_lines(const Candidate& c, const ResidencyLimits& limits) {
  const auto registers = static_cast<std::int64_t>(measured(c, "registers"));
  if (registers == 0) return "";
  std::string text = fmt::format("{} registers a thread", registers);
  if (limits.registers > 0 && limits.threads > 0 && limits.wave > 0) {
    const std::int64_t threads = threads_by_registers(registers, limits);
    text += fmt::format(": an SM holds at most {} of {} threads ({} %)", threads, limits.threads,
                        100 * threads / limits.threads);
  }
  const double spills = measured(c, "spill_bytes");
  return text + (spills > 0 ? fmt::format("; {:.0f} bytes a thread are spilled to memory\n", spills)
                            : "; nothing is spilled\n");
}

std::string shared_lines(const Candidate& c, const ResidencyLimits& limits) {
  const double bytes = measured(c, "shared_bytes");
  if (bytes == 0) return "";
  std::string text = fmt::format("{:.0f} bytes of static shared memory a block", bytes);
  if (limits.shared_bytes > 0) {
    text += fmt::format(": an SM holds at most {:.0f} blocks",
                        std::floor(static_cast<double>(limits.shared_bytes) / bytes));
  }
  return text + "\n";
}

/// Whether another section reports the measure in words.
bool is_told(const std::string& name, bool profiled) {
  constexpr std::string_view told[] = {"spill_bytes", "shared_bytes", "registers"};
  return std::ranges::find(told, name) != std::end(told) || name.starts_with("validation_") ||
         (profiled && name.starts_with(profile_prefix));
}

std::string measure_lines(const Candidate& c, bool profiled) {
  std::string text;
  for (const auto& [name, value] : c.evaluation.measures) {
    if (!is_told(name, profiled)) text += fmt::format("{} = {:.4g}\n", name, value);
  }
  return text;
}

std::string limiter_lines(const Candidate& c) {
  std::string text;
  for (const RecordedTiming& timing : timings_of(c.evaluation.feedback)) {
    if (timing.limiter.empty()) continue;
    text += fmt::format("{}: limited by {}", timing.workload, timing.limiter);
    if (timing.floor > 0 && timing.time > 0) {
      text += fmt::format("; memory alone needs {:.0f} % of its time",
                          100 * timing.floor / timing.time);
    }
    text += "\n";
  }
  return text;
}

constexpr std::string_view hot_loop = "hot_loop";  // instructions as printed by objdump

/// Lines of the compiler are quoted.
std::string listed(const Json& record, const std::string& key, std::string_view heading) {
  if (!record.contains(key) || !record[key].is_array()) return "";
  std::string text;
  for (const Json& line : record[key]) {
    const bool bare = line.is_string() && key == hot_loop;
    text += fmt::format("  {}\n", bare ? line.get<std::string>() : json_text(line));
  }
  return text.empty() ? text : fmt::format("{}:\n{}", heading, text);
}

std::string profile_of_candidate(const Candidate& c, const ResidencyLimits& limits) {
  const Json record = record_of(c);
  const std::vector<std::string> sentences = profile_of(c.evaluation.feedback);
  std::string text = limiter_lines(c);
  if (c.evaluation.measures.contains("spill_bytes")) text += register_lines(c, limits);
  text += shared_lines(c, limits) + measure_lines(c, !sentences.empty());
  for (const std::string& sentence : sentences) text += sentence + "\n";
  return text + listed(record, "missed_vectorisation", "Not vectorised, as the compiler says") +
         listed(record, std::string(hot_loop), "Hot loop");
}

}  // namespace

std::string diagnostics_section(const PromptScene& scene) {
  return of_parents(scene, "Compiler and checker", diagnosis_of);
}

std::string profile_section(const PromptScene& scene) {
  const ResidencyLimits limits =
      scene.context.sheet == nullptr ? ResidencyLimits{} : scene.context.sheet->residency;
  return of_parents(scene, "What limits it",
                    [&](const Candidate& c) { return profile_of_candidate(c, limits); });
}

}  // namespace ke
