#include "experiments/view/watch/run_watcher.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "experiments/run/run_files.hpp"
#include "experiments/view/report/report_page.hpp"

namespace ke {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds pause{250};
constexpr milliseconds shortest_gap{500};
constexpr int share_of_time = 20;

/// Size and modification time of every file that changes with a run.
using Stamps = std::map<std::string, std::tuple<off_t, time_t, long>>;

Stamps stamps_of(const std::vector<std::string>& arguments) {
  Stamps stamps;
  const auto files = find_run_files(arguments);
  if (!files) return stamps;
  for (const std::string& file : *files) {
    for (const char* suffix : {"", "-wal"}) {
      struct stat info;
      if (stat((file + suffix).c_str(), &info) != 0) continue;
      stamps[file + suffix] = {info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec};
    }
  }
  return stamps;
}

}  // namespace

RunWatcher::RunWatcher(std::vector<std::string> arguments) : arguments_(std::move(arguments)) {
  thread_ = std::thread([this] { look(); });
}

RunWatcher::~RunWatcher() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

std::uint64_t RunWatcher::version() const {
  const std::lock_guard lock(mutex_);
  return version_;
}

std::uint64_t RunWatcher::wait_beyond(std::uint64_t seen, milliseconds wait) const {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, wait, [&] { return version_ > seen; });
  return version_;
}

void RunWatcher::look() {
  Stamps told = stamps_of(arguments_);
  Clock::time_point last = Clock::now();
  for (;;) {
    std::unique_lock lock(mutex_);
    if (changed_.wait_for(lock, pause, [&] { return ending_; })) return;
    const auto gap = std::max<Clock::duration>(shortest_gap, share_of_time * cost_);
    if (Clock::now() - last < gap) continue;
    lock.unlock();
    Stamps now = stamps_of(arguments_);
    if (now == told) continue;
    told = std::move(now);
    last = Clock::now();
    lock.lock();
    ++version_;
    lock.unlock();
    changed_.notify_all();
  }
}

Result<std::shared_ptr<const std::string>> RunWatcher::data() {
  const std::lock_guard reading(reading_);
  const std::uint64_t now = version();
  if (data_ && read_version_ >= now) return data_;
  const auto start = Clock::now();
  KE_TRY(Json json, report_data(arguments_));
  json["live"] = true;
  data_ = std::make_shared<const std::string>(json_text(json));
  read_version_ = now;
  const std::lock_guard lock(mutex_);
  cost_ = Clock::now() - start;
  return data_;
}

}  // namespace ke
