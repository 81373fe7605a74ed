#pragma once
// Keeps the leases of a worker alive while its evaluator is busy.

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <thread>

#include "archive/shared_run.hpp"

namespace ke {

/// A thread with its own connection that renews the worker's leases every third of their time.
class LeaseKeeper {
 public:
  /// `board`: for this object alone, which has a thread of its own.
  LeaseKeeper(std::unique_ptr<WorkBoard> board, OpenWork work, std::int64_t worker);
  ~LeaseKeeper();
  LeaseKeeper(const LeaseKeeper&) = delete;
  LeaseKeeper& operator=(const LeaseKeeper&) = delete;

  void add(std::int64_t lease);
  void remove(std::int64_t lease);
  /// Number of workers that serve the run, this one included; 0 once it has ended.
  std::int64_t workers() const;

 private:
  void keep();
  void speak_up();

  std::unique_ptr<WorkBoard> board_;
  const OpenWork work_;
  const std::int64_t worker_;
  std::unique_ptr<WorkQueue> queue_;
  mutable std::mutex mutex_;  ///< guards the four members below
  std::condition_variable changed_;
  std::set<std::int64_t> leases_;
  std::int64_t workers_ = 1;
  bool stop_ = false;
  std::thread thread_;  // last: it uses all others
};

}  // namespace ke
