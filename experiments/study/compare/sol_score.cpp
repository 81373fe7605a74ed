#include "experiments/study/compare/sol_score.hpp"

#include <algorithm>
#include <cstdlib>

namespace ke {
namespace {

constexpr double ns_per_s = 1e9;

/// Operations a second of all threads; 0 = not measured. Ceilings are of one core.
double peak_of(const Roofline& roofline, const std::map<std::string, std::string>& labels) {
  double peak = 0;
  for (const Ceiling& ceiling : roofline.ceilings) peak = std::max(peak, ceiling.flops_per_s);
  const auto threads = labels.find("threads");
  return threads == labels.end() ? peak : peak * std::atof(threads->second.c_str());
}

double limit_ns(const RooflineWorkload& workload, double peak) {
  const double memory = static_cast<double>(workload.cost.bytes) / workload.bytes_per_ns;
  if (peak <= 0) return memory;
  return std::max(memory, static_cast<double>(workload.cost.flops) / peak * ns_per_s);
}

/// Time of the champion or a baseline on a workload; 0 = not verified.
double time_of(const Roofline& roofline, std::size_t workload, const std::string& kernel) {
  double sum = 0, count = 0;
  for (const RooflinePoint& point : roofline.points) {
    if (point.candidate >= 0 || point.workload != workload || point.kernel != kernel) continue;
    sum += point.ns;
    ++count;
  }
  return count == 0 ? 0 : sum / count;
}

}  // namespace

double sol_score(double t, double t_baseline, double t_limit) {
  const double gap = t_baseline - t_limit;
  if (gap <= 0) return t <= t_limit ? 1 : 0;
  return 1 / (1 + std::max(t - t_limit, 0.0) / gap);
}

Result<std::optional<double>> sol_score_of(const RunReader& reader, const std::string& baseline,
                                           const std::string& role) {
  KE_TRY(const Roofline roofline, reader.roofline());
  const auto counts = [&](const RooflineWorkload& workload) {
    return workload.cost.role == role && workload.bytes_per_ns > 0;
  };
  if (std::ranges::none_of(roofline.workloads, counts)) return std::optional<double>();
  KE_TRY(const auto labels, reader.task_labels());
  // A run of an earlier version does not say how many cores its kernels had.
  if (!roofline.ceilings.empty() && !labels.contains("threads")) return std::optional<double>();
  KE_TRY(const auto stop, reader.stop());
  if (!stop || !stop->champion) return std::optional(0.5);
  const double peak = peak_of(roofline, labels);
  double sum = 0, count = 0;
  for (std::size_t w = 0; w < roofline.workloads.size(); ++w) {
    const RooflineWorkload& workload = roofline.workloads[w];
    const double own = time_of(roofline, w, "champion"), other = time_of(roofline, w, baseline);
    if (!counts(workload) || own <= 0 || other <= 0) continue;
    sum += sol_score(own, other, limit_ns(workload, peak));
    ++count;
  }
  return count == 0 ? std::optional<double>() : std::optional(sum / count);
}

}  // namespace ke
