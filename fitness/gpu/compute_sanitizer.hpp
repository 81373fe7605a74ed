#pragma once
// NVIDIA's compute-sanitizer: its report on a kernel, shown beside the figures of champions.

#include <string>
#include <vector>

#include "core/result.hpp"
#include "fitness/content/reference.hpp"
#include "fitness/gpu/gpu_compiler.hpp"
#include "fitness/gpu/gpu_device.hpp"
#include "fitness/judging/finding.hpp"
#include "fitness/process/limited_program.hpp"

namespace ke::gpu {

/// Finds the program in PATH and in CUDA's folder. Error: the places searched.
Result<std::string> find_compute_sanitizer();

/// Parses the output of a run of one of its tools; its exit code may be the program's.
SanitizerReport report_of_tool(const std::string& tool, const LimitedRun& run);

/// Runs kernels on every test shape in a process of ours under memcheck and initcheck. Each tensor
/// and each scratch buffer is an allocation of exactly its size, so that the tools see accesses
/// beside it. Two contents per shape. Takes seconds. Thread-safe.
class ComputeSanitizer {
 public:
  /// Locates the tool; called on first use.
  using Find = Result<std::string> (*)();

  /// Borrows task, reference and GPU. `tools_dir`: folder of kernelevolve-cuda.
  ComputeSanitizer(const Task& task, const Reference& reference, const GpuInfo& gpu, Find find,
                   std::string tools_dir)
      : task_(task),
        reference_(reference),
        gpu_(gpu),
        find_(find),
        tools_dir_(std::move(tools_dir)) {}

  /// The first finding, or the combined result of all tools. Errors: the machine fails.
  Result<SanitizerReport> examine(const GpuBuilt& built) const;

 private:
  Result<std::string> calls(const GpuBuilt& built) const;

  const Task& task_;
  const Reference& reference_;
  const GpuInfo& gpu_;
  Find find_;
  std::string tools_dir_;
};

}  // namespace ke::gpu
