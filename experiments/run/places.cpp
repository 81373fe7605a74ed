#include "experiments/run/places.hpp"

#include <fmt/format.h>
#include <sys/auxv.h>

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

/// Folder of an installed program, else that of this build in the source tree.
std::string shared_folder(const char* installed, const char* source) {
  const fs::path folder = fs::path(tools_folder()).parent_path() / installed;
  return is_folder(folder) ? folder.string() : source;
}

bool is_task(const fs::path& folder) { return is_file(folder / "task.yaml"); }

/// Folders to search for `tasks/<name>` and the like, nearest first.
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

std::string program_file() {
  // /proc/self/exe would name the loader that starts the programs of a bundle.
  static const std::string file = [] {
    std::error_code code;
    return fs::canonical(reinterpret_cast<const char*>(getauxval(AT_EXECFN)), code).string();
  }();
  return file;
}

std::string program_to_start() {
  const fs::path file = program_file();
  if (file.extension() != ".bin") return file.string();
  return fs::path(file).replace_extension().string();
}

std::string tools_folder() { return fs::path(program_file()).parent_path().string(); }

std::string python_folder() { return shared_folder(KE_SHARE_PYTHON, KE_SOURCE_PYTHON); }

std::string artifact_folder() { return shared_folder(KE_SHARE_ARTIFACT, KE_SOURCE_ARTIFACT); }

std::string adapters_folder() { return shared_folder(KE_SHARE_ADAPTERS, KE_SOURCE_ADAPTERS); }

std::string references_folder() { return shared_folder(KE_SHARE_REFERENCES, KE_SOURCE_REFERENCES); }

std::string import_folder() { return shared_folder(KE_SHARE_IMPORT, KE_SOURCE_IMPORT); }

std::string needs_folder() { return shared_folder(KE_SHARE_NEEDS, KE_SOURCE_NEEDS); }

std::string dispatch_folder() { return shared_folder(KE_SHARE_DISPATCH, KE_SOURCE_DISPATCH); }

std::string formula_file() {
  const fs::path installed = fs::path(dispatch_folder()) / "formula.hpp";
  return is_file(installed) ? installed.string() : KE_SOURCE_FORMULA;
}

std::string torch_folder() { return shared_folder(KE_SHARE_TORCH, KE_SOURCE_TORCH); }

std::vector<std::string> config_folders() {
  const std::string folder = shared_folder(KE_SHARE_CONFIGS, KE_SOURCE_CONFIGS);
  return is_folder(folder) ? std::vector{folder} : std::vector<std::string>{};
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
    // Absolute, because the sandbox has no working folder.
    if (!folder.empty() && is_task(folder)) return fs::absolute(folder).lexically_normal().string();
  }
  const std::string near = suggestion(task, known_tasks());
  return Error{Failure::config,
               fmt::format("no task '{}': neither a folder with task.yaml nor a known name{}", task,
                           near.empty() ? "; see 'kernelevolve list tasks'" : near)};
}

std::string base_of_typed_task(std::string_view task, const std::string& beside,
                               std::vector<std::string>& warnings) {
  const auto folder_in = [&](const fs::path& base) -> std::string {
    for (const fs::path& folder : {base / "tasks" / task, base / task}) {
      if (is_task(folder)) return fs::absolute(folder).lexically_normal().string();
    }
    return {};
  };
  const std::string here = folder_in("."), there = folder_in(beside);
  if (here.empty()) return beside;
  if (!there.empty() && there != here) {
    warnings.push_back(
        fmt::format("task {} is {}; {} is another one of that name", task, here, there));
  }
  return ".";
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
