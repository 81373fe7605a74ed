#pragma once
// Which island takes the next step: by recent gain per cost, with a floor for each.

#include <vector>

#include "core/strategies/gain.hpp"

namespace ke {

/// Shares the steps of a run among its islands:
///   q_i = (G_i + 0.01) / (C_i + 1)                   recent gain per cost
///   p_i = floor + (1 - k floor) q_i / sum of q_j     share of island i among k
/// Each step adds p_i to the credit of every island and goes to the one with the largest credit,
/// the first of equals, which then pays 1: shares are met without chance [Waldspurger1995].
///   G_i, C_i  sums over the told candidates of i; each one told makes its island's older ones
///             count `fade` times as much
///   gain      of a candidate: ln(worth / best of the island before), at least 0 (BestWorth)
///   cost      AskCost, at least 1: an island that proposes nothing to measure is not cheap
/// An island starts as if it had gained 1 % for one evaluation, so that shares are equal at first,
/// and again when no island has gained for long. Migrants raise the best of their receiver and earn
/// nothing. A run of repeated answers counts them all.
class IslandSchedule {
 public:
  struct Options {
    double floor = 0.1;  ///< least share of an island; at most 1 / islands
    double fade = 0.95;
    AskCost cost = {};
  };
  IslandSchedule(std::size_t islands, const Options& options);

  /// Chooses the island of the next step.
  std::size_t next();
  /// Called like Strategy::tell.
  void tell(std::size_t island, const Commit& told);
  /// The current share of each island; their sum is 1.
  std::vector<double> shares() const;

 private:
  struct Island {
    BestWorth best;
    double gain = 0;
    double cost = 0;
    double credit = 0;
  };
  Options options_;
  std::vector<Island> islands_;
};

}  // namespace ke
