#include "experiments/run/run_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include "archive/run_folder.hpp"
#include "experiments/run/atomic_file.hpp"
#include "experiments/run/evaluators/evaluator_kind.hpp"
#include "experiments/text/json.hpp"

namespace ke {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view index_name = "index.json";
constexpr const char* device_folders = "device_task_folders";

/// Index entries by file name. Empty if the index is missing or was edited; callers then look up
/// the task by name.
std::map<std::string, IndexEntry> read_index(const fs::path& path) {
  std::map<std::string, IndexEntry> entries;
  std::ifstream file(path);
  try {
    // named, because a range-for does not keep alive what `.at` refers to
    const Json index = parse_json(file);
    for (const Json& run : index.at("runs")) {
      entries[run.at("file")] = {run.at("file"), run.at("task_folder"),
                                 run.value(device_folders, std::vector<std::string>())};
    }
  } catch (const Json::exception&) {
    return {};
  }
  return entries;
}

Json json_of(const IndexEntry& entry) {
  Json json = {{"file", entry.file}, {"task_folder", entry.task_folder}};
  if (!entry.device_task_folders.empty()) json[device_folders] = entry.device_task_folders;
  return json;
}

}  // namespace

std::string run_file_name(const std::string& name, const std::string& task, std::int64_t seed) {
  std::string flat = task;
  std::replace(flat.begin(), flat.end(), '/', '-');
  return fmt::format("{}.{}.s{}{}", name, flat, seed, run_suffix);
}

Result<void> refuse_equal_files(const std::vector<PlannedFile>& runs) {
  std::map<std::string, std::string> tasks;  // by file
  for (const PlannedFile& run : runs) {
    const auto [known, fresh] = tasks.emplace(run.file, run.task);
    if (fresh) continue;
    const std::string why =
        known->second == run.task
            ? fmt::format("task and seed are listed twice{}",
                          run.task.empty() ? "" : " (" + run.task + ")")
            : fmt::format("tasks {} and {} have the same name", known->second, run.task);
    return Error{Failure::config, fmt::format("two runs would be one file {}: {}", run.file, why)};
  }
  return {};
}

Result<std::vector<std::string>> find_run_files(const std::vector<std::string>& arguments) {
  std::vector<std::string> files;
  for (const std::string& argument : arguments) {
    if (!fs::exists(argument)) {
      return Error{Failure::usage, argument + ": no such run file or folder"};
    }
    KE_TRY(const auto found, list_run_files(argument));
    files.insert(files.end(), found.begin(), found.end());
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

IndexEntry index_entry(const std::string& file, const Subject& subject) {
  IndexEntry entry{fs::path(file).filename().string(), subject.origin};
  for (const Subject& one : subject.devices) entry.device_task_folders.push_back(one.origin);
  return entry;
}

Result<void> write_index(const std::string& folder, const std::vector<IndexEntry>& entries) {
  const fs::path path = fs::path(folder) / index_name;
  std::map<std::string, IndexEntry> all = read_index(path);
  for (const IndexEntry& entry : entries) all[entry.file] = entry;
  Json json = {{"schema", "kernelevolve-index/1"}, {"runs", Json::array()}};
  for (const auto& [file, entry] : all) json["runs"].push_back(json_of(entry));
  return write_atomically(path.string(), document_text(json));
}

std::string indexed_task_folder(const std::string& run_file) {
  const auto folders = indexed_task_folders(run_file);
  return folders.empty() ? std::string() : folders.front();
}

std::vector<std::string> indexed_task_folders(const std::string& run_file) {
  const fs::path path(run_file);
  const auto entries = read_index(path.parent_path() / index_name);
  const auto found = entries.find(path.filename().string());
  if (found == entries.end()) return {};
  const IndexEntry& entry = found->second;
  if (entry.device_task_folders.empty()) return {entry.task_folder};
  return entry.device_task_folders;
}

bool remove_unfinished(const std::string& run_file) {
  const fs::path path(run_file);
  if (read_index(path.parent_path() / index_name).contains(path.filename().string())) return false;
  return remove_never_begun(run_file);
}

}  // namespace ke
