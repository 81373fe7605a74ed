#pragma once
// How far the descriptors of a task's kernels can be trusted as axes of an archive.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "fitness/cpu/cpu_evaluator.hpp"

namespace ke {

/// Of one axis, in the bins that it has by default.
struct AxisReliability {
  std::string axis;
  std::size_t bins = 0;
  std::map<std::string, double> same_cell;  ///< change -> share of kernels that keep their bin
  double same_cell_overall = 0;
  double entropy_bits = 0;  ///< of the bins over the kernels; at most log2(bins)
  /// Spearman's rho with each other axis over the kernels; nothing where one of them is constant.
  std::map<std::string, std::optional<double>> correlation;
};

struct ReliabilityReport {
  std::string task;
  std::size_t kernels = 0;            ///< that were built and described
  std::size_t changes = 0;            ///< rebuilt, relinked or edited kernels compared with them
  std::vector<std::string> failures;  ///< kernels and changes that could not be built, and why
  std::vector<AxisReliability> axes;
};

/// Takes `points` kernels of the task, its own at their defaults first, then points of their spaces
/// drawn with a fixed seed; rebuilds, re-links and edits each one without changing its meaning.
/// About two seconds a kernel. Errors are the machine's.
Result<ReliabilityReport> measure_reliability(const Task& task, const CpuOptions& options,
                                              std::size_t points);

}  // namespace ke
