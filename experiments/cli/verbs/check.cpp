#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/language.hpp"
#include "experiments/cli/verbs.hpp"
#include "experiments/run/config/archives.hpp"
#include "experiments/run/config/document.hpp"
#include "experiments/run/described_device.hpp"
#include "experiments/run/device_tasks.hpp"
#include "experiments/run/evaluators/cpu.hpp"
#include "experiments/run/evaluators/oracle.hpp"
#include "experiments/run/places.hpp"
#include "experiments/run/run_files.hpp"
#include "experiments/study/check/report.hpp"
#include "experiments/study/sweep/arm_diff.hpp"
#include "experiments/text/json.hpp"

namespace ke::verbs {
namespace {

namespace fs = std::filesystem;

/// Starts the task's oracle. Error of kind device: this machine cannot; the judge reports that if
/// it needs an oracle.
Result<Reference> reference_of(const Task& task) {
  KE_TRY(const Workbench bench, make_workbench("auto"));
  return oracle_of(task, bench.options);
}

/// Judges the task's kernels for admission. Without a suitable device, compiles them only and says
/// so in `note`.
Result<Admission> admit_or_compile(const std::shared_ptr<const Task>& task,
                                   const DescribedDevice& device, std::int64_t configurations,
                                   std::string& note) {
  const auto reference = reference_of(*task);
  if (!reference && reference.error().failure != Failure::device) return reference.error();
  const StartJudge start =
      [&](const std::shared_ptr<const Task>& judged) -> Result<std::unique_ptr<Evaluator>> {
    Subject subject = device.subject;
    subject.task = judged;
    KE_TRY(StartedEvaluator started, start_evaluator(device.experiment, subject, "", 1));
    return std::move(started.evaluator);
  };
  auto admission = admit(task, reference ? &*reference : nullptr, start);
  if (admission) KE_TRY_VOID(judge_configurations(task, start, configurations, *admission));
  if (admission || admission.error().failure != Failure::device) return admission;
  note = admission.error().message;
  KE_TRY(const StartedEvaluator started, start_compiler(device.experiment, device.subject));
  return compile_kernels(*task, *started.evaluator);
}

Result<int> check_task(const Arguments& arguments, Console& console) {
  const std::vector<std::string>& words = arguments.positionals();
  const bool json = arguments.has("json");
  KE_TRY(const std::int64_t configurations, arguments.integer("configurations"));
  KE_TRY(const auto task, load_task(words[0], "."));
  std::vector<std::string> overrides(words.begin() + 1, words.end());
  if (overrides.empty()) {
    overrides.push_back("device=" + language_of_kernels(task->language).device);
  }
  KE_TRY(const DescribedDevice device, describe_device(words[0], overrides));
  std::string note;
  KE_TRY(const Admission admission,
         admit_or_compile(device.subject.task, device, configurations, note));
  if (json) {
    Json answer = json_of(*task, admission);
    if (!note.empty()) answer["note"] = note;
    write_json(console.out, answer);
  } else {
    if (!note.empty()) console.out << "compiled and not judged: " << note << "\n";
    console.out << text_of(*task, admission);
  }
  return admission.admitted() ? exit_code::done : exit_code::negative;
}

/// Checks the named tasks, or all. A change that does not build gives a negative exit code: it says
/// nothing about the axes, but the report is incomplete.
Result<int> check_descriptors(const Arguments& arguments, Console& console) {
  const auto& words = arguments.positionals();
  KE_TRY(const std::int64_t points, arguments.integer("points"));
  KE_TRY(const Workbench bench, make_workbench("auto"));
  Json all = {{"ok", true}, {"tasks", Json::array()}};
  for (const std::string& word : words.empty() ? known_tasks() : words) {
    KE_TRY(const auto task, load_task(word, "."));
    if (words.empty() && task->language != "cpp") continue;  // only binaries of this processor
    KE_TRY(const ReliabilityReport report,
           measure_reliability(*task, bench.options, static_cast<std::size_t>(points)));
    if (!report.failures.empty()) all["ok"] = false;
    all["tasks"].push_back(json_of(report));
    if (!arguments.has("json")) console.out << text_of(report) << "\n" << std::flush;
  }
  if (arguments.has("json")) write_json(console.out, all);
  return all["ok"] ? exit_code::done : exit_code::negative;
}

/// Checks everything about an experiment that is known without running it.
Result<int> check_experiment(const std::vector<std::string>& words, bool json, Console& console) {
  KE_TRY(Node document, load_document(words[0], {words.begin() + 1, words.end()}));
  KE_TRY(const Experiment experiment,
         read_experiment(std::move(document), fs::path(words[0]).stem().string()));
  const std::string folder = fs::path(words[0]).parent_path().string();
  std::vector<std::string> notes;
  std::vector<PlannedFile> planned;
  for (const std::string& task : experiment.tasks) {
    KE_TRY(const Subject subject, read_subject(experiment, task, folder.empty() ? "." : folder));
    for (const std::int64_t seed : experiment.seeds) {
      planned.push_back({subject.origin, run_file_name(experiment.name, subject.name, seed)});
    }
    for (const std::string& line : without_exchange(experiment, subject)) {
      notes.push_back(fmt::format("{}: {}", subject.name, line));
    }
  }
  KE_TRY_VOID(refuse_equal_files(planned));
  const auto warnings = experiment_warnings(experiment);
  const std::size_t cells = make_passive_archive(experiment)->cells();
  const std::size_t runs = experiment.tasks.size() * experiment.seeds.size();
  if (json) {
    write_json(console.out, {{"ok", true},
                             {"config_id", experiment.config_id().hex()},
                             {"runs", runs},
                             {"cells", cells},
                             {"warnings", warnings},
                             {"notes", notes},
                             {"problems", Json::array()},
                             {"config", experiment.canonical_text}});
    return exit_code::done;
  }
  console.out << experiment.canonical_text
              << fmt::format("\n{} runs, {} cells, config {}\n", runs, cells,
                             experiment.config_id().hex());
  for (const std::string& warning : warnings) console.out << "warning: " << warning << "\n";
  for (const std::string& note : notes) console.out << "note: " << note << "\n";
  return exit_code::done;
}

/// Checks everything about a sweep that is known without running it.
Result<int> check_sweep(const Arguments& arguments, Console& console) {
  const auto& words = arguments.positionals();
  KE_TRY(const Sweep sweep, read_sweep(words[0], {words.begin() + 1, words.end()}));
  const auto diffs = diff_arms(sweep);
  const bool proven = std::ranges::all_of(diffs, [](const ArmDiff& d) { return d.proven(); });
  const bool wanted = arguments.has("diff-arms");
  const auto warnings = sweep_warnings(sweep);
  const std::size_t runs = runs_of(sweep).size();
  if (arguments.has("json")) {
    write_json(console.out, {{"ok", proven || !wanted},
                             {"plan", sweep.plan_hash().hex()},
                             {"analysis_hash", sweep.analysis.hash().hex()},
                             {"runs", runs},
                             {"warnings", warnings},
                             {"problems", Json::array()},
                             {"reference", sweep.analysis.reference},
                             {"arms", json_of(diffs)}});
  } else {
    console.out << (wanted ? text_of(diffs, sweep.analysis.reference)
                           : sweep.analysis.canonical_text)
                << fmt::format("\n{} arms, {} tasks, {} seeds, {} runs, plan {}\n",
                               sweep.arms.size(), sweep.tasks.size(), sweep.seeds.size(), runs,
                               sweep.plan_hash().hex());
    for (const std::string& warning : warnings) console.out << "warning: " << warning << "\n";
    if (wanted && !proven) console.out << "arms differ in more or less than the declared factor\n";
  }
  return proven || !wanted ? exit_code::done : exit_code::negative;
}

Result<int> run_check(const Arguments& arguments, Console& console) {
  const auto& words = arguments.positionals();
  if (arguments.has("descriptors")) return check_descriptors(arguments, console);
  if (words.empty()) return Error{Failure::usage, "check: name a task or an experiment file"};
  std::error_code code;
  if (fs::is_regular_file(words[0], code) && is_sweep(words[0]))
    return check_sweep(arguments, console);
  if (arguments.has("diff-arms")) return Error{Failure::usage, "check: --diff-arms needs a sweep"};
  if (fs::is_regular_file(words[0], code))
    return check_experiment(words, arguments.has("json"), console);
  return check_task(arguments, console);
}

}  // namespace

Verb check() {
  return {
      .name = "check",
      .positionals =
          "TASK [device.key=1 ...] | CONFIG [a.b=1 ...] | SWEEP --diff-arms | --descriptors [TASK "
          "...]",
      .least = 0,
      .most = 1000,
      .summary = "admit a task or say why not; read an experiment and warn",
      .details =
          "A task is admitted when its reference answers finite inputs with finite numbers, all\n"
          "its kernels pass on every shape and kernels that do no work (zeros, nan, constant,\n"
          "identity, noop) fail. Exit code 1 when it is not, 2 when the reference crashes, takes\n"
          "too long or writes outside its outputs. Where no device of this machine runs its\n"
          "kernels, they are compiled alone, and it says so.\n"
          "An experiment is printed with all its options as a run would use them.\n"
          "--diff-arms prints in what each arm of a sweep differs from the reference; exit code 1\n"
          "when that is more than the arm declares, or nothing.\n"
          "--descriptors says of each axis how many kernels stay in their cell when they are\n"
          "rebuilt, re-linked or edited without meaning, how evenly kernels fill it, and which\n"
          "axis orders them alike; without TASK for all tasks.",
      .options = {{"diff-arms", 0, "", "", "prove that arms differ in the declared factor alone"},
                  {"descriptors", 0, "", "", "report how reliable the descriptors are"},
                  {"configurations", 0, "N", "0",
                   "TASK: also judge each kernel at N random points of its knobs and flags",
                   Bounds{0, 10'000}},
                  {"points", 0, "N", "6", "with --descriptors: kernels of each task",
                   Bounds{2, 1000}}},
      .exit_codes = {exit_code::negative, exit_code::device},
      .example = "kernelevolve check configs/ablations/crossover.yaml --diff-arms",
      .run = &run_check};
}

}  // namespace ke::verbs
