#include "experiments/run/run_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include "archive/run_folder.hpp"
#include "experiments/cli/json.hpp"
#include "experiments/run/atomic_file.hpp"

namespace ke {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view index_name = "index.json";

/// Task folders by file name; none when there is no index, or one that somebody changed: the task's
/// name must do then.
std::map<std::string, std::string> read_index(const fs::path& path) {
  std::map<std::string, std::string> folders;
  std::ifstream file(path);
  try {
    const Json index = parse_json(file);  // named: a loop does not keep what `.at` points into
    for (const Json& run : index.at("runs")) folders[run.at("file")] = run.at("task_folder");
  } catch (const Json::exception&) {
    return {};
  }
  return folders;
}

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
  const fs::path path = fs::path(folder) / index_name;
  std::map<std::string, std::string> folders = read_index(path);
  for (const IndexEntry& entry : entries) folders[entry.file] = entry.task_folder;
  Json json = {{"schema", "kernelevolve-index/1"}, {"runs", Json::array()}};
  for (const auto& [file, task_folder] : folders) {
    json["runs"].push_back({{"file", file}, {"task_folder", task_folder}});
  }
  return write_atomically(path.string(), json_text(json, JsonForm::lines) + "\n");
}

std::string indexed_task_folder(const std::string& run_file) {
  const fs::path path(run_file);
  const auto folders = read_index(path.parent_path() / index_name);
  const auto found = folders.find(path.filename().string());
  return found == folders.end() ? std::string() : found->second;
}

bool remove_unfinished(const std::string& run_file) {
  const fs::path path(run_file);
  if (read_index(path.parent_path() / index_name).contains(path.filename().string())) return false;
  return remove_never_begun(run_file);
}

}  // namespace ke
