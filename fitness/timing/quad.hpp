#pragma once
// One ABBA quad: four interleaved spans that cancel slow drift and the advantage of going second.

#include <array>
#include <cstdint>

namespace ke {

/// The arm that starts; A is the challenger and B the opponent, as in `Cluster::order`. Drawn at
/// random, so that no arm owns a position.
enum class QuadOrder { abba, baab };

/// Four spans in ns, net of the empty rounds; each arm's samples in their order. The opponent is
/// the incumbent, anchor or baseline.
struct Quad {
  std::array<std::int64_t, 2> challenger_ns{};
  std::array<std::int64_t, 2> opponent_ns{};
};

/// Sorts four spans, given in the order they were measured, into the arms.
Quad make_quad(QuadOrder order, const std::array<std::int64_t, 4>& spans_ns);

/// Whether all four spans are above zero. For a kernel too short to time, a span net of the empty
/// rounds can be zero or negative; such a measurement is unreliable.
bool is_measurable(const Quad& quad);

/// mean(log opponent) - mean(log challenger): the log of the challenger's speedup, above 0 when the
/// challenger is faster. The same on every machine. Needs is_measurable(quad).
double log_ratio(const Quad& quad);

}  // namespace ke
