#pragma once
// Which runs processes have open, for readers on other hosts: they can ask neither for locks nor
// for processes.

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/result.hpp"

namespace ke {

/// The sign of a living process in its sweep's folder.
struct Running {
  std::string shard;  ///< "3/8"
  std::string host;
  std::string job;  ///< of a scheduler, as a hint for people; "" = none
  std::vector<std::string> runs = {};
};

/// While it lives, `<folder>/running/3of8.json` says so, written anew every 15 s.
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
