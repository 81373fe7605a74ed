#include "experiments/report/run_report.hpp"

#include "experiments/report/run_json.hpp"
#include "experiments/report/run_tables.hpp"
#include "experiments/run/run_files.hpp"

namespace ke {

Result<std::vector<RunSummary>> summarise_all(const std::vector<std::string>& arguments) {
  KE_TRY(const auto files, find_run_files(arguments));
  std::vector<RunSummary> runs;
  for (const std::string& file : files) {
    KE_TRY(const auto reader, RunReader::open(file));
    KE_TRY(RunSummary summary, summarise(*reader));
    runs.push_back(std::move(summary));
  }
  return runs;
}

void print_json(const std::vector<RunSummary>& runs, Console& console) {
  Json json = {{"runs", Json::array()}};
  for (const RunSummary& run : runs) json["runs"].push_back(json_of(run));
  write_json(console.out, json);
}

Result<void> print_results(const std::vector<std::string>& arguments, bool json, Console& console) {
  KE_TRY(const auto runs, summarise_all(arguments));
  if (json) {
    print_json(runs, console);
    return {};
  }
  for (const RunSummary& run : runs) console.out << run_text(run) << "\n";
  console.out << results_table(runs);
  return {};
}

Result<void> print_status(const std::vector<std::string>& arguments, bool json, Console& console) {
  KE_TRY(const auto runs, summarise_all(arguments));
  if (json) {
    print_json(runs, console);
  } else {
    console.out << status_table(runs);
  }
  return {};
}

}  // namespace ke
