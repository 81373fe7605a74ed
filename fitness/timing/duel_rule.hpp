#pragma once
// Decides when a challenger replaces an incumbent: a sequential test over clusters with declared
// error.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/evaluation.hpp"
#include "fitness/timing/cluster.hpp"
#include "fitness/timing/log_estimate.hpp"

namespace ke {

/// The whole rule of a duel, fixed before it starts.
struct DuelRule {
  double margin = 0.01;  ///< the least gain worth a replacement, as a fraction, >= 0
  /// numbers of clusters after which the test is made (its interim looks), rising
  std::vector<int> looks{4, 8, 16};
  std::vector<double> errors{0.001, 0.0015, 0.0025};  ///< one-sided error spent at each look
  bool futility = true;  ///< stop early when the margin is out of reach
  int glance = 2;  ///< with futility: clusters (>= 2) after which a seemingly slower challenger
                   ///< gives up; 0 = off
  SpreadPrior prior{};  ///< calibrated spread between clusters
};

/// The result of a look at a duel with its numbers, in log units.
struct DuelOutcome {
  Decision decision = Decision::none;  ///< none: continue
  int clusters = 0;                    ///< clusters used
  double estimate = 0.0;
  double lower = 0.0;   ///< lower confidence bound at this look's error
  double upper = 0.0;   ///< upper confidence bound at this look's error
  bool futile = false;  ///< stopped for futility before the last look
};

/// Describes what is wrong with the rule, or empty: the looks must rise from at least 1 (2 without
/// a prior), each with an error in (0, 0.5).
std::optional<std::string> problem_of(const DuelRule& rule);

/// Decides with the clusters measured so far. Between looks the answer is `none`, to go on:
/// clusters beyond the last reached look are ignored, so peeking cannot raise the error. At a look
/// with n clusters, the bounds are those of the moderated t at that look's one-sided error:
///   lower > log(1 + margin)                          -> better
///   upper < 0                                        -> worse (proven slower)
///   last look                                        -> undecided
///   futility, and upper or estimate < log(1 + margin) -> undecided, futile
///   otherwise                                        -> none
/// Before the first look, the glance ends a duel whose estimate is below 0: as worse or, mostly,
/// undecided and futile. That spends no error, because it never answers `better`.
/// At a true gain of the margin or less, P(`better`) is at most the sum of the errors.
DuelOutcome decide(std::span<const ClusterEstimate> clusters, const DuelRule& rule);

/// Clusters to measure before the next look or the glance, given the clusters so far; 0 after the
/// last one.
int clusters_to_next_look(int clusters, const DuelRule& rule);

}  // namespace ke
