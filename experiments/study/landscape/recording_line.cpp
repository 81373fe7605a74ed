#include "experiments/study/landscape/recording_line.hpp"

#include <algorithm>
#include <vector>

#include "core/portable_math.hpp"
#include "fitness/timing/recorded_cluster.hpp"

namespace ke {
namespace {

/// T4's word for a verdict; `constraints` for verdicts that say nothing about the kernel.
std::string_view invalidity_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::ok: return "correct";
    case Verdict::rejected:
    case Verdict::compile_error:
    case Verdict::compile_limit:
    case Verdict::load_error: return "compile";
    case Verdict::runtime_error:
    case Verdict::resource_limit: return "runtime";
    case Verdict::timeout: return "timeout";
    case Verdict::wrong_result:
    case Verdict::nondeterministic:
    case Verdict::suspicious: return "correctness";
    case Verdict::unreliable:
    case Verdict::lost: break;
  }
  return "constraints";
}

/// Mean over the workloads of the log ratio of each kept quad; drops the first one as warm-up.
std::vector<double> log_ratios(const Comparison& comparison) {
  std::vector<double> sums;
  std::vector<double> counts;
  for (const WorkloadTiming& timing : comparison.workloads) {
    std::size_t at = 0;
    for (const Cluster& cluster : timing.clusters) {
      const auto quads = quads_of(cluster);
      for (std::size_t q = 1; quads && q < quads->size(); ++q) {
        if (!is_measurable((*quads)[q])) continue;
        if (at == sums.size()) {
          sums.push_back(0);
          counts.push_back(0);
        }
        sums[at] += log_ratio((*quads)[q]);
        ++counts[at++];
      }
    }
  }
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] /= counts[i];
  return sums;
}

Json measurement(const std::string& name, Json value, const std::string& unit) {
  return {{"name", name}, {"value", std::move(value)}, {"unit", unit}};
}

}  // namespace

double opponent_ms(const Comparison& comparison) {
  double sum = 0;
  double count = 0;
  for (const WorkloadTiming& timing : comparison.workloads) {
    if (timing.opponent_ns <= 0) continue;
    sum += portable_log(timing.opponent_ns / 1e6);
    ++count;
  }
  return count > 0 ? portable_exp(sum / count) : 1;
}

Json recording_line(Json configuration, const Fact& built, const Fact& fact, double reference_ms) {
  const bool ok = fact.verdict == Verdict::ok && fact.comparison;
  const Verdict verdict = ok || fact.verdict != Verdict::ok ? fact.verdict : Verdict::unreliable;
  Json times = {{"compilation", static_cast<double>(built.cost.compile_ns) / 1e6},
                {"runtimes", Json::array()}};
  Json measurements = Json::array();
  if (ok) {
    for (const double ratio : log_ratios(*fact.comparison)) {
      times["runtimes"].push_back(reference_ms * portable_exp(-ratio));
    }
    measurements.push_back(measurement("time", reference_ms / fact.comparison->speedup, "ms"));
    for (const auto& [name, value] : built.measures) {
      measurements.push_back(measurement(name, value, ""));
    }
  } else {
    measurements.push_back(measurement("time", std::string(to_string(verdict)), "ms"));
  }
  return {{"configuration", std::move(configuration)},
          {"times", std::move(times)},
          {"invalidity", invalidity_of(verdict)},
          {"correctness", ok ? 1 : 0},
          {"measurements", std::move(measurements)},
          {"objectives", {"time"}},
          {"verdict", to_string(verdict)},
          {"reason", fact.reason},
          {"build", fact.build_hash.is_zero() ? "" : fact.build_hash.short_hex()}};
}

}  // namespace ke
