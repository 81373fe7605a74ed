#include "archive/run_verify.hpp"

#include <fmt/format.h>

#include "experiments/cli/json.hpp"
#include "experiments/cli/verbs.hpp"
#include "experiments/run/run_files.hpp"

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

/// One run: its report. Several: a list under `runs`, with `ok` and `problems` of all.
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

Result<int> run(const Arguments& arguments, Console& console) {
  KE_TRY(const auto files, find_run_files(arguments.positionals()));
  std::vector<Json> reports;
  bool ok = true;
  for (const std::string& file : files) {
    KE_TRY(const auto reader, RunReader::open(file));
    KE_TRY(const VerifyReport report, verify_run(*reader));
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
  return {.name = "verify",
          .positionals = "RUN ...",
          .least = 1,
          .most = 1000,
          .summary = "check that a run file is what it says: rows, history, facts",
          .details =
              "Computes both hashes afresh from the rows. Exit code 1 when they differ from\n"
              "what the run recorded.",
          .options = {},
          .run = &run};
}

}  // namespace ke::verbs
