#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <span>
#include <string>

#include "core/evaluation.hpp"
#include "core/feedback_record.hpp"
#include "core/language.hpp"
#include "core/search/job_maker.hpp"
#include "core/text.hpp"
#include "experiments/cli/verb.hpp"
#include "experiments/run/ask.hpp"
#include "experiments/run/atomic_file.hpp"
#include "experiments/run/console.hpp"
#include "experiments/run/device_tasks.hpp"
#include "experiments/run/evaluators/cpu.hpp"
#include "experiments/text/json.hpp"
#include "experiments/text/opponent_name.hpp"
#include "experiments/text/table.hpp"
#include "experiments/view/report/run_json.hpp"
#include "fitness/host/build/flags.hpp"
#include "fitness/host/python_baseline.hpp"

namespace ke::verbs {
namespace {

// Reports the result of `eval` for one kernel.

struct EvalView {
  const Fact& fact;
  std::string against;   ///< as the command line named it
  std::string opponent;  ///< as people know it: "pytorch eager"
  std::string sandbox_level;
  WorkloadMean mean;  ///< of the task
};

/// Time of one call, the task's mean over the workloads; null without timings.
Json mean_ns(const EvalView& report, double WorkloadTiming::*time) {
  const auto& comparison = report.fact.comparison;
  if (!comparison || comparison->workloads.empty()) return nullptr;
  double sum = 0, total = 0;
  for (const WorkloadTiming& timing : comparison->workloads) {
    const double weight = report.mean.weight(timing.workload), ns = timing.*time;
    sum += weight * (report.mean.total_time ? ns : std::log(ns));
    total += weight;
  }
  const double mean = report.mean.total_time ? sum / total : std::exp(sum / total);
  return std::isfinite(mean) ? Json(mean) : Json(nullptr);
}

Json json_of(const Diagnostic& d) {
  return {{"file", d.file},
          {"line", d.line},
          {"column", d.column},
          {"severity", d.severity},
          {"message", d.message}};
}

Json json_of(const WorkloadTiming& timing) {
  return {{"workload", timing.workload},       {"role", timing.role},
          {"speedup", timing.speedup},         {"ci", json_of(timing.ci)},
          {"baseline_ns", timing.opponent_ns}, {"candidate_ns", timing.candidate_ns},
          {"floor_ns", timing.floor_ns}};
}

Json feedback_json(const Fact& fact) {
  const Json parsed = parse_json(fact.feedback);
  return parsed.is_discarded() ? Json(fact.feedback) : parsed;
}

Json json_of(const EvalView& report) {
  const Fact& fact = report.fact;
  const auto& comparison = fact.comparison;
  Json json = {{"verdict", to_string(fact.verdict)},
               {"reason", fact.reason},
               {"speedup", comparison ? Json(comparison->speedup) : Json(nullptr)},
               {"ci", comparison ? json_of(comparison->ci) : Json(nullptr)},
               {"baseline_ns", mean_ns(report, &WorkloadTiming::opponent_ns)},
               {"candidate_ns", mean_ns(report, &WorkloadTiming::candidate_ns)},
               {"message", fact.message},
               {"diagnostics", Json::array()},
               {"sandbox_level", report.sandbox_level},
               {"against", report.against},
               {"build_hash", fact.build_hash.hex()},
               {"policy_flags", fact.policy_flags},
               {"measures", fact.measures},
               {"workloads", Json::array()},
               {"feedback", feedback_json(fact)}};
  for (const Diagnostic& d : fact.diagnostics) json["diagnostics"].push_back(json_of(d));
  if (comparison) {
    for (const auto& timing : comparison->workloads) json["workloads"].push_back(json_of(timing));
  }
  return json;
}

std::string timings_text(const EvalView& report) {
  const Comparison& comparison = *report.fact.comparison;
  Table table({"workload", "baseline ns", "candidate ns", "speedup", "95 % interval"});
  for (const WorkloadTiming& t : comparison.workloads) {
    table.add({t.workload, fmt::format("{:.0f}", t.opponent_ns),
               fmt::format("{:.0f}", t.candidate_ns), fmt::format("{:.3f}", t.speedup),
               fmt::format("[{:.3f}, {:.3f}]", t.ci.low, t.ci.high)});
  }
  return table.text() + fmt::format(
                            "\nspeedup {:.3f}x [{:.3f}, {:.3f}] against {}, from pairs, "
                            "not the ratio of the times\n",
                            comparison.speedup, comparison.ci.low, comparison.ci.high,
                            report.opponent);
}

std::string text_of(const EvalView& report) {
  const Fact& fact = report.fact;
  std::string text = fmt::format("verdict {}{}{}\n", to_string(fact.verdict),
                                 fact.reason.empty() ? "" : ": ", fact.reason);
  if (!fact.message.empty()) text += fact.message + "\n";
  for (const Diagnostic& d : fact.diagnostics) {
    text += fmt::format("{}:{}:{}: {}: {}\n", d.file, d.line, d.column, d.severity, d.message);
  }
  for (const std::string& flag : fact.policy_flags) text += "note: " + flag + "\n";
  return fact.comparison && !fact.comparison->workloads.empty() ? text + timings_text(report)
                                                                : text;
}

void print_eval(const EvalView& report, bool json, bool explain, Console& console) {
  if (json) {
    write_json(console.out, json_of(report));
    return;
  }
  console.out << text_of(report);
  if (!explain) return;
  for (const auto& [name, value] : report.fact.measures) {
    console.out << fmt::format("{} = {:.6g}\n", name, value);
  }
  console.out << json_text(feedback_json(report.fact), JsonForm::lines) << "\n";
}

Result<std::string> read_text(const std::string& path) {
  std::error_code code;
  if (!std::filesystem::is_regular_file(path, code)) {
    return Error{Failure::usage, path + ": no such kernel file"};
  }
  if (auto text = content_of(path)) return *std::move(text);
  return Error{Failure::io, path + ": cannot be read"};
}

std::string among(std::string_view word, const std::vector<std::string>& allowed) {
  return fmt::format("{}{}", fmt::join(allowed, " | "), suggestion(word, allowed));
}

/// Sets knobs from words like "WIDTH=8 ORDER=ji".
Result<void> set_knobs(const KernelSpace& space, std::string_view words, Kernel& kernel) {
  for (const std::string_view word : split(words, ' ')) {
    if (word.empty()) continue;
    const std::size_t equals = std::min(word.find('='), word.size());
    const std::string name(word.substr(0, equals));
    const std::string value(word.substr(std::min(equals + 1, word.size())));
    const auto knob = std::ranges::find(space.knobs, name, &Knob::name);
    if (knob == space.knobs.end()) {
      std::vector<std::string> names;
      for (const Knob& one : space.knobs) names.push_back(one.name);
      return Error{Failure::usage, fmt::format("--knobs: {} has no knob '{}': {}", kernel.name,
                                               name, among(name, names))};
    }
    if (knob->index_of(value) == knob->values.size()) {
      return Error{Failure::usage, fmt::format("--knobs: {} = '{}' is not one of {}", name, value,
                                               among(value, knob->values))};
    }
    kernel.knobs[name] = value;
  }
  if (space.admits(kernel)) return {};
  return Error{Failure::usage,
               fmt::format("--knobs = '{}': a @require of {} does not hold", words, kernel.name)};
}

/// Reads a kernel file and adds flags; knobs that are not named keep their declared defaults.
Result<Kernel> read_kernel(const std::string& path, const std::string& flags,
                           const std::string& knobs = "") {
  KE_TRY(const std::string source, read_text(path));
  const std::string name = std::filesystem::path(path).filename().string();
  const auto space = parse_kernel_space(name, source);
  Kernel kernel;
  kernel.name = name;
  kernel.source = source;
  if (space) {  // else the judge reports the error
    kernel = space->defaults(name, source);
    if (!knobs.empty()) KE_TRY_VOID(set_knobs(*space, knobs, kernel));
  }
  for (const std::string_view flag : split(flags, ' ')) {
    if (!flag.empty()) kernel.flags.emplace_back(flag);
  }
  return kernel;
}

/// Resolves a name of the task's kernels or baselines, or a file.
Result<Opponent> read_opponent(const std::string& word) {
  std::error_code code;
  if (!std::filesystem::is_regular_file(word, code)) return Opponent{word, std::nullopt};
  KE_TRY(Kernel kernel, read_kernel(word, ""));
  return Opponent{"", std::move(kernel)};
}

/// The opponent that the command line names, or else the task's slowest version.
std::string against_of(const Arguments& arguments, const Task& task) {
  const std::string named = arguments.text("against");
  if (!named.empty()) return named;
  const std::string stand_in = anchor_stand_in(task);
  return stand_in.empty() ? "naive" : stand_in;
}

enum class Only { both, compile, correctness, timing };

Only read_only(const std::string& word) {
  if (word == "all") return Only::both;
  if (word == "compile") return Only::compile;
  return word == "correctness" ? Only::correctness : Only::timing;
}

/// Job that follows the build: correctness on every shape, a short timing, or everything.
Job judged_job(const JobMaker& jobs, const Kernel& kernel, const Digest& build, Opponent opponent,
               Only only) {
  if (only == Only::correctness) return jobs.check(kernel, build);
  Job job = jobs.verify(kernel, build, std::move(opponent), {}, {"bench"});
  if (only != Only::both) job.kind = JobKind::screen;
  return job;
}

Result<Fact> judge(Evaluator& evaluator, const Task& task, const Kernel& kernel,
                   const Opponent& opponent, Only only) {
  const JobMaker jobs(evaluator.info(), task.content_hash);
  KE_TRY(Fact built, ask(evaluator, jobs.build(kernel)));
  if (built.verdict != Verdict::ok || only == Only::compile) return built;
  KE_TRY(Fact fact,
         ask_reliably(evaluator, judged_job(jobs, kernel, built.build_hash, opponent, only),
                      "eval/1"));
  if (fact.measures.empty()) fact.measures = built.measures;
  fact.diagnostics.insert(fact.diagnostics.begin(), built.diagnostics.begin(),
                          built.diagnostics.end());
  return fact;
}

/// Whether the kernel was called, so that sanitizers can say more about it.
bool was_called(const Fact& fact) {
  constexpr Verdict called[] = {Verdict::ok, Verdict::wrong_result, Verdict::runtime_error,
                                Verdict::nondeterministic};
  return std::ranges::find(called, fact.verdict) != std::end(called);
}

/// Runs sanitizers and profiler on a kernel, as for a champion, and adds their results to its fact.
Result<void> examine(Evaluator& evaluator, const Task& task, const Kernel& kernel, Fact& fact) {
  const auto& able = evaluator.info().capabilities;
  if (std::ranges::find(able, "sanitizers") == able.end()) {
    fact.policy_flags.emplace_back("sanitizers: none for this device");
    return {};
  }
  const JobMaker jobs(evaluator.info(), task.content_hash);
  KE_TRY(const Fact seen, ask(evaluator, jobs.sanitize(kernel, fact.build_hash)));
  if (seen.verdict != Verdict::ok && fact.verdict == Verdict::ok) {
    fact.verdict = seen.verdict;
    fact.reason = seen.reason;
  }
  fact.policy_flags.push_back("sanitizers: " + seen.message);
  fact.policy_flags.insert(fact.policy_flags.end(), seen.policy_flags.begin(),
                           seen.policy_flags.end());
  take_profile(seen, fact.measures, fact.feedback);
  return {};
}

Result<void> known_opponent(const Task& task, const Evaluator& evaluator, const std::string& name) {
  const auto& baselines = evaluator.info().baselines;
  if (std::ranges::find(baselines, name) != baselines.end()) return {};
  if (task.kernels.empty()) {
    const std::string stand_in = anchor_stand_in(task);
    return Error{Failure::usage,
                 fmt::format("task '{}' has no kernels of its own: name an opponent, --against {}"
                             "KERNEL_FILE, or ask for --only correctness",
                             task.name, stand_in.empty() ? "" : stand_in + " or --against ")};
  }
  const bool baseline =
      std::ranges::any_of(task.baselines, [&](const auto& one) { return one.first == name; });
  if (baseline || task.kernel_source(name) != nullptr) return {};
  return Error{Failure::config, fmt::format("task '{}' has no kernel '{}'", task.name, name)};
}

/// Language of a kernel file; the task's if the ending is unknown.
const Language& language_of(const std::string& path, const Kernel& kernel, const Task& task) {
  const Language* language = language_of_file(path, kernel.source);
  return language == nullptr ? language_of_kernels(task.language) : *language;
}

/// Whoever judges a kernel by hand may know where it fails: nothing is searched.
void disclose(Subject& subject) {
  auto task = std::make_shared<Task>(*subject.task);
  for (Workload& workload : task->workloads) workload.disclosed = true;
  subject.task = std::move(task);
}

Result<StartedEvaluator> start(const Arguments& arguments, const Language& language,
                               Console& console) {
  const auto& words = arguments.positionals();
  std::vector<std::string> overrides(words.begin() + 2, words.end());
  const bool named = std::ranges::any_of(overrides, [](const std::string& text) {
    return text.starts_with("device=") || text.starts_with("device.kind=");
  });
  const std::string sandbox = arguments.text("sandbox");
  if (!named && sandbox != "auto") overrides.insert(overrides.begin(), "device.sandbox=" + sandbox);
  if (!named && language.compiler == "python") {
    overrides.insert(overrides.begin(), "device.python=python3");
  }
  if (!named) overrides.insert(overrides.begin(), "device=" + language.device);
  KE_TRY(DescribedDevice device, describe_device(words[0], overrides));
  disclose(device.subject);
  if (read_only(arguments.text("only")) == Only::compile) {
    return start_compiler(device.experiment, device.subject);
  }
  return start_evaluator(device.experiment, device.subject, "", 1, &console.err);
}

Result<int> run_eval(const Arguments& arguments, Console& console) {
  const auto& words = arguments.positionals();
  const Only only = read_only(arguments.text("only"));
  KE_TRY(const auto task, load_task(words[0], "."));
  KE_TRY(Kernel kernel, read_kernel(words[1], arguments.text("flags"), arguments.text("knobs")));
  const Language& language = language_of(words[1], kernel, *task);
  kernel.language = language.kernels;
  const std::string against = against_of(arguments, *task);
  KE_TRY(Opponent opponent, read_opponent(against));
  if (opponent.name == anchor_stand_in(*task) && !opponent.kernel) opponent.name = "anchor";
  if (opponent.kernel) {
    opponent.kernel->language = language_of(against, *opponent.kernel, *task).kernels;
  }
  const bool timed = only == Only::both || only == Only::timing;
  KE_TRY(const StartedEvaluator started, start(arguments, language, console));
  if (!opponent.kernel && (timed || !task->kernels.empty())) {
    KE_TRY_VOID(known_opponent(*task, *started.evaluator, opponent.name));
  }
  KE_TRY(Fact fact, judge(*started.evaluator, *task, kernel, opponent, only));
  if (arguments.has("examine") && was_called(fact)) {
    KE_TRY_VOID(examine(*started.evaluator, *task, kernel, fact));
  }
  const EvalView report{fact, against, opponent_name(against, anchor_stand_in(*task)),
                        started.sandbox_level, task->mean};
  if (!started.warning.empty()) console.err << "warning: " << started.warning << "\n";
  print_eval(report, arguments.has("json"), arguments.has("explain"), console);
  return fact.verdict == Verdict::ok ? exit_code::done : exit_code::negative;
}

}  // namespace

Verb eval() {
  return {
      .name = "eval",
      .positionals = "TASK KERNEL_FILE [device.key=1 ...]",
      .least = 2,
      .most = 64,
      .summary = "compile, check and time one kernel file, as a run would",
      .details =
          "TASK is a name or a folder with task.yaml. Knobs that --knobs does not name are at "
          "their\n"
          "declared defaults, those of an opponent too.\n"
          "device=NAME judges on another device, device.key=1 with another option of it; its\n"
          "walls are then those of device.sandbox. Kernels that end in .hip are judged on "
          "device=hip;\n"
          "with --only compile that needs no GPU: they are compiled for device.targets. Those in "
          ".py "
          "are\n"
          "judged on the device of the DSL that they import: device=triton, device=cute, and\n"
          "device=hip for FlyDSL; device.python names the Python that has it.\n"
          "A wrong result is shown with its shape and values, also at validation and holdout\n"
          "shapes, which letters of a search never name.\n"
          "Exit code 0 when the verdict is ok, 1 otherwise.",
      .options =
          {{"flags", 0, "FLAGS", "",
            "further compiler flags of KERNEL_FILE, not of its opponent, e.g. \"-O3 "
            "-march=native\"; in C++ " +
                std::string(allowed_flags())},
           {"knobs", 0, "KNOBS", "", "knobs of the kernel, e.g. --knobs \"WIDTH=8 ORDER=ji\""},
           {"against", 0, "KERNEL", "",
            "opponent: a kernel file, naive, anchor or a baseline; if not given, naive, or the "
            "module itself of a task without kernels"},
           {"only",
            0,
            "PART",
            "all",
            "what is judged",
            {},
            {"all", "compile", "correctness", "timing"}},
           {"sandbox", 0, "LEVEL", "auto", "the walls around the kernel", {}, sandbox_choices()},
           {"examine", 0, "", "", "also run it under sanitizers and profiler, as champions are"},
           {"explain", 0, "", "", "print the record that operators learn from"}},
      .exit_codes = {exit_code::negative, exit_code::device},
      .example =
          "kernelevolve eval conformance/axpb configs/tasks/conformance/axpb/vectorised.cpp "
          "--only correctness",
      .run = &run_eval};
}

}  // namespace ke::verbs
