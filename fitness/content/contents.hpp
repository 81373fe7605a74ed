#pragma once
// The evaluator's secret contents of all workloads, drawn on first use and kept across jobs.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "fitness/content/content_pool.hpp"
#include "fitness/task.hpp"

namespace ke {

/// The pools of secret contents, by workload. Only the lane's thread uses them.
class Contents {
 public:
  /// Borrows task and reference.
  static Result<Contents> create(const Task& task, const Reference& reference);

  /// Contents of all classes and varied ones, for checks. Bench workloads have one of each; others
  /// have the first class, a varied one, and two more in turn, so that three or four large shapes
  /// together cover all.
  Result<ContentPool*> mixed(const Workload& workload);
  /// Contents of the first class, for timed calls.
  Result<ContentPool*> plain(const Workload& workload);
  /// Contents of the first class for timed calls, which a process meets once at most: at least
  /// `wanted`, fewer where memory or the oracle's time do not allow it yet. They stay the same for
  /// later jobs, since no process learns of another's calls.
  Result<ContentPool*> unseen(const Workload& workload, std::size_t wanted);
  /// Contents whose `changes: never` inputs differ from those of `mixed` and `plain`: a kernel must
  /// not reuse the old ones without being told. Null where every input changes.
  Result<ContentPool*> otherwise(const Workload& workload);
  /// Counts a job; every few jobs (from 3 to 64, by the oracle's time) a new input replaces an old
  /// one. In between, transforms make every call fresh.
  Result<void> rotate(const Workload& workload);
  /// Contents, each a single element off the one before it, to be called in this order. Four edits,
  /// fewer where the oracle is slow; they are kept for several jobs, each under new transforms.
  Result<std::vector<FreshContent>> edits(const Workload& workload);
  /// Whether the oracle answers within some milliseconds at this shape.
  bool quick(const Workload& workload) const;

  /// A separate pool for a shape that is used once: one entry of a random case.
  Result<ContentPool> passing(const Workload& workload);

  SecretRandom& random() { return *random_; }

 private:
  struct Entry {
    std::unique_ptr<ContentPool> mixed, plain, otherwise, unseen;
    std::int64_t draw_ns = 0;  ///< time for one content with its expected outputs
    std::int64_t uses = 0;
    std::int64_t edit_uses = 0;
  };
  Result<ContentPool*> pool(const Workload& workload, bool plain);
  PoolOptions options_for(const Workload& workload, const Entry& entry, bool plain);
  PoolOptions mixed_options(const Workload& workload);

  const Task* task_ = nullptr;
  const Reference* reference_ = nullptr;
  std::unique_ptr<SecretRandom> random_;
  std::map<std::string, Entry> entries_;
  std::vector<std::size_t> deck_;  ///< cases still to deal, except the first
};

}  // namespace ke
