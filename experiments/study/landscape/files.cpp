#include "experiments/study/landscape/files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <future>
#include <set>

#include "experiments/run/evaluators/landscape.hpp"
#include "fitness/landscape/read_landscape.hpp"

namespace ke {
namespace {

namespace fs = std::filesystem;

Result<void> collect(const std::string& word, std::vector<std::string>& files) {
  std::error_code code;
  if (!fs::is_directory(word, code)) {
    KE_TRY(std::string file, find_landscape(word, "."));
    files.push_back(std::move(file));
    return {};
  }
  std::vector<std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(word, code)) {
    const std::string path = entry.path().string();
    if (path.ends_with(".json") || path.ends_with(".json.gz")) found.push_back(path);
  }
  if (found.empty()) return Error{Failure::usage, word + ": holds no *.json or *.json.gz"};
  std::sort(found.begin(), found.end());
  files.insert(files.end(), found.begin(), found.end());
  return {};
}

}  // namespace

Result<std::vector<LandscapeFile>> read_landscapes(const std::vector<std::string>& words) {
  std::vector<std::string> files;
  for (const std::string& word : words) KE_TRY_VOID(collect(word, files));
  std::set<std::string> names;
  std::erase_if(files,
                [&](const auto& file) { return !names.insert(landscape_name(file)).second; });
  std::vector<std::future<Result<std::shared_ptr<const Landscape>>>> reading;
  for (const std::string& file : files) {
    reading.push_back(std::async(std::launch::async, [&file] { return read_landscape(file); }));
  }
  std::vector<LandscapeFile> list;
  std::vector<std::string> errors;
  for (std::size_t i = 0; i < files.size(); ++i) {
    auto landscape = reading[i].get();
    if (landscape) {
      list.push_back({files[i], *std::move(landscape)});
    } else {
      errors.push_back(landscape.error().message);
    }
  }
  if (!errors.empty()) return Error{Failure::config, fmt::format("{}", fmt::join(errors, "\n"))};
  return list;
}

}  // namespace ke
