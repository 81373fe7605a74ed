#include "experiments/study/landscape/stats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/study/landscape/score.hpp"
#include "experiments/study/statistics.hpp"

namespace ke {
namespace {

double share(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string percent(double value) { return fmt::format("{:.2f} %", 100 * value); }

std::string text_of(const LandscapeStats& stats) {
  std::string text = fmt::format("{}\n  configurations  {} of {:.0f} combinations\n", stats.name,
                                 stats.size, stats.product);
  text += fmt::format("  failed          {} ({})", stats.failed(),
                      percent(share(stats.failed(), stats.size)));
  for (const auto& [verdict, count] : stats.failures)
    text += fmt::format(", {} {}", count, verdict);
  text += fmt::format("\n  optimum         {:.4f} ms, the next is {:.3f} x: {}\n", stats.optimum_ms,
                      stats.second, stats.optimum);
  for (std::size_t i = 0; i < stats_margins.size(); ++i) {
    text += fmt::format("  within {:>4.0f} %     {} ({} of what worked)\n", 100 * stats_margins[i],
                        stats.within[i], percent(share(stats.within[i], stats.worked())));
  }
  text += "  time / optimum ";
  for (std::size_t i = 0; i < stats_quantiles.size(); ++i) {
    text += fmt::format(" {:.0f} %: {:.3f}", 100 * stats_quantiles[i], stats.quantiles[i]);
  }
  text += fmt::format(
      "\n  noise           {} repeats; deviation / mean: optimum {}, median {}, "
      "95 % quantile {}\n  random search  ",
      stats.repeats, percent(stats.noise_of_optimum), percent(stats.noise_median),
      percent(stats.noise_p95));
  for (std::size_t i = 0; i < stats_budgets.size(); ++i) {
    text += fmt::format(" @{}: {:.3f}", stats_budgets[i], stats.random[i]);
  }
  return text + "\n";
}

Json json_of(const LandscapeStats& stats) {
  Json json = {{"name", stats.name},
               {"configurations", stats.size},
               {"combinations", stats.product},
               {"failed", stats.failed()},
               {"failed_share", share(stats.failed(), stats.size)},
               {"failures", stats.failures},
               {"optimum_ms", stats.optimum_ms},
               {"optimum", stats.optimum},
               {"second_over_optimum", stats.second},
               {"quantiles", Json::object()},
               {"within", Json::object()},
               {"within_share", Json::object()},
               {"noise",
                {{"repeats", stats.repeats},
                 {"optimum", stats.noise_of_optimum},
                 {"median", stats.noise_median},
                 {"p95", stats.noise_p95}}},
               {"random", Json::object()}};
  for (std::size_t i = 0; i < stats_quantiles.size(); ++i) {
    json["quantiles"][fmt::format("{:.0f}%", 100 * stats_quantiles[i])] = stats.quantiles[i];
  }
  for (std::size_t i = 0; i < stats_margins.size(); ++i) {
    const std::string margin = fmt::format("{:.0f}%", 100 * stats_margins[i]);
    json["within"][margin] = stats.within[i];
    json["within_share"][margin] = share(stats.within[i], stats.worked());
  }
  for (std::size_t i = 0; i < stats_budgets.size(); ++i) {
    json["random"][std::to_string(stats_budgets[i])] = stats.random[i];
  }
  return json;
}

}  // namespace

std::string stats_text(std::span<const LandscapeStats> list) {
  std::string text;
  for (const LandscapeStats& stats : list) text += text_of(stats);
  return text;
}

Json stats_json(std::span<const LandscapeStats> list) {
  return {{"landscapes", column(list, [](const auto& stats) { return json_of(stats); })}};
}

namespace {

/// Standard deviation over mean; NaN for fewer than two samples.
double relative_spread(std::span<const double> samples) {
  double sum = 0;
  for (const double sample : samples) sum += sample;
  const auto n = static_cast<double>(samples.size());
  const double mean = sum / n;
  double squares = 0;
  for (const double sample : samples) squares += (sample - mean) * (sample - mean);
  return std::sqrt(squares / (n - 1)) / mean;
}

void fill_noise(const Landscape& landscape, LandscapeStats& stats) {
  std::vector<double> spreads;
  for (const Landscape::Point& point : landscape.points()) {
    if (point.verdict == Verdict::ok && point.sample_count > 1) {
      spreads.push_back(relative_spread(landscape.samples(point)));
    }
  }
  std::sort(spreads.begin(), spreads.end());
  stats.noise_median = statistics::quantile(spreads, 0.5);
  stats.noise_p95 = statistics::quantile(spreads, 0.95);
  const Landscape::Point& best = landscape.points()[landscape.optimum()];
  stats.repeats = best.sample_count;
  if (best.sample_count > 1) stats.noise_of_optimum = relative_spread(landscape.samples(best));
}

void fill_times(const Landscape& landscape, LandscapeStats& stats) {
  std::vector<double> ratios;
  for (const Landscape::Point& point : landscape.points()) {
    if (point.verdict == Verdict::ok) ratios.push_back(point.time / landscape.best_time());
  }
  std::sort(ratios.begin(), ratios.end());
  stats.second = ratios.size() > 1 ? ratios[1] : 1;
  for (std::size_t i = 0; i < stats_quantiles.size(); ++i) {
    stats.quantiles[i] = statistics::quantile(ratios, stats_quantiles[i]);
  }
  for (std::size_t i = 0; i < stats_margins.size(); ++i) {
    stats.within[i] =
        std::upper_bound(ratios.begin(), ratios.end(), 1 + stats_margins[i]) - ratios.begin();
  }
}

}  // namespace

std::int64_t LandscapeStats::failed() const {
  std::int64_t sum = 0;
  for (const auto& [verdict, count] : failures) sum += count;
  return sum;
}

std::string configuration_text(const Landscape& landscape, std::size_t point) {
  std::string text;
  for (std::size_t p = 0; p < landscape.parameters().size(); ++p) {
    const Knob& knob = landscape.parameters()[p].knob;
    if (knob.values.size() < 2) continue;
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", knob.name,
                        knob.values[landscape.levels(point)[p]]);
  }
  return text;
}

LandscapeStats landscape_stats(const Landscape& landscape) {
  LandscapeStats stats;
  stats.name = landscape.name();
  stats.size = static_cast<std::int64_t>(landscape.points().size());
  for (const Landscape::Point& point : landscape.points()) {
    if (point.verdict != Verdict::ok) ++stats.failures[std::string(to_string(point.verdict))];
  }
  stats.product = 1;
  for (const LandscapeParameter& parameter : landscape.parameters()) {
    stats.product *= static_cast<double>(parameter.knob.values.size());
  }
  stats.optimum_ms = landscape.best_time() * landscape.unit_ns() / 1e6;
  stats.optimum = configuration_text(landscape, landscape.optimum());
  fill_times(landscape, stats);
  fill_noise(landscape, stats);
  const std::vector<double> ranked = ranked_quality(landscape);
  for (std::size_t i = 0; i < stats_budgets.size(); ++i) {
    stats.random[i] = expected_best(ranked, stats_budgets[i]);
  }
  return stats;
}

}  // namespace ke
