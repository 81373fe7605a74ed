#pragma once
// How the speedups at several workloads become one figure: a task's `aggregate` and `weight`.

#include <map>
#include <span>
#include <string>
#include <vector>

namespace ke {

/// The logarithm of a mean of speedups, and how errors of the speedups' logarithms reach it.
struct MeanOfLogs {
  double log = 0;
  std::vector<double> parts;  ///< derivative by each logarithm, times `whole`
  double whole = 1;

  /// Error of the mean from independent errors of the logarithms.
  double error(std::span<const double> errors) const;
};

struct WorkloadMean {
  std::map<std::string, double> weights;  ///< by label; a workload that is not listed weighs 1
  /// Ratio of the opponent's total time to the kernel's, where a workload is called `weight` times.
  /// Otherwise the weighted geometric mean.
  bool total_time = false;

  double weight(const std::string& label) const;
  /// A workload's share of the total that the mean divides by. `opponent_ns`: of one call.
  double part(const std::string& label, double opponent_ns) const;
  /// The mean of exp(logs) by `parts`, one for each; no parts = all equal. Needs one.
  MeanOfLogs of(std::span<const double> logs, std::span<const double> parts = {}) const;
};

/// A task's mean over one list of shapes.
struct ShapeMean {
  WorkloadMean rule;
  std::vector<double> parts;  ///< by shape, see WorkloadMean::part(); empty = all the same

  /// The mean of speedups, from their logarithms at all shapes.
  MeanOfLogs of(std::span<const double> logs) const { return rule.of(logs, parts); }
};

}  // namespace ke
