#include "experiments/run/config/task_document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <utility>

#include "experiments/run/yaml/read_yaml.hpp"

namespace ke {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 5> own_keys = {"schema", "name", "description", "workloads",
                                                      "ranges"};

Result<Node> read_in(const fs::path& folder) {
  return read_yaml_file((folder / "task.yaml").string());
}

Error wrong(const Place& place, const std::string& what) {
  return {Failure::config, fmt::format("{}: 'extends' {}", place.text(), what)};
}

}  // namespace

Result<TaskDocument> read_task_document(const std::string& folder) {
  KE_TRY(Node own, read_in(folder));
  const Node* extended = own.find("extends");
  if (extended == nullptr) return TaskDocument{std::move(own), folder};
  const std::string& other = extended->scalar;
  if (other.empty() || fs::path(other).is_absolute()) {
    return wrong(extended->place, "must be the folder of another task, relative to this one's");
  }
  const fs::path files = (fs::path(folder) / other).lexically_normal();
  KE_TRY(Node base, read_in(files));
  if (base.find("extends") != nullptr) {
    return wrong(extended->place, fmt::format("= {} names a task that extends another one", other));
  }
  const Node* name = base.find("name");
  const std::string kernels_of = name == nullptr ? "" : name->scalar;
  for (Node::Entry& entry : own.entries) {
    if (entry.key == "extends") continue;
    if (std::ranges::find(own_keys, entry.key) == own_keys.end()) {
      return wrong(entry.place,
                   fmt::format("leaves a task schema, name, description, workloads and ranges "
                               "alone, not "
                               "'{}'",
                               entry.key));
    }
    base.set(entry.key, std::move(entry.value));
  }
  return TaskDocument{std::move(base), files.string(), kernels_of};
}

}  // namespace ke
