// Files that a task names: oracle, kernels, baselines, headers.

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include "fitness/task_reader.hpp"

namespace ke {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_headers = 1000;

std::optional<std::string> read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in || fs::is_directory(path)) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(in), {});
}

}  // namespace

std::string TaskReader::named_file(Params& p, std::string_view key, const std::string& file) {
  if (file.empty()) return {};
  if (fs::path(file).is_absolute()) {
    p.fail(key, fmt::format("= {} must be relative to the task's folder", file));
    return {};
  }
  auto text = read_file(fs::path(folder_) / file);
  if (!text) {
    p.fail(key, fmt::format("= {} is not a file that can be read", file));
    return {};
  }
  files_[file] = *text;
  return *std::move(text);
}

void TaskReader::read_files() {
  const std::string reference = top_.required_text("reference", "the oracle, in double precision");
  task_.reference_source = named_file(top_, "reference", reference);
  read_kernels();
  Params baselines = top_.section("baselines");
  for (const std::string& name : baselines.keys()) {
    const std::string file = baselines.required_text(name, "a trusted kernel to compare with");
    task_.baselines.emplace_back(name, named_file(baselines, name, file));
  }
  read_include_dir();
}

void TaskReader::read_kernels() {
  Params kernels = top_.section("kernels");
  std::vector<std::pair<std::string, std::string>> list;  // name, file
  for (const std::string_view name : {"naive", "anchor"}) {
    list.emplace_back(
        name, kernels.required_text(
                  name, name == "naive" ? "the plainest kernel" : "the best structured seed"));
  }
  for (const std::string& file : kernels.texts("others", {}, "further seeds")) {
    list.emplace_back(fs::path(file).stem().string(), file);
  }
  for (const auto& [name, file] : list) {
    const std::string key = name == "naive" || name == "anchor" ? name : "others";
    if (task_.kernel_source(name) != nullptr) {
      kernels.fail(key, fmt::format("names kernel '{}' twice", name));
    }
    const std::string stem = fs::path(file).stem().string();
    if (name == "naive" && fs::path(file).extension() == ".cu") task_.language = "cuda";
    task_.kernels.emplace_back(name, named_file(kernels, key, file));
    if (stem != name) task_.stems.emplace_back(stem, name);
  }
}

void TaskReader::read_include_dir() {
  const std::string given = top_.text("include", "", "folder of headers for kernels");
  const fs::path folder(folder_);
  fs::path found;
  for (const fs::path& path :
       {folder / "include", folder / "../include", folder / "../../include"}) {
    if (found.empty() && fs::is_directory(path)) found = path;
  }
  if (!given.empty()) {
    found = folder / given;
    if (!fs::is_directory(found))
      return top_.fail("include", fmt::format("= {} is no folder", given));
  }
  if (found.empty()) return;
  task_.include_dir = found.lexically_normal().string();
  std::error_code ignored;
  std::size_t count = 0;
  for (const auto& entry : fs::recursive_directory_iterator(found, ignored)) {
    if (!entry.is_regular_file()) continue;
    if (++count > most_headers) {
      return top_.fail("include",
                       fmt::format("= {} holds more than {} files", given, most_headers));
    }
    const std::string name = "include/" + fs::relative(entry.path(), found).generic_string();
    files_[name] = read_file(entry.path()).value_or("");
  }
}

}  // namespace ke
