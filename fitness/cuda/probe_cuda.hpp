#pragma once
// What this machine offers to the CUDA evaluator.

#include <string>
#include <vector>

namespace ke::cuda {

/// One line about each thing that this backend needs: what is there, or what is missing and why.
struct CudaFinding {
  std::string what;
  bool ok = false;
  std::string detail;
};

/// A line a GPU and one about its clocks, then compiler, sanitizer, profiler and helper program.
std::vector<CudaFinding> probe_cuda(const std::string& tools_dir);

}  // namespace ke::cuda
