#include "fitness/timing/cluster.hpp"

#include <algorithm>
#include <cmath>

#include "core/portable_math.hpp"
#include "core/result.hpp"
#include "fitness/timing/robust.hpp"

namespace ke {

Quad make_quad(QuadOrder order, const std::array<std::int64_t, 4>& spans_ns) {
  const std::array<std::int64_t, 2> outer{spans_ns[0], spans_ns[3]};
  const std::array<std::int64_t, 2> inner{spans_ns[1], spans_ns[2]};
  return order == QuadOrder::abba ? Quad{outer, inner} : Quad{inner, outer};
}

bool is_measurable(const Quad& quad) {
  return quad.challenger_ns[0] > 0 && quad.challenger_ns[1] > 0 && quad.opponent_ns[0] > 0 &&
         quad.opponent_ns[1] > 0;
}

double log_ratio(const Quad& quad) {
  KE_CHECK(is_measurable(quad));
  // One logarithm of ratios close to 1, not four of large numbers, rounds less.
  const auto ratio = [&](std::size_t i) {
    return static_cast<double>(quad.opponent_ns[i]) / static_cast<double>(quad.challenger_ns[i]);
  };
  return 0.5 * portable_log(ratio(0) * ratio(1));
}

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

std::optional<ClusterEstimate> compare_quads(std::span<const Quad> quads,
                                             std::span<const Quad> others) {
  const ClusterRule all{.dropped = 0, .least_quads = 1};
  const auto one = estimate_cluster(quads, all), other = estimate_cluster(others, all);
  if (!one || !other) return std::nullopt;
  // The variance of a difference of two means is that of a mean over this number of quads; the
  // longer list knows the spread better.
  const int count = std::max(one->quads * other->quads / (one->quads + other->quads), 1);
  const double spread = one->quads > other->quads ? one->quad_spread : other->quad_spread;
  return ClusterEstimate{one->log_ratio - other->log_ratio, count, spread};
}

ClusterEstimate combine_workloads(std::span<const ClusterEstimate> workloads,
                                  const ShapeMean& shapes) {
  KE_CHECK(!workloads.empty());
  std::vector<double> logs, spreads;
  int quads = workloads.front().quads;
  for (const ClusterEstimate& one : workloads) {
    logs.push_back(one.log_ratio);
    spreads.push_back(one.quad_spread);
    quads = std::min(quads, one.quads);
  }
  const MeanOfLogs mean = shapes.of(logs);
  return {mean.log, quads, mean.error(spreads)};
}

double median_ns(std::span<const Cluster> clusters, char arm) {
  std::vector<double> values;
  for (const Cluster& cluster : clusters) {
    for (std::size_t i = 0; i < cluster.samples_ns.size(); ++i) {
      if (cluster.order[i] == arm) values.push_back(static_cast<double>(cluster.samples_ns[i]));
    }
  }
  return values.empty() ? 0 : median_of(values);
}

std::optional<std::vector<Quad>> quads_of(const Cluster& cluster) {
  const auto& spans = cluster.samples_ns;
  if (spans.size() % 4 != 0 || cluster.order.size() != spans.size()) return std::nullopt;
  std::vector<Quad> quads;
  for (std::size_t i = 0; i < spans.size(); i += 4) {
    const std::string letters = cluster.order.substr(i, 4);
    if (letters != "ABBA" && letters != "BAAB") return std::nullopt;
    quads.push_back(make_quad(letters == "ABBA" ? QuadOrder::abba : QuadOrder::baab,
                              {spans[i], spans[i + 1], spans[i + 2], spans[i + 3]}));
  }
  return quads;
}

}  // namespace ke
