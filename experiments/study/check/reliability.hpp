#pragma once
// Measures how reliable the descriptors of a task's kernels are as axes of an archive.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "fitness/cpu/cpu_evaluator.hpp"

namespace ke {

/// Reliability of one axis, in its default bins.
struct AxisReliability {
  std::string axis;
  std::size_t bins = 0;
  std::map<std::string, double> same_cell;  ///< change -> share of kernels that keep their bin
  double same_cell_overall = 0;
  double entropy_bits = 0;  ///< entropy of the bins over the kernels; at most log2(bins)
  /// Spearman's rho with each other axis over the kernels; nothing if either axis is constant.
  std::map<std::string, std::optional<double>> correlation;
};

struct ReliabilityReport {
  std::string task;
  std::size_t kernels = 0;            ///< kernels that were built and described
  std::size_t changes = 0;            ///< rebuilt, relinked or edited kernels that were compared
  std::vector<std::string> failures;  ///< kernels and changes that do not build, with the reason
  std::vector<AxisReliability> axes;
};

/// Takes `points` kernels of the task: first its own at their defaults, then points of their spaces
/// drawn with a fixed seed. Rebuilds, relinks and edits each one without changing its meaning.
/// Takes about two seconds per kernel. Errors are those of the machine.
Result<ReliabilityReport> measure_reliability(const Task& task, const CpuOptions& options,
                                              std::size_t points);

}  // namespace ke
