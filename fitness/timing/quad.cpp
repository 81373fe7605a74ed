#include "fitness/timing/quad.hpp"

#include "core/portable_math.hpp"
#include "core/result.hpp"

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

}  // namespace ke
