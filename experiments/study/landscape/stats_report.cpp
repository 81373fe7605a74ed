#include "experiments/study/landscape/stats_report.hpp"

#include <fmt/format.h>

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
               {"failures", Json::object()},
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
  for (const auto& [verdict, count] : stats.failures) json["failures"][verdict] = count;
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
  Json json = {{"landscapes", Json::array()}};
  for (const LandscapeStats& stats : list) json["landscapes"].push_back(json_of(stats));
  return json;
}

}  // namespace ke
