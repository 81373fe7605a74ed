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

/// A thread with a connection of its own that speaks up for the worker every third of a lease.
class LeaseKeeper {
 public:
  /// `board` is this object's alone.
  LeaseKeeper(std::unique_ptr<WorkBoard> board, OpenWork work, std::int64_t worker);
  ~LeaseKeeper();
  LeaseKeeper(const LeaseKeeper&) = delete;
  LeaseKeeper& operator=(const LeaseKeeper&) = delete;

  void add(std::int64_t lease);
  void remove(std::int64_t lease);
  /// Workers that serve the run, this one included; 0 once it has ended.
  std::int64_t workers() const;

 private:
  void keep();
  void speak_up();

  std::unique_ptr<WorkBoard> board_;
  const OpenWork work_;
  const std::int64_t worker_;
  std::unique_ptr<WorkQueue> queue_;
  mutable std::mutex mutex_;  ///< of the four below
  std::condition_variable changed_;
  std::set<std::int64_t> leases_;
  std::int64_t workers_ = 1;
  bool stop_ = false;
  std::thread thread_;  // last: it uses all others
};

}  // namespace ke
