#pragma once
// The judge's secret contents on GPUs: like those on CPUs, but large shapes use few draws, and
// their oracle runs on the GPU where it can; transforms make every call fresh.

#include <condition_variable>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "fitness/content/content_pool.hpp"
#include "fitness/gpu/gpu_oracle.hpp"

namespace ke::gpu {

/// An oracle on the GPU, and bytes there for all pools that it makes. Null = none.
struct DeviceRoom {
  GpuOracle* oracle = nullptr;
  std::int64_t bytes = 0;
};

/// Draws pools on demand, or ahead on other cores, because the oracle of a large shape takes
/// seconds. Not thread-safe: the lane's thread asks.
class GpuContents {
 public:
  /// All arguments are borrowed.
  GpuContents(const Task& task, const Reference& reference, SecretRandom& random,
              DeviceRoom device = {})
      : task_(task), reference_(reference), random_(random), device_(device) {}
  /// Waits for running calls of the oracle.
  ~GpuContents();

  /// Starts to draw the contents that screens need, then those that verifications need.
  void draw_ahead(unsigned threads);

  /// Contents of the first class, for timed calls. A pool on the device lasts until the next call
  /// that needs its room.
  Result<ContentPool*> plain(const Workload& workload) { return pool(workload, true); }
  /// Contents of all classes; of a shape on the device, of one that is not the first.
  Result<ContentPool*> mixed(const Workload& workload) { return pool(workload, false); }
  /// Whether the oracle of a shape runs on the device, where a further content takes seconds at
  /// most.
  bool on_device(const Shapes& shapes) const;
  /// Measures rounding_room of a content on the device. False: there is no room for it.
  Result<bool> measure_room(const Content& content) {
    return device_.oracle->measure_room(content);
  }
  /// A separate pool for a shape that is used once: one entry of a random case.
  Result<ContentPool> passing(const Workload& workload) const;
  /// Like passing, for contents of every case.
  Result<ContentPool> passing_all(const Workload& workload) const;
  SecretRandom& random() { return random_; }

  /// Total over all tensors.
  static std::int64_t elements(const Shapes& shapes);
  /// Whether the shape is small enough to call the oracle anew for each job.
  static bool small(const Shapes& shapes);

 private:
  /// A pool and its own source of randomness, because threads share none.
  struct Drawn {
    Drawn(const Workload* of, bool is_plain) : workload(of), plain(is_plain) {}
    const Workload* workload;
    bool plain;
    enum class State { waiting, drawing, done } state = State::waiting;
    std::optional<SecretRandom> random;
    std::unique_ptr<ContentPool> pool;
    std::optional<Error> error;
    std::int64_t on_device = 0;  ///< bytes; 0 = the host's
    std::int64_t used = 0;       ///< when, in calls of pool()
  };
  Result<ContentPool*> pool(const Workload& workload, bool plain);
  Drawn& slot(const Workload& workload, bool plain);
  void add_large(Role role);
  void draw_waiting();
  Result<ContentPool> draw(Drawn& drawn) const;
  /// Drops pools on the device until `bytes` are free, those first that were not used for longest.
  void make_room(std::int64_t bytes);
  void finish(Drawn& drawn, std::unique_lock<std::mutex>& lock);

  const Task& task_;
  const Reference& reference_;
  SecretRandom& random_;
  DeviceRoom device_;
  std::int64_t asked_ = 0;
  std::mutex mutex_;  ///< guards all members below, except the pools being drawn
  std::condition_variable done_;
  std::list<Drawn> drawn_;  ///< in the order of drawing ahead
  bool closing_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace ke::gpu
