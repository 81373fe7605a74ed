#pragma once
// The judging protocol of all devices: check, clusters, conclusion, floor, feedback.

#include <atomic>
#include <cstdint>
#include <string>

#include "core/params.hpp"
#include "fitness/judging/judgement.hpp"
#include "fitness/timing/duel_rule.hpp"

namespace ke {

/// The constants of timed comparisons; options of an evaluator.
struct JudgingRules {
  /// Declares the options below `device`; the current values are the defaults.
  void read(Params& device, int least_quads, const std::string& verify_time);

  DuelRule duel;
  int screen_quads = 4;  ///< kept quads of a screen; one more is measured and dropped
  int duel_quads = 12;   ///< kept quads of a cluster, over all its workloads
  int verify_clusters = 8;
  std::int64_t verify_ns = 4'000'000'000;    ///< target for the time with one opponent
  double verify_within = 0.1;                ///< share of a figure that resolves it, see read()
  std::int64_t duel_ns = 6'000'000'000;      ///< a duel that takes longer ends undecided
  std::int64_t patience_ns = 6'000'000'000;  ///< how long a screen or duel waits for a quiet moment
  double floor_share = 0.9;
};

/// Answers a screen, duel or verification with clusters of interleaved samples. `closing` ends long
/// jobs early.
Result<void> judge(TimedDevice& device, const JudgingRules& rules, const std::atomic<bool>& closing,
                   const JudgedJob& judged);

/// For devices that count: makes one comparison without clusters, intervals or a floor.
Result<void> judge(ExactDevice& device, const JudgedJob& judged);

}  // namespace ke
