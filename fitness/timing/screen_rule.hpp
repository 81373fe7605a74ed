#pragma once
// Decides which candidates may duel, from one short cluster against the anchor.

#include "fitness/timing/cluster.hpp"

namespace ke {

/// A screen is one cluster of 1 + 4 quads against the anchor. It proves nothing; it saves duels
/// that have no chance.
struct ScreenRule {
  int quads = 4;         ///< kept quads of the cluster; one more is measured and dropped
  double slack = 0.008;  ///< how far below the incumbent a candidate may seem, as a fraction, >= 0
};

/// Whether a candidate with this estimate against the anchor may challenge an incumbent whose own
/// log speedup over the same anchor is `incumbent_log_ratio`.
bool may_duel(const ClusterEstimate& screen, double incumbent_log_ratio,
              const ScreenRule& rule = {});

}  // namespace ke
