#pragma once
// One cluster of a comparison, for every device: how it is sampled, and its result.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/evaluation.hpp"
#include "fitness/judging/finding.hpp"
#include "fitness/task.hpp"
#include "fitness/timing/cluster.hpp"

namespace ke {

/// How one workload is sampled.
struct TimedWorkload {
  const Workload* workload = nullptr;
  int calls[2] = {1, 1};  ///< minimum calls per round, by arm; the actual number is random
  int rounds = 1;         ///< rounds that add up to one sample, for calls too short to batch
  int slots = 4;          ///< places for contents
  int quads = 5;          ///< to take; the first one is dropped later
  std::int64_t call_limit_ns = 2'000'000'000;
};

/// Failures of the arms during a comparison.
struct ArmFindings {
  std::optional<Finding> challenger;
  std::optional<Finding> opponent;
};

struct SamplePlan : ArmFindings {
  std::vector<TimedWorkload> workloads;
};

/// Why a cluster is not trustworthy.
struct Noise {
  std::string reason;   ///< short code
  std::string message;  ///< one line
  bool passes = false;  ///< caused from outside: the same pair may be calm when measured again
};

/// How often an arm gave up its processor while it was timed, and was slower for it. Such samples
/// count like others.
struct Waits {
  std::int64_t own = 0;
  std::int64_t samples = 0;
};

/// The result of one cluster. Arm 0 is the challenger, 'A' in the records.
struct PairResult : ArmFindings {
  std::vector<Cluster> clusters;  ///< one per workload; fewer when the cluster ended early
  std::vector<std::optional<Noise>> noise;  ///< per workload; the last one explains an early end
  /// Per workload: how much larger the challenger's log speedup is on contents that the processes
  /// met before than on new ones. Empty where both were not timed.
  std::vector<std::optional<ClusterEstimate>> recall;
  Waits waits[2];                    ///< by arm
  std::int64_t padding = 0;          ///< bytes in front of the challenger's code
  bool unchecked_registers = false;  ///< for the challenger; see CheckReport
  double empty_ns = 0;               ///< time subtracted from each round
};

/// Minimum length of a sample.
inline constexpr double least_sample_ns = 0.5e6;
inline constexpr const char* short_sample = "short_sample";
inline constexpr const char* short_text = "too short to be timed well enough";

}  // namespace ke
