#include "core/workload_mean.hpp"

#include <cmath>

#include "core/portable_math.hpp"
#include "core/result.hpp"

namespace ke {

double MeanOfLogs::error(std::span<const double> errors) const {
  KE_CHECK(errors.size() == parts.size());
  double squares = 0;
  for (std::size_t i = 0; i < errors.size(); ++i) {
    const double own = parts[i] * errors[i];
    squares += own * own;
  }
  return std::sqrt(squares) / whole;
}

double WorkloadMean::weight(const std::string& label) const {
  const auto found = weights.find(label);
  return found == weights.end() ? 1 : found->second;
}

double WorkloadMean::part(const std::string& label, double opponent_ns) const {
  return total_time ? weight(label) * opponent_ns : weight(label);
}

MeanOfLogs WorkloadMean::of(std::span<const double> logs, std::span<const double> parts) const {
  KE_CHECK(!logs.empty() && (parts.empty() || parts.size() == logs.size()));
  MeanOfLogs mean;
  mean.parts.assign(logs.size(), 1);
  if (!parts.empty()) mean.parts.assign(parts.begin(), parts.end());
  double sum = 0, total = 0;
  for (std::size_t i = 0; i < logs.size(); ++i) {
    total += mean.parts[i];
    // The kernel's time is the opponent's divided by the speedup.
    if (total_time) mean.parts[i] *= portable_exp(-logs[i]);
    sum += total_time ? mean.parts[i] : mean.parts[i] * logs[i];
  }
  mean.log = total_time ? portable_log(total / sum) : sum / total;
  mean.whole = total_time ? sum : total;
  return mean;
}

}  // namespace ke
