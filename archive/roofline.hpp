#pragma once
// Compares the speed of a run's kernels with the limits of their device.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ke {

/// Cost of one call on a workload, as the task declares it.
struct WorkloadCost {
  std::string workload;
  std::string role;
  std::int64_t bytes = 0;  ///< compulsory memory traffic
  std::int64_t flops = 0;  ///< count for the usual algorithm; 0 = not declared
};

/// The highest measured rate of a device for one kind of operation.
struct Ceiling {
  std::string name;  ///< what was measured, e.g. "float32 multiply-adds, avx512f, one core"
  double flops_per_s = 0;
};

struct RooflineWorkload {
  WorkloadCost cost;
  /// The highest bandwidth measured for this amount of data; 0 = not measured.
  double bytes_per_ns = 0;
};

/// The time of one kernel on one workload.
struct RooflinePoint {
  std::size_t workload = 0;     ///< index in Roofline::workloads
  std::string kernel;           ///< screened, champion (verified), or the name of a baseline
  std::int64_t candidate = -1;  ///< index in RunRows::candidates for screened kernels
  double ns = 0;  ///< time of one call; for verified kernels the mean over verifications
};

/// The timed workloads, the ceilings by name (best of all sessions), and the points.
struct Roofline {
  std::vector<RooflineWorkload> workloads;
  std::vector<Ceiling> ceilings;
  std::vector<RooflinePoint> points;
};

}  // namespace ke
