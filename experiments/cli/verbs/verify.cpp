#include "archive/run_verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "experiments/cli/verb.hpp"
#include "experiments/run/recording.hpp"
#include "experiments/run/run_files.hpp"
#include "experiments/study/remeasure/remeasure.hpp"
#include "experiments/text/json.hpp"
#include "experiments/text/table.hpp"
#include "experiments/view/report/run_json.hpp"
#include "experiments/view/report/run_tables.hpp"

namespace ke::verbs {
namespace {

Json json_of(const std::string& file, const VerifyReport& report) {
  return {{"ok", report.ok()},
          {"history_hash", report.history_hash.hex()},
          {"record_hash", report.record_hash.hex()},
          {"problems", report.problems},
          {"file", file},
          {"steps", report.steps},
          {"facts", report.facts}};
}

std::string text_of(const std::string& file, const VerifyReport& report) {
  std::string text = fmt::format("{}: {}\n  history {}  {} steps\n  record  {}  {} facts\n", file,
                                 report.ok() ? "ok" : "NOT what it says", report.history_hash.hex(),
                                 report.steps, report.record_hash.hex(), report.facts);
  for (const std::string& problem : report.problems) text += "  problem: " + problem + "\n";
  return text;
}

/// Report of one run; for several, a list under `runs` with the `ok` and `problems` of all.
Json combined(std::vector<Json> reports) {
  if (reports.size() == 1) return std::move(reports.front());
  Json json = {{"ok", true}, {"problems", Json::array()}, {"runs", Json::array()}};
  for (Json& report : reports) {
    if (!report["ok"].get<bool>()) json["ok"] = false;
    for (const Json& problem : report["problems"]) json["problems"].push_back(problem);
    json["runs"].push_back(std::move(report));
  }
  return json;
}

std::string text_of(const std::vector<RemeasuredFigure>& list) {
  Table table({"against", "role", "then", "now", "then / now - 1", ""});
  for (const RemeasuredFigure& one : list) {
    const bool first = one.then.speedup <= 0 && one.now.speedup > 0;
    table.add({one.baseline, one.role, figure_text(one.then), figure_text(one.now),
               first ? "-" : fmt::format("{:+.2f} %", 100 * one.excess()),
               first          ? "first figure"
               : one.agrees() ? "agrees"
                              : "differs"});
  }
  return list.empty() ? "no verified champion\n" : table.text();
}

Json json_of(const std::string& file, const std::vector<RemeasuredFigure>& list) {
  const auto figure = [](const RemeasuredFigure& one) -> Json {
    return {{"baseline", one.baseline}, {"role", one.role},       {"then", json_of(one.then)},
            {"now", json_of(one.now)},  {"excess", one.excess()}, {"agrees", one.agrees()}};
  };
  return {{"file", file}, {"remeasured", column(list, figure)}};
}

/// Agreement of the headline figures of all runs: bench workloads against naive.
Agreement headline(const std::vector<RemeasuredFigure>& all) {
  std::vector<double> excesses;
  for (const RemeasuredFigure& one : all) {
    if (one.baseline == "naive" && one.role == "bench" && one.now.speedup > 0) {
      excesses.push_back(one.excess());
    }
  }
  return agreement_of(excesses);
}

std::string text_of(const Agreement& agreement) {
  return fmt::format(
      "bench against naive, {} runs: mean of then / now - 1 {:+.2f} % [{:+.2f}, {:+.2f}], median "
      "of "
      "absolute values {:.2f} %\n",
      agreement.figures, 100 * agreement.mean, 100 * agreement.ci.low, 100 * agreement.ci.high,
      100 * agreement.median_absolute);
}

Json json_of(const Agreement& agreement) {
  return {{"figures", agreement.figures},
          {"mean_excess", agreement.mean},
          {"ci", json_of(agreement.ci)},
          {"median_absolute_excess", agreement.median_absolute}};
}

/// Exit code: whether every figure agrees; a run without a champion has no figure that could
/// differ.
Result<int> run_again(const std::vector<std::string>& files, const Arguments& arguments,
                      Console& console) {
  std::vector<std::unique_ptr<RunReader>>
      readers;  // opened first, so that an unreadable file wastes no measurement
  for (const std::string& file : files) {
    KE_TRY(readers.emplace_back(), RunReader::open(file));
  }
  Json runs = Json::array();
  std::vector<RemeasuredFigure> all;
  for (const auto& reader : readers) {
    const std::string& file = reader->path();
    KE_TRY(const auto list, remeasure(*reader, arguments.text("tasks"), console));
    all.insert(all.end(), list.begin(), list.end());
    runs.push_back(json_of(file, list));
    if (!arguments.has("json")) console.out << file << "\n" << text_of(list);
  }
  const Agreement agreement = headline(all);
  if (arguments.has("json")) {
    write_json(console.out, {{"runs", std::move(runs)}, {"headline", json_of(agreement)}});
  } else if (agreement.figures > 1) {
    console.out << text_of(agreement);
  }
  const bool agree = std::ranges::all_of(all, &RemeasuredFigure::agrees);
  return agree ? exit_code::done : exit_code::negative;
}

/// Adds the result of `--replay` to a report.
Result<void> add_replay(const std::string& file, const std::string& tasks, VerifyReport& report) {
  KE_TRY(const ReplayReport replay, replay_run(file, tasks));
  for (const std::string& problem : replay.problems)
    report.problems.push_back("replay: " + problem);
  return {};
}

Result<int> run_verify(const Arguments& arguments, Console& console) {
  KE_TRY(const auto files, find_run_files(arguments.positionals()));
  if (arguments.has("remeasure")) return run_again(files, arguments, console);
  std::vector<Json> reports;
  bool ok = true;
  for (const std::string& file : files) {
    KE_TRY(const auto reader, RunReader::open(file));
    KE_TRY(VerifyReport report, verify_run(*reader));
    if (arguments.has("replay")) KE_TRY_VOID(add_replay(file, arguments.text("tasks"), report));
    ok = ok && report.ok();
    if (arguments.has("json")) {
      reports.push_back(json_of(file, report));
    } else {
      console.out << text_of(file, report);
    }
  }
  if (arguments.has("json")) write_json(console.out, combined(std::move(reports)));
  return ok ? exit_code::done : exit_code::negative;
}

}  // namespace

Verb verify() {
  return {
      .name = "verify",
      .positionals = "RUN ...",
      .least = 1,
      .most = 1000,
      .summary = "check that a run file is what it says: rows, history, facts",
      .details =
          "Computes both hashes afresh from the rows. Exit code 1 when they differ from\n"
          "what the run recorded, or when a figure that was measured again differs by more than\n"
          "both intervals allow. --replay also runs the search again from the recorded facts,\n"
          "without compiling or measuring, and compares every step; exit code 6 when it asks for\n"
          "a fact that is not there.",
      .options = {{"replay", 0, "", "", "run the search again from its recorded facts"},
                  {"remeasure", 0, "", "",
                   "measure the champions again on this machine and print the difference"},
                  {"tasks", 0, "FOLDER", "", "folder that holds tasks/<name>, if it has moved"}},
      .exit_codes = {exit_code::negative, exit_code::device, exit_code::replay_miss},
      .example = "kernelevolve verify runs/first --replay",
      .run = &run_verify};
}

}  // namespace ke::verbs
