#include "fitness/timing/quad.hpp"

#include <cmath>

#include "core/result.hpp"

namespace ke {

Quad make_quad(QuadOrder order, const std::array<std::int64_t, 4>& spans_ns) {
  const std::array<std::int64_t, 2> outer{spans_ns[0], spans_ns[3]};
  const std::array<std::int64_t, 2> inner{spans_ns[1], spans_ns[2]};
  return order == QuadOrder::abba ? Quad{outer, inner} : Quad{inner, outer};
}

bool is_measurable(const Quad& quad) {
  return quad.a_ns[0] > 0 && quad.a_ns[1] > 0 && quad.b_ns[0] > 0 && quad.b_ns[1] > 0;
}

double log_ratio(const Quad& quad) {
  KE_CHECK(is_measurable(quad));
  // One logarithm of ratios close to 1 instead of four of large numbers: less rounding.
  const double first = static_cast<double>(quad.a_ns[0]) / static_cast<double>(quad.b_ns[0]);
  const double second = static_cast<double>(quad.a_ns[1]) / static_cast<double>(quad.b_ns[1]);
  return 0.5 * std::log(first * second);
}

}  // namespace ke
