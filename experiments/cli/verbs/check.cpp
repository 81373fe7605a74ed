#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/language.hpp"
#include "core/search/budget.hpp"
#include "experiments/cli/verb.hpp"
#include "experiments/run/ask.hpp"
#include "experiments/run/config/archives.hpp"
#include "experiments/run/config/document.hpp"
#include "experiments/run/device_tasks.hpp"
#include "experiments/run/evaluators/cpu.hpp"
#include "experiments/run/evaluators/oracle.hpp"
#include "experiments/run/run_files.hpp"
#include "experiments/run/stop_tokens.hpp"
#include "experiments/study/check/admission.hpp"
#include "experiments/study/check/forecast.hpp"
#include "experiments/study/sweep/rules.hpp"
#include "experiments/text/json.hpp"
#include "experiments/text/table.hpp"
#include "fitness/content/admit.hpp"
#include "fitness/host/python_baseline.hpp"

namespace ke::verbs {
namespace {

// Prints what `check` found of a task, as text and as JSON.

constexpr std::size_t longest_detail = 90;

/// Shortens a message for the table; --json prints all of it.
std::string shortened(const std::string& text) {
  return text.size() <= longest_detail ? text : text.substr(0, longest_detail) + " ...";
}

Json json_of(const Task& task, const Admission& admission) {
  Json json = {
      {"ok", admission.admitted()},
      {"judged", admission.judged},
      {"task", task.name},
      {"problems", admission.problems},
      {"notes", admission.notes},
      {"naive_margin", admission.naive_margin < 0 ? Json(nullptr) : Json(admission.naive_margin)},
      {"admitted_margin", admitted_ratio},
      {"kernels", Json::array()}};
  for (const AdmissionLine& line : admission.lines) {
    json["kernels"].push_back({{"kernel", line.kernel},
                               {"trivial", line.trivial},
                               {"verdict", to_string(line.verdict)},
                               {"detail", line.detail}});
  }
  return json;
}

std::string text_of(const Task& task, const Admission& admission) {
  Table table({"kernel", "must", "verdict", "detail"});
  for (const AdmissionLine& line : admission.lines) {
    table.add({line.kernel, line.trivial ? "fail" : "pass", std::string(to_string(line.verdict)),
               shortened(line.detail)});
  }
  std::string text = table.text() + "\n";
  for (const std::string& note : admission.notes) text += "note: " + note + "\n";
  for (const std::string& problem : admission.problems) text += "problem: " + problem + "\n";
  return text + fmt::format("task {} is {}\n", task.name,
                            admission.admitted()
                                ? (admission.judged ? "admitted" : "compiled, not judged")
                                : "NOT admitted");
}

namespace fs = std::filesystem;

/// Starts the task's oracle. Error of kind device: this machine cannot; the judge reports that if
/// it needs an oracle.
Result<Reference> reference_of(const Task& task) {
  KE_TRY(const Workbench bench, make_workbench("auto"));
  return oracle_of(task, bench.options);
}

/// Calls baselines that are not kernels of the task, which admission judges by itself. Leaves out
/// what PyTorch compiles first, up to a minute: it fails where the run begins. Error of kind
/// device: this machine cannot.
Result<void> opponents_run(const Task& task, const StartJudge& start) {
  const auto judge = start(std::make_shared<const Task>(task));
  if (!judge) return judge.error();
  std::vector<std::string> names = (*judge)->info().baselines;
  std::erase_if(names, [&](const auto& name) {
    return task.kernel_source(name) != nullptr || !compile_mode(name).empty();
  });
  const StopSignals signals;
  KE_TRY_VOID(try_opponents(**judge, 0, task, names, signals));
  return {};
}

/// Judges the task's kernels for admission. Without a suitable device, compiles them only and says
/// so in `note`.
Result<Admission> admit_or_compile(const std::shared_ptr<const Task>& task,
                                   const DescribedDevice& device, std::string& note) {
  const auto reference = reference_of(*task);
  if (!reference && reference.error().failure != Failure::device) return reference.error();
  const StartJudge start =
      [&](const std::shared_ptr<const Task>& judged) -> Result<std::unique_ptr<Evaluator>> {
    Subject subject = device.subject;
    subject.task = judged;
    KE_TRY(StartedEvaluator started, start_evaluator(device.experiment, subject, "", 1));
    return std::move(started.evaluator);
  };
  // Without kernels nothing else tells anything about the task.
  if (!reference && task->kernels.empty()) return reference.error();
  const auto opponents = reference ? opponents_run(*task, start) : Result<void>();
  if (!opponents && opponents.error().failure != Failure::device) return opponents.error();
  auto admission = admit(task, reference ? &*reference : nullptr, start);
  if (admission && !opponents) {
    note = opponents.error().message;
    admission->judged = false;
  }
  if (admission || admission.error().failure != Failure::device) return admission;
  note = admission.error().message;
  KE_TRY(const StartedEvaluator started, start_compiler(device.experiment, device.subject));
  return compile_kernels(*task, *started.evaluator);
}

Result<int> check_task(const Arguments& arguments, Console& console) {
  const std::vector<std::string>& words = arguments.positionals();
  const bool json = arguments.has("json");
  KE_TRY(const auto task, load_task(words[0], "."));
  std::vector<std::string> overrides(words.begin() + 1, words.end());
  if (overrides.empty()) {
    overrides.push_back("device=" + language_of_kernels(task->language).device);
  }
  KE_TRY(const DescribedDevice device, describe_device(words[0], overrides));
  std::string note;
  KE_TRY(const Admission admission, admit_or_compile(device.subject.task, device, note));
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

/// The limit on proposals, where the experiment leaves it to its evaluations.
std::vector<std::string> derived_limit(const Experiment& experiment) {
  const Limits& limits = experiment.limits;
  if (experiment.numeric || limits.proposals > 0) return {};
  return {fmt::format("at most {} proposals, derived from budget.evaluations = {}",
                      derived_proposals(limits), limits.evaluations)};
}

std::string amount_text(double amount, std::string_view form) {
  return std::isfinite(amount) ? fmt::format(fmt::runtime(form), amount) : "no limit";
}

std::string text_of(const LlmForecast& forecast, std::size_t runs, bool by_earlier_runs) {
  Table table({"language model", "requests", "tokens in", "tokens out", "dollars"});
  for (const auto& [name, use] : {std::pair{"least", &forecast.least},
                                  {"expected", &forecast.expected},
                                  {"most", &forecast.most}}) {
    table.add({name, amount_text(use->requests, "{:.0f}"), amount_text(use->input_tokens, "{:.0f}"),
               amount_text(use->output_tokens, "{:.0f}"),
               forecast.priced ? amount_text(use->dollars, "{:.2f}") : "-"});
  }
  std::string text = fmt::format("{}in all {} runs; a first letter has up to {} bytes\n",
                                 table.text(), runs, forecast.letter_bytes);
  text += by_earlier_runs
              ? fmt::format("expected: as the earlier runs; {:.0f} s of the device\n",
                            forecast.device_s.value_or(0))
              : fmt::format(
                    "expected: an answer for each evaluation, of 1/{:.0f} of its limit; "
                    "'--earlier RUNS' estimates from runs like it, and the device's time\n",
                    1 / usual_answer);
  return text;
}

Json json_of(const LlmUse& use) {
  return {{"requests", number(use.requests)},
          {"input_tokens", number(use.input_tokens)},
          {"output_tokens", number(use.output_tokens)},
          {"dollars", number(use.dollars)}};
}

Json json_of(const LlmForecast& forecast) {
  return {{"letter_bytes", forecast.letter_bytes},
          {"least", json_of(forecast.least)},
          {"expected", json_of(forecast.expected)},
          {"most", json_of(forecast.most)},
          {"device_s", forecast.device_s ? Json(*forecast.device_s) : Json(nullptr)}};
}

/// Checks everything about an experiment that is known without running it.
Result<int> check_experiment(const Arguments& arguments, Console& console) {
  const auto& words = arguments.positionals();
  const bool json = arguments.has("json");
  KE_TRY(Node document, load_document(words[0], {words.begin() + 1, words.end()}));
  KE_TRY(const Experiment experiment,
         read_experiment(std::move(document), fs::path(words[0]).stem().string()));
  const std::string folder = fs::path(words[0]).parent_path().string();
  std::optional<EarlierRuns> earlier;
  if (const std::string runs = arguments.text("earlier"); !runs.empty()) {
    KE_TRY(earlier, earlier_runs(runs));
  }
  std::optional<LlmForecast> asked;
  std::vector<std::string> notes = derived_limit(experiment);
  std::vector<PlannedFile> planned;
  for (const std::string& task : experiment.tasks) {
    KE_TRY(const Subject subject, read_subject(experiment, task, folder.empty() ? "." : folder));
    const auto of_task = forecast(experiment, subject, earlier);
    for (const std::int64_t seed : experiment.seeds) {
      if (of_task) asked = asked ? * asked += *of_task : *of_task;
      planned.push_back({subject.origin, run_file_name(experiment.name, subject.name, seed)});
    }
    for (const std::string& line : without_exchange(experiment, subject)) {
      notes.push_back(fmt::format("{}: {}", subject.name, line));
    }
  }
  KE_TRY_VOID(refuse_equal_files(planned));
  const auto warnings = experiment_warnings(experiment);
  const std::size_t cells = archive_cells(experiment);
  const std::size_t runs = experiment.tasks.size() * experiment.seeds.size();
  if (json) {
    write_json(console.out, {{"ok", true},
                             {"config_id", experiment.config_id().hex()},
                             {"runs", runs},
                             {"cells", cells},
                             {"warnings", warnings},
                             {"notes", notes},
                             {"problems", Json::array()},
                             {"language_model", asked ? json_of(*asked) : Json(nullptr)},
                             {"config", experiment.canonical_text}});
    return exit_code::done;
  }
  if (arguments.has("config")) console.out << experiment.canonical_text << "\n";
  console.out << fmt::format("{} runs, {} cells, config {}\n", runs, cells,
                             experiment.config_id().hex());
  if (asked) console.out << text_of(*asked, runs, earlier.has_value());
  for (const std::string& note : notes) console.out << "note: " << note << "\n";
  for (const std::string& warning : warnings) console.out << "warning: " << warning << "\n";
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
  std::string text = fmt::format(
      "{}\n{} arms, {} tasks, {} seeds, {} runs, plan {}\n",
      wanted ? text_of(diffs, sweep.analysis.reference) : sweep.analysis.canonical_text,
      sweep.arms.size(), sweep.tasks.size(), sweep.seeds.size(), runs, sweep.plan_hash().hex());
  for (const std::string& warning : warnings) text += "warning: " + warning + "\n";
  if (wanted && !proven) text += "arms differ in more or less than the declared factor\n";
  write_either(console.out, arguments.has("json"),
               {{"ok", proven || !wanted},
                {"plan", sweep.plan_hash().hex()},
                {"analysis_hash", sweep.analysis.hash().hex()},
                {"runs", runs},
                {"warnings", warnings},
                {"problems", Json::array()},
                {"reference", sweep.analysis.reference},
                {"arms", json_of(diffs)}},
               text);
  return proven || !wanted ? exit_code::done : exit_code::negative;
}

Result<int> run_check(const Arguments& arguments, Console& console) {
  const auto& words = arguments.positionals();
  std::error_code code;
  if (fs::is_regular_file(words[0], code) && is_sweep(words[0]))
    return check_sweep(arguments, console);
  if (arguments.has("diff-arms")) return Error{Failure::usage, "check: --diff-arms needs a sweep"};
  if (fs::is_regular_file(words[0], code)) return check_experiment(arguments, console);
  return check_task(arguments, console);
}

}  // namespace

Verb check() {
  return {
      .name = "check",
      .positionals = "TASK [device.key=1 ...] | CONFIG [a.b=1 ...] | SWEEP --diff-arms",
      .least = 1,
      .most = 1000,
      .summary = "admit a task or say why not; read an experiment and warn",
      .details =
          "A task is admitted when its reference answers finite inputs with finite numbers, all\n"
          "its kernels pass on every shape and kernels that do no work (zeros, nan, constant,\n"
          "identity, noop) fail. Exit code 1 when it is not, 2 when the reference crashes, takes\n"
          "too long or writes outside its outputs. Where no device of this machine runs its\n"
          "kernels, they are compiled alone, and it says so.\n"
          "Of an experiment it prints the size, all warnings, and the requests, tokens and "
          "dollars\n"
          "that its language models take; --config adds all options as a run would use them.\n"
          "--diff-arms prints in what each arm of a sweep differs from the reference; exit code 1\n"
          "when that is more than the arm declares, or nothing.",
      .options = {{"config", 0, "", "", "CONFIG: print all its options too"},
                  {"diff-arms", 0, "", "", "prove that arms differ in the declared factor alone"},
                  {"earlier", 0, "RUNS", "",
                   "CONFIG: estimate from these runs, a file or a folder"}},
      .exit_codes = {exit_code::negative, exit_code::device},
      .example = "kernelevolve check configs/ablations/crossover.yaml --diff-arms",
      .run = &run_check};
}

}  // namespace ke::verbs
