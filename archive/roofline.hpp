#pragma once
// How near a run's kernels come to what their device can do.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ke {

/// What one call on a workload needs, by the task's own account.
struct WorkloadCost {
  std::string workload;
  std::string role;
  std::int64_t bytes = 0;  ///< compulsory
  std::int64_t flops = 0;  ///< of the usual algorithm; 0 = not said
};

/// The highest rate that a device reached at something, measured.
struct Ceiling {
  std::string name;  ///< what was measured, e.g. "float32 multiply-adds, avx512f, one core"
  double flops_per_s = 0;
};

struct RooflineWorkload {
  WorkloadCost cost;
  /// The highest bandwidth that the judge measured for so many bytes; 0 = it measured none.
  double bytes_per_ns = 0;
};

/// The time of one kernel on one workload.
struct RooflinePoint {
  std::size_t workload = 0;     ///< in Roofline::workloads
  std::string kernel;           ///< screened, champion (verified), or the name of a baseline
  std::int64_t candidate = -1;  ///< of screened ones: position in RunRows::candidates
  double ns = 0;                ///< of a call; of verified ones the mean over verifications
};

/// Workloads that were timed, ceilings by name (the best of all sessions), and points.
struct Roofline {
  std::vector<RooflineWorkload> workloads;
  std::vector<Ceiling> ceilings;
  std::vector<RooflinePoint> points;
};

}  // namespace ke
