#include "fitness/timing/cluster.hpp"

#include <algorithm>
#include <vector>

#include "core/result.hpp"
#include "fitness/timing/robust.hpp"

namespace ke {

std::optional<ClusterEstimate> estimate_cluster(std::span<const Quad> quads,
                                                const ClusterRule& rule) {
  KE_CHECK(rule.dropped >= 0 && rule.least_quads >= 1);
  if (quads.size() < static_cast<std::size_t>(rule.dropped + rule.least_quads)) return std::nullopt;
  const auto kept = quads.subspan(static_cast<std::size_t>(rule.dropped));
  if (!std::ranges::all_of(kept, is_measurable)) return std::nullopt;
  std::vector<double> ratios;
  ratios.reserve(kept.size());
  for (const Quad& quad : kept) ratios.push_back(log_ratio(quad));
  return ClusterEstimate{hodges_lehmann(ratios), static_cast<int>(ratios.size()),
                         mad_spread(ratios)};
}

}  // namespace ke
