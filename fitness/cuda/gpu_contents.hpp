#pragma once
// The judge's secret contents on GPUs: as on CPUs, but large shapes take few draws, since the
// oracle runs on the host; transforms make every call fresh.

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "fitness/content/content_pool.hpp"

namespace ke::cuda {

class GpuContents {
 public:
  /// All borrowed.
  GpuContents(const Task& task, const Reference& reference, SecretRandom& random)
      : task_(task), reference_(reference), random_(random) {}

  /// Contents of the first class, for timed calls.
  Result<ContentPool*> plain(const Workload& workload) { return pool(workload, true); }
  /// Contents of all classes.
  Result<ContentPool*> mixed(const Workload& workload) { return pool(workload, false); }
  SecretRandom& random() { return random_; }

  /// Of all tensors together.
  static std::int64_t elements(const Shapes& shapes);
  /// Small enough to ask the oracle anew for each job.
  static bool small(const Shapes& shapes);

 private:
  Result<ContentPool*> pool(const Workload& workload, bool plain);

  const Task& task_;
  const Reference& reference_;
  SecretRandom& random_;
  std::map<std::string, std::unique_ptr<ContentPool>> pools_;
};

}  // namespace ke::cuda
