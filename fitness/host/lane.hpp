#pragma once
// The lane of evaluators that time kernels on this CPU.

#include <cstdint>
#include <functional>
#include <memory>
#include <shared_mutex>
#include <string>
#include <vector>

#include "core/params.hpp"
#include "fitness/host/cpu_judge.hpp"
#include "fitness/job_queues.hpp"
#include "fitness/sandbox/spec.hpp"

namespace ke {

/// Options of these evaluators; `read` declares them.
struct CpuOptions {
  std::string tools_dir;     ///< folder of kernelevolve-worker and kernelevolve-sandbox
  std::string cache_folder;  ///< for builds; "" = none
  std::string scratch = "/tmp";
  std::string sandbox = "auto";  ///< requested level; the caller probes it and sets `level`
  SandboxLevel level = SandboxLevel::namespaces;
  std::int64_t compile_threads = 0;  ///< 0 = all processors but the lane's, at least one
  std::int64_t lane_core = -1;       ///< -1 = the last processor this process may use
  bool cold = false;  ///< whether timed calls find their tensors in memory only, not in the
                      ///< last-level cache
  std::vector<std::string> readable;  ///< files that trusted baselines may open; not an option
  std::shared_ptr<const PythonHome> python;  ///< runs Python baselines; not an option
  std::string compiler = "/usr/bin/g++";
  std::int64_t call_limit_ms = 2000;
  std::int64_t load_limit_ms = 2000;
  CpuRules rules;
  bool sheet = false;  ///< whether info() holds a device sheet; not an option
  /// Called by the lane's thread with lines for people; may be null; not an option.
  std::function<void(const std::string& line)> tell = nullptr;

  static CpuOptions read(Params& device);
};

/// The core that times kernels; -1 in the options = the last of `cores`.
int lane_core(const CpuOptions& options, const std::vector<int>& cores);

/// All members are borrowed.
struct Lane {
  const Task& task;
  const Reference& reference;
  const CpuOptions& options;
  Libraries& libraries;
  std::shared_mutex& machine;  ///< held while a task with threads is timed
};

/// Judges ready jobs until the queues close. For a task of one thread, reserves `core`; for other
/// tasks the machine. Other processes that judge on it wait in turn.
void serve_lane(JobQueues<CpuArms>& queues, const Lane& lane, int core);

}  // namespace ke
