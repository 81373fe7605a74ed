#include "experiments/study/compare/contrast.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/portable_math.hpp"
#include "core/random_stream.hpp"
#include "experiments/study/statistics/equivalence.hpp"
#include "experiments/study/statistics/mann_whitney.hpp"
#include "experiments/study/statistics/reachable_p.hpp"
#include "experiments/study/statistics/sign_flip.hpp"
#include "experiments/study/statistics/wilcoxon.hpp"
#include "fitness/timing/robust.hpp"

namespace ke {
namespace {

constexpr std::uint64_t bootstrap_seed = 0x6b65;  // fixed, so that an analysis is reproducible

statistics::RandomIndex index_of(RandomStream& stream) {
  return [&stream](std::size_t bound) { return static_cast<std::size_t>(stream.below(bound)); };
}

RandomStream stream_of(std::int64_t number, std::int64_t use) {
  return RandomStream({bootstrap_seed, number, use, 0, Purpose::bootstrap});
}

/// Converts an interval of gains to effects; a smaller-is-better endpoint swaps its ends.
Figure figure_of(const Analysis& analysis, double value, double low, double high) {
  const double a = effect_of(analysis, low), b = effect_of(analysis, high);
  return {effect_of(analysis, value), std::min(a, b), std::max(a, b)};
}

/// Smallest gain of interest.
double margin_of(const Analysis& analysis) {
  return analysis.log_scale ? portable_log(1 + analysis.min_effect) : analysis.min_effect;
}

double paired_p(const Analysis& analysis, const statistics::BootstrapInterval& interval,
                std::int64_t stream) {
  if (analysis.test == TestKind::wilcoxon) {
    return statistics::wilcoxon_signed_rank(interval.unit_values).p;
  }
  // The bootstrap alone rejects too often with few units; sign flips are exact there.
  RandomStream random = stream_of(stream, 1);
  return std::max(interval.p, statistics::sign_flip_p(interval.unit_values, index_of(random)));
}

RawContrast paired(const Analysis& analysis, const ArmSample& arm, const ArmSample& reference,
                   int family, std::int64_t stream) {
  RawContrast raw;
  const ArmSample differences = paired_differences(arm, reference);
  const auto hierarchy = hierarchy_of(analysis, differences);
  raw.contrast.pairs = count_of(differences);
  if (hierarchy.empty()) {
    raw.note = "no pairs: the arms have no task, device and seed in common";
    raw.contrast.conclusion = Conclusion::out_of_reach;
    return raw;
  }
  const auto interval = interval_of(analysis, hierarchy, stream);
  raw.contrast.units = interval.units;
  raw.contrast.unit_values = interval.unit_values;
  raw.contrast.effect = figure_of(analysis, interval.estimate, interval.low, interval.high);
  const auto beyond = statistics::pairs_out_of_reach(interval.units, analysis.alpha, family);
  if (beyond) {
    raw.note = *beyond;
  } else {
    raw.contrast.p = paired_p(analysis, interval, stream);
  }
  if (analysis.min_effect > 0 && interval.units > 1) {
    const double margin = margin_of(analysis);
    raw.contrast.p_equivalence =
        statistics::paired_equivalence(interval.unit_values, -margin, margin).p;
  }
  return raw;
}

/// Values of the units of one arm alone.
std::vector<double> units_of(const Analysis& analysis, const ArmSample& sample,
                             std::int64_t stream) {
  const auto hierarchy = hierarchy_of(analysis, sample);
  return hierarchy.empty() ? std::vector<double>()
                           : interval_of(analysis, hierarchy, stream).unit_values;
}

/// Mann-Whitney test, with Welch's interval for the difference of means.
RawContrast unpaired(const Analysis& analysis, const ArmSample& arm, const ArmSample& reference,
                     int family, std::int64_t stream) {
  RawContrast raw;
  const auto x = units_of(analysis, arm, stream), y = units_of(analysis, reference, stream);
  raw.contrast.units = static_cast<int>(std::min(x.size(), y.size()));
  const auto beyond = statistics::seeds_out_of_reach(
      static_cast<int>(x.size()), static_cast<int>(y.size()), analysis.alpha, family);
  if (beyond) {
    raw.note = *beyond;
  } else {
    raw.contrast.p = statistics::mann_whitney(x, y).p;
  }
  if (x.size() < 2 || y.size() < 2) return raw;
  const double margin = analysis.min_effect > 0 ? margin_of(analysis) : 1;
  const auto welch = statistics::independent_equivalence(x, y, -margin, margin, analysis.alpha / 2);
  raw.contrast.effect = figure_of(analysis, welch.difference, welch.low, welch.high);
  if (analysis.min_effect > 0) raw.contrast.p_equivalence = welch.p;
  return raw;
}

}  // namespace

double effect_of(const Analysis& analysis, double gain) {
  const double natural = analysis.larger_is_better ? gain : -gain;
  return analysis.log_scale ? portable_exp(natural) : natural;
}

statistics::BootstrapInterval interval_of(const Analysis& analysis,
                                          const statistics::Hierarchy& hierarchy,
                                          std::int64_t stream, statistics::BootstrapMethod method) {
  RandomStream random = stream_of(stream, 0);
  statistics::BootstrapOptions options;
  options.repetitions = static_cast<int>(analysis.repetitions);
  options.level = 1 - analysis.alpha;
  options.method = method;
  if (analysis.reduce != Reduction::mean) {
    options.reduce_seeds = [&](std::span<const double> s) { return reduced(analysis, s); };
  }
  return statistics::hierarchical_bootstrap(hierarchy, index_of(random), options);
}

RawContrast contrast_of(const Analysis& analysis, const ArmSample& arm, const ArmSample& reference,
                        int family, std::int64_t stream) {
  RawContrast raw = analysis.test == TestKind::mann_whitney
                        ? unpaired(analysis, arm, reference, family, stream)
                        : paired(analysis, arm, reference, family, stream);
  const auto scores = task_scores(arm, reference);
  if (!scores.empty()) raw.contrast.a12 = statistics::probability_of_improvement(scores);
  return raw;
}

}  // namespace ke
