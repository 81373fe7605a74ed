#pragma once
// One cluster of a comparison: how it is sampled, and what it gave. The same for every device.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/evaluation.hpp"
#include "fitness/judging/finding.hpp"
#include "fitness/task.hpp"

namespace ke {

/// How one workload is sampled.
struct TimedWorkload {
  const Workload* workload = nullptr;
  int calls[2] = {1, 1};  ///< least calls of one round, by arm; the real number varies at random
  int rounds = 1;         ///< rounds that add up to one sample, for calls too short to batch
  int slots = 4;          ///< places for contents
  int quads = 5;          ///< the first one included
  bool unseen = false;    ///< calls on new contents are compared with calls on known ones, too
  std::int64_t call_limit_ns = 2'000'000'000;
};

/// What went wrong with an arm while it was called for a comparison.
struct ArmFindings {
  std::optional<Finding> challenger;
  std::optional<Finding> opponent;
};

struct SamplePlan : ArmFindings {
  std::vector<TimedWorkload> workloads;
};

/// Why a cluster cannot be trusted.
struct Noise {
  std::string reason;   ///< short code
  std::string message;  ///< one line
  bool passes = false;  ///< something else's doing: the same pair may be calm when taken again
};

/// What one cluster gave. Arm 0 is the challenger, 'A' in the records.
struct PairResult : ArmFindings {
  std::vector<Cluster> clusters;            ///< one a workload; fewer = it was ended early
  std::vector<std::optional<Noise>> noise;  ///< per workload; the last one says why it was ended
  std::int64_t padding = 0;                 ///< bytes in front of the challenger's code
  bool unchecked_registers = false;         ///< of the challenger, see CheckReport
  double empty_ns = 0;                      ///< what was subtracted from each round
};

/// Splits time into samples of at least this length.
inline constexpr double least_sample_ns = 1.0e6;
inline constexpr const char* short_sample = "short_sample";
inline constexpr const char* short_text = "too short to be timed well enough";

}  // namespace ke
