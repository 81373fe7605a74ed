#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <thread>

#include "core/text.hpp"
#include "experiments/cli/verb.hpp"
#include "experiments/run/config/document.hpp"
#include "experiments/run/evaluators/cpu.hpp"
#include "experiments/run/python_package.hpp"
#include "experiments/run/stop_tokens.hpp"
#include "experiments/study/landscape/record.hpp"
#include "experiments/study/landscape/score.hpp"
#include "experiments/study/landscape/stats.hpp"
#include "experiments/text/json.hpp"

namespace ke::verbs {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

Result<int> stats(const Words& words, const Arguments& arguments, Console& console) {
  if (words.empty()) return Error{Failure::usage, "landscape stats: name a landscape or a folder"};
  KE_TRY(const auto files, read_landscapes(words));
  std::vector<LandscapeStats> list;
  for (const LandscapeFile& file : files) list.push_back(landscape_stats(*file.landscape));
  write_either(console.out, arguments.has("json"), stats_json(list), stats_text(list));
  return exit_code::done;
}

Words split_list(std::string_view text) {
  Words words;
  for (const std::string_view part : split(text, ',')) {
    if (!trim(part).empty()) words.emplace_back(trim(part));
  }
  return words;
}

Result<std::vector<std::int64_t>> read_budgets(const std::string& text) {
  std::vector<std::int64_t> budgets;
  for (const std::string& word : split_list(text)) {
    const auto budget = number_from<std::int64_t>(word);
    if (!budget || *budget <= (budgets.empty() ? 0 : budgets.back())) {
      return Error{
          Failure::usage,
          fmt::format("--budgets = {}: expected rising numbers above 0, like 25,50", text)};
    }
    budgets.push_back(*budget);
  }
  if (budgets.empty()) return Error{Failure::usage, "--budgets names no budget"};
  return budgets;
}

/// Reads each CONFIG with the overrides among the words.
Result<std::vector<Experiment>> read_experiments(const Words& words, std::int64_t budget) {
  Words configs, overrides;
  split_overrides(words, configs, overrides);
  std::vector<Experiment> experiments;
  for (const std::string& config : configs) {
    KE_TRY(Node document, load_document(config, overrides));
    KE_TRY(Experiment experiment,
           score_experiment(std::move(document), fs::path(config).stem().string(), budget));
    experiments.push_back(std::move(experiment));
  }
  if (experiments.empty()) return Error{Failure::usage, "landscape score: name an experiment file"};
  return experiments;
}

Result<int> score_verb(const Words& words, const Arguments& arguments, Console& console) {
  ScoreRequest request;
  KE_TRY(request.budgets, read_budgets(arguments.text("budgets")));
  KE_TRY(request.experiments, read_experiments(words, request.budgets.back()));
  const Words names = split_list(arguments.text("landscapes"));
  if (names.empty()) return Error{Failure::usage, "landscape score: needs --landscapes FILE,..."};
  KE_TRY(request.landscapes, read_landscapes(names));
  KE_TRY(const std::int64_t seeds, arguments.integer("seeds"));
  for (std::int64_t seed = 1; seed <= seeds; ++seed) request.seeds.push_back(seed);
  KE_TRY(request.threads, arguments.integer("threads"));
  if (request.threads == 0) {
    request.threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  }
  KE_TRY(const ScoredRuns scored, score(request));
  Words command = {"landscape-score"};
  if (arguments.has("json")) command.emplace_back("--json");
  return print_python_package(command, console, json_text(raw_scores(request, scored)));
}

Json record_json(const RecordRequest& request, const RecordReport& report) {
  return {{"file", request.file},        {"complete", report.complete}, {"planned", report.planned},
          {"recorded", report.recorded}, {"failed", report.failed},     {"timed", report.timed},
          {"seconds", report.seconds}};
}

Result<int> record(const Words& words, const Arguments& arguments, Console& console) {
  if (words.size() != 1) return Error{Failure::usage, "landscape record: name one task"};
  RecordRequest request;
  KE_TRY(request.task, load_task(words[0], "."));
  KE_TRY(Workbench bench, make_workbench(arguments.text("sandbox")));
  if (!bench.sandbox.warning.empty()) console.err << "warning: " << bench.sandbox.warning << "\n";
  request.options = std::move(bench.options);
  request.options.cache_folder = console.cache_folder;
  request.kernel = arguments.text("kernel");
  KE_TRY(request.limit, arguments.integer("limit"));
  KE_TRY(request.seed, arguments.integer("seed"));
  request.file = arguments.text("out");
  if (request.file.empty())
    request.file = fs::path(request.task->name).filename().string() + ".json.gz";
  if (fs::exists(request.file)) {
    return Error{Failure::usage, request.file + " exists and is not overwritten"};
  }
  const StopSignals signals;
  KE_TRY(const RecordReport report,
         record_landscape(request, signals, console.err, console.terminal));
  if (arguments.has("json")) write_json(console.out, record_json(request, report));
  if (report.complete) return exit_code::done;
  console.err << "interrupted; the same command goes on from " << request.file << ".partial\n";
  return signals.exit_code();
}

Result<int> run_landscape(const Arguments& arguments, Console& console) {
  const std::string what = arguments.positionals().front();
  const Words words(arguments.positionals().begin() + 1, arguments.positionals().end());
  if (what == "stats") return stats(words, arguments, console);
  if (what == "score") return score_verb(words, arguments, console);
  if (what == "record") return record(words, arguments, console);
  return Error{Failure::usage,
               fmt::format("landscape: '{}' is not one of stats, score, record", what)};
}

}  // namespace

Verb landscape() {
  return {
      .name = "landscape",
      .positionals = "stats FILE ... | score CONFIG ... [a.b=1 ...] | record TASK",
      .least = 1,
      .most = 10'000,
      .summary = "recorded spaces: what they look like, how strategies do on them",
      .details =
          "stats prints size, failures, optimum, quantiles, noise. FILE is a landscape in T4 or\n"
          "Kernel Tuner's cache format, plain or gzipped, a folder of them, or a shipped one's "
          "name.\n"
          "score runs each CONFIG (device: landscape) with seeds 1..N in memory. The score is the\n"
          "mean over landscapes and budgets of optimum / best time found; an evaluation is the\n"
          "first visit to a recorded configuration, failed or not. Normalised: 0 is exact random\n"
          "search without replacement, 1 the optimum. Recorded times of compiling are charged to\n"
          "no budget: a search on a landscape costs evaluations alone.\n"
          "record measures every configuration of a kernel of TASK on this machine, in an order\n"
          "drawn from the seed. Each result is durable at once in FILE.partial: after a kill or\n"
          "Ctrl-C the same command goes on. Leave the machine alone meanwhile.",
      .options = {{"landscapes", 0, "FILES", "", "score: files, folders or names, with commas"},
                  {"seeds", 0, "N", "30", "score: runs of each experiment on each landscape",
                   Bounds{1, 100'000}},
                  {"budgets", 0, "LIST", "25,50,100,200,400", "score: evaluations, rising"},
                  {"threads", 0, "N", "0",
                   "score: runs at a time, 0 = one a processor; changes no result",
                   Bounds{0, 1024}},
                  {"out", 'o', "FILE", "", "record: the landscape; <task>.json.gz if not given"},
                  {"kernel", 0, "NAME", "anchor", "record: which kernel of the task"},
                  {"limit", 0, "N", "0", "record: configurations, drawn at random; 0 = all",
                   Bounds{0, 10'000'000}},
                  {"seed", 0, "N", "1", "record: decides the order and what --limit draws",
                   Bounds{0, 1'000'000'000}},
                  {"sandbox",
                   0,
                   "LEVEL",
                   "auto",
                   "record: walls around compilers and kernels",
                   {},
                   sandbox_choices()}},
      .exit_codes = {exit_code::device, exit_code::interrupted, exit_code::terminated},
      .example = "kernelevolve landscape stats softmax",
      .run = &run_landscape};
}

}  // namespace ke::verbs
