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

/// What one cluster gave. Arm 0 is the challenger, 'A' in the records.
struct PairResult {
  std::vector<Cluster> clusters;                  ///< one a workload, padding left to the caller
  std::vector<std::optional<std::string>> noise;  ///< per workload: why it cannot be trusted
  std::optional<Finding> challenger;              ///< wrong or crashed while being timed
  std::optional<Finding> opponent;
  bool unchecked_registers = false;  ///< of the challenger, see CheckReport
  double empty_ns = 0;               ///< what was subtracted from each round
};

/// Splits time into samples of at least this length.
inline constexpr double least_sample_ns = 1.0e6;

}  // namespace ke
