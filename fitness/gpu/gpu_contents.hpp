#pragma once
// The judge's secret contents on GPUs: as on CPUs, but large shapes take few draws, since the
// oracle runs on the host; transforms make every call fresh.

#include <condition_variable>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "fitness/content/content_pool.hpp"

namespace ke::gpu {

/// Pools are drawn when they are asked for, or ahead on other cores, since the oracle of a large
/// shape takes seconds. Asked by one thread.
class GpuContents {
 public:
  /// All borrowed.
  GpuContents(const Task& task, const Reference& reference, SecretRandom& random)
      : task_(task), reference_(reference), random_(random) {}
  /// Waits for the calls of the oracle that are under way.
  ~GpuContents();

  /// Begins to draw what screens will ask for, then what verifications will.
  void draw_ahead(unsigned threads);

  /// Contents of the first class, for timed calls.
  Result<ContentPool*> plain(const Workload& workload) { return pool(workload, true); }
  /// Contents of all classes.
  Result<ContentPool*> mixed(const Workload& workload) { return pool(workload, false); }
  /// A pool of its own for a shape that is used once: one entry of a random case.
  Result<ContentPool> passing(const Workload& workload) const;
  /// The same, to draw contents of every case.
  Result<ContentPool> passing_all(const Workload& workload) const;
  SecretRandom& random() { return random_; }

  /// Of all tensors together.
  static std::int64_t elements(const Shapes& shapes);
  /// Small enough to ask the oracle anew for each job.
  static bool small(const Shapes& shapes);

 private:
  /// A pool and its own source of randomness, since threads share none.
  struct Drawn {
    Drawn(const Workload* of, bool is_plain) : workload(of), plain(is_plain) {}
    const Workload* workload;
    bool plain;
    enum class State { waiting, drawing, done } state = State::waiting;
    std::optional<SecretRandom> random;
    std::unique_ptr<ContentPool> pool;
    std::optional<Error> error;
  };
  Result<ContentPool*> pool(const Workload& workload, bool plain);
  Drawn& slot(const Workload& workload, bool plain);
  void add_large(Role role);
  void draw_waiting();
  void draw(Drawn& drawn) const;
  void finish(Drawn& drawn, std::unique_lock<std::mutex>& lock);

  const Task& task_;
  const Reference& reference_;
  SecretRandom& random_;
  std::mutex mutex_;  ///< of all below but the insides of what is being drawn
  std::condition_variable done_;
  std::list<Drawn> drawn_;  ///< in the order in which it is drawn ahead
  bool closing_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace ke::gpu
