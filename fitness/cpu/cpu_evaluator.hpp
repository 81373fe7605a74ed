#pragma once
// The CPU evaluator: a compile pool beside one exclusive timing lane.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/evaluator.hpp"
#include "core/params.hpp"
#include "fitness/cpu/cpu_judge.hpp"
#include "fitness/sandbox/spec.hpp"
#include "fitness/task.hpp"

namespace ke {

/// Options of the CPU evaluator; `read` declares them.
struct CpuOptions {
  std::string tools_dir;     ///< folder of kernelevolve-worker and kernelevolve-sandbox
  std::string cache_folder;  ///< of builds; "" = none
  std::string scratch = "/tmp";
  std::string sandbox = "auto";  ///< the level asked for; whoever probes sets `level`
  SandboxLevel level = SandboxLevel::namespaces;
  std::int64_t compile_threads = 0;   ///< 0 = all processors but the lane's, at least one
  std::int64_t lane_core = -1;        ///< -1 = the last processor this process may use
  bool cold = false;                  ///< cache state of timed calls: memory alone, or llc
  std::vector<std::string> readable;  ///< files that trusted baselines may open; no option
  std::string compiler = "/usr/bin/g++";
  std::int64_t call_limit_ms = 2000;
  std::int64_t load_limit_ms = 2000;
  CpuRules rules;
  bool sheet = false;  ///< whether info() holds a device sheet; no option

  static CpuOptions read(Params& device);
};

/// An evaluator that also answers one job at a time.
class CpuEvaluator : public Evaluator {
 public:
  /// Submits and waits for this job's fact; do not mix with poll().
  virtual Result<Fact> run_job(const Job& job) = 0;
  /// The kernel that an opponent's name means: anchor, naive, another kernel of the task.
  virtual Result<Kernel> kernel_named(const std::string& name) const = 0;
};

/// Builds the oracle and starts the threads. Errors: no compiler, no sandbox helper, a reference
/// that does not compile.
Result<std::unique_ptr<CpuEvaluator>> make_cpu_evaluator(std::shared_ptr<const Task> task,
                                                         const CpuOptions& options);

}  // namespace ke
