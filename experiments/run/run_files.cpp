#include "experiments/run/run_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "experiments/cli/json.hpp"

namespace ke {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view index_name = "index.json";

Error missing(const std::string& path) {
  return {Failure::usage, path + ": no such run file or folder"};
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
    std::error_code code;
    if (!fs::is_directory(argument, code)) {
      if (!fs::exists(argument, code)) return missing(argument);
      files.push_back(argument);
      continue;
    }
    std::vector<std::string> inside;
    for (const auto& entry : fs::directory_iterator(argument, code)) {
      if (entry.path().extension() == run_suffix) inside.push_back(entry.path().string());
    }
    if (code) return Error{Failure::io, argument + ": " + code.message()};
    if (inside.empty()) {
      return Error{Failure::usage, fmt::format("{}: holds no run file (*{})", argument, run_suffix)};
    }
    std::sort(inside.begin(), inside.end());
    files.insert(files.end(), inside.begin(), inside.end());
  }
  return files;
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
    for (const Json& run : Json::parse(file).at("runs")) {
      if (run.at("file") == path.filename().string()) return run.at("task_folder");
    }
  } catch (const Json::exception&) {
    return {};  // no index, or one that somebody changed: the task's name must do
  }
  return {};
}

}  // namespace ke
