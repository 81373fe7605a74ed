#include "experiments/study/sweep/running_sign.hpp"

#include <sys/utsname.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <utility>

#include "experiments/run/atomic_file.hpp"
#include "experiments/text/json.hpp"

namespace ke {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr auto every = 15s;
constexpr auto believed = 90s;  ///< hosts' clocks may differ by some of it

fs::path signs_of(const std::string& folder) { return fs::path(folder) / "running"; }

/// "3/8" is no name of a file.
fs::path sign_of(const std::string& folder, const std::string& shard) {
  const std::size_t slash = shard.find('/');
  return signs_of(folder) / (shard.substr(0, slash) + "of" + shard.substr(slash + 1) + ".json");
}

std::string host_name() {
  utsname names{};
  uname(&names);
  return names.nodename;
}

/// Nothing when it is old, or was removed while we read.
std::optional<Running> read_sign(const fs::path& path) {
  std::error_code code;
  const auto written = fs::last_write_time(path, code);
  if (code || fs::file_time_type::clock::now() - written > believed) return std::nullopt;
  std::ifstream file(path);
  try {
    const Json json = parse_json(file);
    return Running{json.at("shard"), json.at("host"), json.at("job"),
                   json.at("runs").get<std::vector<std::string>>()};
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

}  // namespace

RunningSign::RunningSign(const std::string& folder, std::string shard, std::string job)
    : path_(sign_of(folder, shard).string()), said_{std::move(shard), host_name(), std::move(job)} {
  std::error_code ignored;
  fs::create_directories(signs_of(folder), ignored);
  thread_ = std::jthread([this](const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    do {
      write();
    } while (!wake_.wait_for(lock, stop, every, [&] { return stop.stop_requested(); }) &&
             !stop.stop_requested());
  });
}

RunningSign::~RunningSign() {
  thread_.request_stop();
  thread_.join();
  std::error_code ignored;
  fs::remove(path_, ignored);
}

void RunningSign::begin(const std::string& run) {
  const std::lock_guard lock(mutex_);
  said_.runs.push_back(run);
  write();
}

void RunningSign::end(const std::string& run) {
  const std::lock_guard lock(mutex_);
  std::erase(said_.runs, run);
  write();
}

/// A sign that cannot be written now is written later; runs do not fail for it.
void RunningSign::write() {
  const Json sign = {
      {"shard", said_.shard}, {"host", said_.host}, {"job", said_.job}, {"runs", said_.runs}};
  (void)write_atomically(path_, document_text(sign));
}

std::vector<Running> read_running(const std::string& folder) {
  std::vector<Running> signs;
  std::error_code code;
  for (const auto& entry : fs::directory_iterator(signs_of(folder), code)) {
    if (entry.path().extension() != ".json") continue;
    if (auto sign = read_sign(entry.path())) signs.push_back(*std::move(sign));
  }
  return signs;
}

}  // namespace ke
