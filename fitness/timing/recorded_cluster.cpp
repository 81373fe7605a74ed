#include "fitness/timing/recorded_cluster.hpp"

#include <string_view>

#include "core/result.hpp"

namespace ke {
namespace {

std::optional<QuadOrder> order_of(std::string_view letters) {
  if (letters == "ABBA") return QuadOrder::abba;
  if (letters == "BAAB") return QuadOrder::baab;
  return std::nullopt;
}

}  // namespace

std::optional<std::vector<Quad>> quads_of(const Cluster& cluster) {
  const auto& spans = cluster.samples_ns;
  if (spans.size() % 4 != 0 || cluster.order.size() != spans.size()) return std::nullopt;
  std::vector<Quad> quads;
  for (std::size_t i = 0; i < spans.size(); i += 4) {
    const auto order = order_of(std::string_view(cluster.order).substr(i, 4));
    if (!order) return std::nullopt;
    quads.push_back(make_quad(*order, {spans[i], spans[i + 1], spans[i + 2], spans[i + 3]}));
  }
  return quads;
}

std::optional<std::vector<ClockSample>> clocks_of(const Cluster& cluster) {
  if (cluster.cpu_ns.size() != cluster.samples_ns.size()) return std::nullopt;
  std::vector<ClockSample> samples;
  for (std::size_t i = 0; i < cluster.cpu_ns.size(); ++i)
    samples.push_back({cluster.samples_ns[i], cluster.cpu_ns[i]});
  return samples;
}

Decision recorded(DuelDecision decision) {
  switch (decision) {
    case DuelDecision::continue_: return Decision::none;
    case DuelDecision::better: return Decision::better;
    case DuelDecision::worse: return Decision::worse;
    case DuelDecision::undecided: return Decision::undecided;
  }
  KE_CHECK(false);
  return Decision::none;
}

}  // namespace ke
