#include "experiments/places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/text.hpp"

namespace ke {
namespace {

namespace fs = std::filesystem;

bool is_folder(const fs::path& path) {
  std::error_code code;
  return fs::is_directory(path, code);
}

bool is_file(const fs::path& path) {
  std::error_code code;
  return fs::is_regular_file(path, code);
}

bool is_task(const fs::path& folder) { return is_file(folder / "task.yaml"); }

/// Folders searched for `tasks/<name>` and the like, nearest first.
std::vector<std::string> search_folders(std::string_view beside) {
  std::vector<std::string> folders;
  if (!beside.empty()) {
    folders.emplace_back(beside);
    folders.push_back((fs::path(beside) / "..").lexically_normal().string());
  }
  for (auto& folder : config_folders()) folders.push_back(std::move(folder));
  return folders;
}

void collect_tasks(const fs::path& root, const fs::path& below, std::vector<std::string>& names) {
  std::error_code code;
  for (const auto& entry : fs::directory_iterator(root / below, code)) {
    if (!is_folder(entry.path())) continue;
    const fs::path name = below / entry.path().filename();
    if (is_task(entry.path())) {
      names.push_back(name.string());
    } else if (below.empty()) {
      collect_tasks(root, name, names);
    }
  }
}

}  // namespace

std::string version() { return KE_VERSION; }

std::string tools_folder() {
  std::error_code code;
  return fs::read_symlink("/proc/self/exe", code).parent_path().string();
}

std::string drawing_folder() {
  const fs::path installed = fs::path(tools_folder()).parent_path() / KE_SHARE_DRAW;
  return is_folder(installed) ? installed.string() : KE_SOURCE_DRAW;
}

std::string artifact_folder() {
  const fs::path installed = fs::path(tools_folder()).parent_path() / KE_SHARE_ARTIFACT;
  return is_folder(installed) ? installed.string() : KE_SOURCE_ARTIFACT;
}

std::string adapters_folder() {
  const fs::path installed = fs::path(tools_folder()).parent_path() / KE_SHARE_ADAPTERS;
  return is_folder(installed) ? installed.string() : KE_SOURCE_ADAPTERS;
}

std::vector<std::string> config_folders() {
  std::vector<std::string> folders;
  for (const fs::path& folder :
       {fs::path(KE_SOURCE_CONFIGS), fs::path(tools_folder()).parent_path() / KE_SHARE_CONFIGS}) {
    if (is_folder(folder)) folders.push_back(folder.string());
  }
  return folders;
}

Result<std::string> find_task_folder(std::string_view task, std::string_view beside) {
  const fs::path name(task);
  std::vector<fs::path> candidates;
  if (name.is_relative() && !name.empty()) {
    for (const std::string& folder : search_folders(beside))
      candidates.push_back(folder / ("tasks" / name));
    if (!beside.empty()) candidates.push_back(beside / name);
  }
  candidates.push_back(name);
  for (const fs::path& folder : candidates) {
    // Absolute: the sandbox knows no working folder.
    if (!folder.empty() && is_task(folder)) return fs::absolute(folder).lexically_normal().string();
  }
  const std::string near = closest(task, known_tasks());
  return Error{Failure::config,
               fmt::format("no task '{}': neither a folder with task.yaml nor a known name{}", task,
                           near.empty() ? "; see 'kernelevolve list tasks'"
                                        : "; did you mean '" + near + "'?")};
}

std::string find_config(std::string_view kind, std::string_view name, std::string_view beside) {
  for (const std::string& folder : search_folders(beside)) {
    const fs::path path = fs::path(folder) / kind / (std::string(name) + ".yaml");
    if (is_file(path)) return path.string();
  }
  return {};
}

std::vector<std::string> known_tasks() {
  std::vector<std::string> names;
  for (const std::string& folder : config_folders())
    collect_tasks(fs::path(folder) / "tasks", {}, names);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace ke
