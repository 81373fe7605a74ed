#include "experiments/study/statistics/normal_tail.hpp"

#include <algorithm>
#include <cmath>

namespace ke::statistics {
namespace {

double upper_tail(double z) { return 0.5 * std::erfc(z / std::sqrt(2.0)); }

}  // namespace

double normal_p(double value, double mean, double deviation, Alternative alternative,
                double correction) {
  if (deviation == 0.0) return 1.0;
  const double gap = value - mean;
  switch (alternative) {
    case Alternative::less: return upper_tail(-(gap + correction) / deviation);
    case Alternative::greater: return upper_tail((gap - correction) / deviation);
    case Alternative::two_sided: break;
  }
  return std::min(1.0, 2.0 * upper_tail((std::abs(gap) - correction) / deviation));
}

double tail_p(double at_most, double at_least, Alternative alternative) {
  switch (alternative) {
    case Alternative::less: return std::min(1.0, at_most);
    case Alternative::greater: return std::min(1.0, at_least);
    case Alternative::two_sided: break;
  }
  return std::min(1.0, 2.0 * std::min(at_most, at_least));
}

}  // namespace ke::statistics
