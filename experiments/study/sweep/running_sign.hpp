#pragma once
// Shows readers on other hosts, which can see neither locks nor processes, which runs are open.

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/result.hpp"

namespace ke {

/// The sign of a living process in its sweep's folder.
struct Running {
  std::string shard;  ///< its part of the sweep, "3/8"
  std::string host;
  std::string job;  ///< a scheduler's name for the process, a hint for people; "" = none
  std::vector<std::string> runs = {};
};

/// Keeps `<folder>/running/3of8.json` up to date, every 15 s, while this object lives.
class RunningSign {
 public:
  RunningSign(const std::string& folder, std::string shard, std::string job);
  ~RunningSign();
  RunningSign(const RunningSign&) = delete;
  RunningSign& operator=(const RunningSign&) = delete;
  void begin(const std::string& run);
  void end(const std::string& run);

 private:
  void write();

  std::string path_;
  Running said_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread thread_;
};

/// The signs that processes have written in the last 90 s.
std::vector<Running> read_running(const std::string& folder);

}  // namespace ke
