#include "experiments/run/run_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "archive/run_folder.hpp"
#include "experiments/cli/json.hpp"

namespace ke {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view index_name = "index.json";

}  // namespace

std::string run_file_name(const std::string& name, const std::string& task, std::int64_t seed) {
  std::string flat = task;
  std::replace(flat.begin(), flat.end(), '/', '-');
  return fmt::format("{}.{}.s{}{}", name, flat, seed, run_suffix);
}

Result<std::vector<std::string>> find_run_files(const std::vector<std::string>& arguments) {
  std::vector<std::string> files;
  for (const std::string& argument : arguments) {
    if (!fs::exists(argument)) {
      return Error{Failure::usage, argument + ": no such run file or folder"};
    }
    KE_TRY(const auto entries, list_runs(argument));
    if (entries.empty()) {
      return Error{Failure::usage,
                   fmt::format("{}: holds no run file (*{})", argument, run_suffix)};
    }
    for (const RunEntry& entry : entries) files.push_back(entry.path);
  }
  return files;
}

Result<std::unique_ptr<RunReader>> open_run(const std::string& argument) {
  KE_TRY(const auto files, find_run_files({argument}));
  if (files.size() == 1) return RunReader::open(files.front());
  std::string names;
  for (const std::string& file : files) names += "\n  " + file;
  return Error{Failure::usage,
               fmt::format("{} holds {} runs; name one:{}", argument, files.size(), names)};
}

Result<void> write_index(const std::string& folder, const std::vector<IndexEntry>& entries) {
  Json json = {{"schema", "kernelevolve-index/1"}, {"runs", Json::array()}};
  const fs::path path = fs::path(folder) / index_name;
  for (const IndexEntry& entry : entries) {
    json["runs"].push_back({{"file", entry.file}, {"task_folder", entry.task_folder}});
  }
  std::ofstream file(path);
  write_json(file, json);
  if (!file.flush()) return Error{Failure::store, path.string() + ": cannot be written"};
  return {};
}

std::string indexed_task_folder(const std::string& run_file) {
  const fs::path path(run_file);
  std::ifstream file(path.parent_path() / index_name);
  try {
    const Json index = parse_json(file);  // named: a loop does not keep what `.at` points into
    for (const Json& run : index.at("runs")) {
      if (run.at("file") == path.filename().string()) return run.at("task_folder");
    }
  } catch (const Json::exception&) {
    return {};  // no index, or one that somebody changed: the task's name must do
  }
  return {};
}

}  // namespace ke
