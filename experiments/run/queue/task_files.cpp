#include "experiments/run/queue/task_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "experiments/run/atomic_file.hpp"
#include "experiments/run/config/task_document.hpp"

namespace ke {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_bytes = std::size_t{64} << 20;

/// Files of other tasks that a document names, such as ../softmax/reference.cpp.
void add_files_outside(const Node& node, const fs::path& folder, std::vector<fs::path>& files) {
  std::error_code code;
  const fs::path named = (folder / node.scalar).lexically_normal();
  if (node.scalar.starts_with("../") && fs::is_regular_file(named, code)) files.push_back(named);
  for (const Node& item : node.items) add_files_outside(item, folder, files);
  for (const Node::Entry& entry : node.entries) add_files_outside(entry.value, folder, files);
}

/// Folders and files that a task consists of.
Result<std::vector<fs::path>> roots_of(const Subject& subject, const fs::path& origin) {
  std::vector<fs::path> roots = {origin};
  if (!subject.task) return roots;
  KE_TRY(const TaskDocument document, read_task_document(origin.string()));
  const fs::path files = fs::absolute(document.files).lexically_normal();
  roots.push_back(files);
  add_files_outside(document.node, files, roots);
  const Node* include = document.node.find("include");
  const bool shipped = include != nullptr && include->scalar == "shipped";
  const std::string& headers = subject.task->include_dir;
  if (!shipped && !headers.empty()) roots.push_back(fs::absolute(headers).lexically_normal());
  return roots;
}

/// The lowest folder above all of them.
fs::path common_folder(const std::vector<fs::path>& roots) {
  fs::path common = roots.front().parent_path();
  for (const fs::path& root : roots) {
    while (!fs::relative(root, common).empty() &&
           fs::relative(root, common).begin()->string() == "..") {
      common = common.parent_path();
    }
  }
  return common;
}

std::set<fs::path> files_below(const fs::path& root) {
  std::set<fs::path> files;
  std::error_code code;
  if (fs::is_regular_file(root, code)) files.insert(root);
  for (auto it = fs::recursive_directory_iterator(root, code); !code && it != fs::end(it);
       it.increment(code)) {
    if (it->is_regular_file(code)) files.insert(it->path());
  }
  return files;
}

bool stays_inside(const fs::path& path) {
  return !path.empty() && path.is_relative() &&
         std::none_of(path.begin(), path.end(), [](const fs::path& part) { return part == ".."; });
}

}  // namespace

Result<PackedTask> pack_task(const Subject& subject, std::size_t device) {
  PackedTask packed;
  if (subject.origin.empty()) return packed;
  const fs::path origin = fs::absolute(subject.origin).lexically_normal();
  KE_TRY(const std::vector<fs::path> roots, roots_of(subject, origin));
  const fs::path common = common_folder(roots);
  std::set<fs::path> files;
  for (const fs::path& root : roots) files.merge(files_below(root));
  std::size_t bytes = 0;
  for (const fs::path& file : files) {
    packed.files.push_back(
        {device, file.lexically_relative(common).string(), content_of(file.string()).value_or("")});
    bytes += packed.files.back().content.size();
    if (bytes <= most_bytes) continue;
    return Error{Failure::config, fmt::format("{}: a task of more than {} MiB does not go through "
                                              "a queue",
                                              subject.origin, most_bytes >> 20)};
  }
  packed.origin = origin.lexically_relative(common).string();
  return packed;
}

Result<void> unpack_files(const std::vector<TaskFile>& files, std::size_t device,
                          const std::string& folder) {
  for (const TaskFile& file : files) {
    if (file.device != device) continue;
    if (!stays_inside(file.path)) {
      return Error{
          Failure::store,
          fmt::format("the database names a task file '{}' outside of its folder", file.path)};
    }
    const fs::path path = fs::path(folder) / file.path;
    std::error_code code;
    fs::create_directories(path.parent_path(), code);
    std::ofstream out(path, std::ios::binary);
    out << file.content;
    out.close();
    if (!out) return Error{Failure::io, fmt::format("{} cannot be written", path.string())};
  }
  return {};
}

}  // namespace ke
