#pragma once
// The lane of evaluators that time kernels on this processor.

#include <shared_mutex>
#include <vector>

#include "fitness/host/cpu_judge.hpp"
#include "fitness/host/cpu_options.hpp"
#include "fitness/job_queues.hpp"

namespace ke {

/// The core that times kernels; -1 in the options = the last of `cores`.
int lane_core(const CpuOptions& options, const std::vector<int>& cores);

/// All borrowed.
struct Lane {
  const Task& task;
  const Reference& reference;
  const CpuOptions& options;
  Libraries& libraries;
  std::shared_mutex& machine;  ///< kept while a task with threads is timed
};

/// Judges what is ready, on the core of its own that it takes for a task of one thread, until the
/// queues close.
void serve_lane(JobQueues<CpuArms>& queues, const Lane& lane, int core);

}  // namespace ke
