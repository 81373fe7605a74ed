// The files that a task names: oracle, kernels, baselines, headers.

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include "fitness/task_reader.hpp"

namespace ke {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_headers = 1000;      // files and folders below `include`
constexpr std::size_t largest_file = 1U << 20;  // bytes of one source
constexpr std::size_t most_bytes = 16U << 20;   // total over all headers

bool is_folder(const fs::path& path) {
  std::error_code code;
  return fs::is_directory(path, code);
}

/// Returns nothing for anything but a regular file (reading a pipe blocks, a device never ends),
/// for an unreadable file, and for a file above largest_file.
std::optional<std::string> read_file(const fs::path& path) {
  std::error_code code;
  if (!fs::is_regular_file(path, code)) return std::nullopt;
  std::ifstream in(path, std::ios::binary);
  std::string text(largest_file + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!in.eof()) return std::nullopt;
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
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
    p.fail(key, fmt::format("= {} is not a file of at most {} bytes that can be read", file,
                            largest_file));
    return {};
  }
  files_[file] = *text;
  return *std::move(text);
}

void TaskReader::read_files() {
  const std::string reference = top_.required_text("reference", "the oracle, in double precision");
  task_.reference_source = named_file(top_, "reference", reference);
  task_.reference_file = (fs::path(folder_) / reference).lexically_normal().string();
  task_.reference_limit_ms =
      top_.duration_ms("reference_limit", "30s", {10, 24 * 3'600'000},
                       "CPU time of a call of the reference, beside 20 ns for each element of a "
                       "tensor and each operation of cost.flops");
  read_kernels();
  Params baselines = top_.section("baselines");
  for (const std::string& name : baselines.keys()) {
    const std::string file = baselines.required_text(name, "a trusted kernel to compare with");
    task_.baselines.emplace_back(name, named_file(baselines, name, file));
  }
  read_include_dir();
}

void TaskReader::read_kernels() {
  if (!top_.has("kernels")) return read_language();
  Params kernels = top_.section("kernels");
  for (const std::string name : {"naive", "anchor"}) {
    const std::string file = kernels.required_text(
        name, name == "naive" ? "the plainest kernel" : "the best structured seed");
    add_kernel(kernels, name, name, file);
  }
  for (const std::string& file : kernels.texts("others", {}, "further seeds")) {
    add_kernel(kernels, "others", fs::path(file).stem().string(), file);
  }
  read_found(kernels);
  for (const Language& language : languages()) {
    if (!language.port_of.empty()) read_port(kernels, language);
  }
}

void TaskReader::read_language() {
  std::vector<std::string> names;
  for (const Language& language : languages()) {
    if (language.kernels == language.name) names.push_back(language.name);
  }
  task_.language = top_.choice("language", "cpp", names, "of kernels, where the task has none yet");
}

void TaskReader::add_kernel(Params& kernels, const std::string& key, const std::string& name,
                            const std::string& file) {
  if (task_.kernel_source(name) != nullptr) {
    kernels.fail(key, fmt::format("names kernel '{}' twice", name));
  }
  const std::string stem = fs::path(file).stem().string();
  std::string source = named_file(kernels, key, file);
  const Language* language = language_of_file(file, source);
  if (name == "naive" && language != nullptr) task_.language = language->kernels;
  task_.kernels.emplace_back(name, std::move(source));
  if (stem != name) task_.stems.emplace_back(stem, name);
}

// Found kernels decide no verdict and no figure of other kernels, so the hash omits them: when a
// search adds its finds, the task stays the same and its stored runs still replay.
void TaskReader::read_found(Params& kernels) {
  for (const std::string& file : kernels.texts(
           "found", {}, "kernels that earlier searches found; seeds of runs with kernels: all")) {
    const std::string name = fs::path(file).stem().string();
    add_kernel(kernels, "found", name, file);
    task_.found.push_back(name);
    files_.erase(file);
  }
}

void TaskReader::read_port(Params& kernels, const Language& language) {
  const std::string file = kernels.text(
      language.name, "", "the structured kernel in that language, for a device of its own");
  if (file.empty()) return;
  if (task_.language != language.port_of) {
    const std::string& usual = find_language(language.port_of)->title;
    kernels.fail(language.name, fmt::format("= {} stands beside kernels in {}, but the naive "
                                            "kernel is no such kernel",
                                            file, usual));
  }
  task_.ports.emplace_back(language.name, named_file(kernels, language.name, file));
}

void TaskReader::read_include_dir() {
  const std::string given = top_.text("include", "",
                                      "folder of headers for kernels; 'shipped': those of the "
                                      "shipped tasks, vector_math.hpp among them");
  const fs::path folder(folder_);
  fs::path found;
  for (const fs::path& path :
       {folder / "include", folder / "../include", folder / "../../include"}) {
    if (found.empty() && is_folder(path)) found = path;
  }
  if (!given.empty()) {
    found = folder / given;
    if (!is_folder(found)) return top_.fail("include", fmt::format("= {} is no folder", given));
  }
  if (found.empty()) return;
  task_.include_dir = found.lexically_normal().string();
  read_headers(found.string());
}

void TaskReader::read_headers(const std::string& folder) {
  std::error_code code;
  std::size_t entries = 0;
  std::size_t bytes = 0;
  for (fs::recursive_directory_iterator at(folder, code), end; !code && at != end;
       at.increment(code)) {
    if (++entries > most_headers) {
      return top_.fail("include", fmt::format("= {} holds more than {} files and folders", folder,
                                              most_headers));
    }
    if (is_folder(at->path())) continue;
    auto text = read_file(at->path());
    const std::string name = at->path().lexically_relative(folder).generic_string();
    if (!text) {
      return top_.fail("include", fmt::format("holds {}, which is not a file of at most {} bytes "
                                              "that can be read",
                                              name, largest_file));
    }
    if ((bytes += text->size()) > most_bytes) {
      return top_.fail("include", fmt::format("= {} holds more than {} bytes", folder, most_bytes));
    }
    files_["include/" + name] = *std::move(text);
  }
  if (code) top_.fail("include", fmt::format("= {}: {}", folder, code.message()));
}

}  // namespace ke
