#include "experiments/view/report/report_page.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/cli/verb.hpp"
#include "experiments/run/atomic_file.hpp"
#include "experiments/text/json.hpp"
#include "experiments/view/report/run_report.hpp"

namespace ke::verbs {
namespace {

/// Store error if some of the files could not be read.
Result<int> code_of(const Json& data) {
  KE_TRY_VOID(all_read(data["unreadable"].get<std::vector<std::string>>()));
  return exit_code::done;
}

Result<int> run_report(const Arguments& arguments, Console& console) {
  const std::string path = arguments.text("out");
  const auto warn = [&](const Json& index) {
    if (const std::string warning = index["warning"]; !warning.empty()) {
      console.err << "warning: " << warning << "\n";
    }
  };
  if (arguments.has("json")) {
    KE_TRY(const Json data, report_data(arguments.positionals()));
    warn(data);
    write_json(console.out, data);
    return code_of(data);
  }
  KE_TRY(const PageData data, page_data(arguments.positionals()));
  warn(data.index);
  KE_TRY(const std::string page, report_page(data));
  KE_TRY_VOID(write_atomically(path, page));
  console.out << fmt::format("{}: {} run{}, {:.2f} MB\n", path, data.runs.size(),
                             data.runs.size() == 1 ? "" : "s",
                             static_cast<double>(page.size()) / 1e6);
  return code_of(data.index);
}

}  // namespace

Verb report() {
  return {.name = "report",
          .positionals = "RUN ...",
          .least = 1,
          .most = 100000,
          .summary = "write runs as one HTML page that needs no network",
          .details =
              "RUN is a run file or a folder with run files, also while they go on. Several runs\n"
              "stand side by side by arm: that of a sweep, or the file name up to its first dot.\n"
              "Sources are shown as text and never run. --json prints what the page shows instead.",
          .options = {{"out", 'o', "FILE", "report.html", "where to write the page"}},
          .example = "kernelevolve report runs/crossover -o crossover.html",
          .run = &run_report};
}

}  // namespace ke::verbs
