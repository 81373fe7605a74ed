#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "experiments/cli/json.hpp"
#include "experiments/cli/verbs.hpp"
#include "experiments/report/candidate_table.hpp"
#include "experiments/report/candidates.hpp"
#include "experiments/report/kernel_folder.hpp"
#include "experiments/report/run_tables.hpp"
#include "experiments/run/run_files.hpp"

namespace ke::verbs {
namespace {

/// Headers of ours that kernels of a run may include, if the task's folder is still there.
std::string include_dir_of(const std::string& run_file) {
  const std::string task = indexed_task_folder(run_file);
  for (const char* up : {"include", "../include", "../../include"}) {
    const auto folder = std::filesystem::path(task) / up;
    if (!task.empty() && std::filesystem::is_directory(folder))
      return folder.lexically_normal().string();
  }
  return {};
}

Result<int> export_kernel(const Arguments& arguments, Console& console) {
  const std::string word = arguments.text("candidate");
  const std::string folder = arguments.text("kernel");
  KE_TRY(const auto reader, open_run(arguments.positionals()[0]));
  KE_TRY(const CandidateView view, find_candidate(*reader, word));
  if (view.candidate->outcome == OutcomeKind::no_child) {
    return Error{Failure::usage, fmt::format("candidate {} has no kernel", word)};
  }
  KE_TRY_VOID(write_kernel_folder(folder, *view.candidate, include_dir_of(reader->path())));
  if (arguments.has("json")) {
    write_json(console.out, {{"candidate", view.candidate->id.text()},
                             {"folder", folder},
                             {"source", folder + "/kernel.cpp"},
                             {"build", folder + "/build.sh"}});
  } else {
    console.out << fmt::format("{}: {}\n{}/build.sh builds it\n", view.candidate->id.text(),
                               genome_text(view.candidate->kernel), folder);
  }
  return exit_code::done;
}

Result<void> export_tables(const std::vector<std::string>& files, TableFormat format,
                           std::ostream& out) {
  if (format == TableFormat::csv) out << candidate_csv_head();
  for (const std::string& file : files) {
    KE_TRY(const auto reader, RunReader::open(file));
    KE_TRY_VOID(write_candidates(*reader, format, out));
  }
  return {};
}

Result<int> run_export(const Arguments& arguments, Console& console) {
  if (arguments.has("kernel")) return export_kernel(arguments, console);
  const std::string name = arguments.has("json") ? "jsonl" : arguments.text("format");
  if (name != "csv" && name != "jsonl") {
    return Error{Failure::usage,
                 fmt::format("export: --format = {} is not one of csv | jsonl", name)};
  }
  const TableFormat format = name == "csv" ? TableFormat::csv : TableFormat::jsonl;
  KE_TRY(const auto files, find_run_files(arguments.positionals()));
  const std::string path = arguments.text("out");
  if (path.empty()) {
    KE_TRY_VOID(export_tables(files, format, console.out));
    return exit_code::done;
  }
  std::ofstream file(path, std::ios::binary);
  if (file) KE_TRY_VOID(export_tables(files, format, file));
  if (!file.flush()) return Error{Failure::io, path + ": cannot be written"};
  return exit_code::done;
}

}  // namespace

Verb export_() {
  return {
      .name = "export",
      .positionals = "RUN ...",
      .least = 1,
      .most = 1000,
      .summary = "write all candidates as CSV or JSON lines, or one kernel with its build command",
      .details = "",
      .options = {{"format", 'f', "FORMAT", "csv", "csv or jsonl (which --json means too)"},
                  {"out", 'o', "FILE", "", "where to write; standard output if not given"},
                  {"kernel", 'k', "FOLDER", "",
                   "write one kernel: source, build.sh, candidate.json"},
                  {"candidate", 'c', "ID", "champion", "with --kernel: which one"}},
      .run = &run_export};
}

}  // namespace ke::verbs
