#include "archive/metrics.hpp"

#include <cmath>

#include "core/portable_math.hpp"
#include "core/result.hpp"

namespace ke {

double descriptor_spread(std::span<const std::vector<double>> points) {
  double sum = 0;
  std::size_t pairs = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      KE_CHECK(points[i].size() == points[j].size());
      double square = 0;
      for (std::size_t d = 0; d < points[i].size(); ++d) {
        square += (points[i][d] - points[j][d]) * (points[i][d] - points[j][d]);
      }
      sum += std::sqrt(square);  // IEEE requires exact rounding, so equal on every machine
      ++pairs;
    }
  }
  return pairs == 0 ? 0 : sum / static_cast<double>(pairs);
}

double cell_entropy(std::span<const std::int64_t> counts, std::size_t cells) {
  double total = 0;
  for (const std::int64_t count : counts) total += static_cast<double>(count);
  if (total == 0 || cells < 2) return 0;
  double entropy = 0;
  for (const std::int64_t count : counts) {
    if (count == 0) continue;
    const double share = static_cast<double>(count) / total;
    entropy -= share * portable_log(share);
  }
  return entropy / portable_log(static_cast<double>(cells));
}

}  // namespace ke
