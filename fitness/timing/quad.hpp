#pragma once
// One ABBA quad: four interleaved spans that cancel slow drift and the advantage of going second.

#include <array>
#include <cstdint>

namespace ke {

/// Which arm started; A is the challenger and B the opponent, as in `Cluster::order`. Starting arms
/// are drawn at random, so that no arm owns a position.
enum class QuadOrder { abba, baab };

/// Four spans in ns, net of the empty rounds. The opponent is the incumbent, anchor or baseline.
/// The members stand in the order of the arm's own samples.
struct Quad {
  std::array<std::int64_t, 2> challenger_ns{};
  std::array<std::int64_t, 2> opponent_ns{};
};

/// Sorts four spans, given in the order they were measured, into the arms.
Quad make_quad(QuadOrder order, const std::array<std::int64_t, 4>& spans_ns);

/// Whether all four spans are above zero. A span net of the empty rounds can fall to zero or below
/// for a kernel too short to time; such a measurement is unreliable, never a number.
bool is_measurable(const Quad& quad);

/// mean(log opponent) - mean(log challenger): the logarithm of the challenger's speedup, above 0
/// when the challenger is faster. Equal on every machine.
/// Needs is_measurable(quad).
double log_ratio(const Quad& quad);

}  // namespace ke
