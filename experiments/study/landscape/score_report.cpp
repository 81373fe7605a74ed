#include "experiments/study/landscape/score_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "experiments/study/statistics/hierarchical_bootstrap.hpp"
#include "experiments/text/table.hpp"

namespace ke {
namespace {

std::string arrival(const ScoreLine& line, std::size_t margin) {
  return line.evaluations_to[margin] > 0
             ? fmt::format("{:.0f} ({:.0f} %)", line.evaluations_to[margin],
                           100 * line.reached[margin])
             : fmt::format("- ({:.0f} %)", 100 * line.reached[margin]);
}

std::vector<std::string> row_of(const ScoreLine& line) {
  std::vector<std::string> row = {line.name, fmt::format("{:.4f}", line.score),
                                  fmt::format("{:.3f}", line.random),
                                  fmt::format("{:.3f}", line.normalised)};
  for (const double best : line.best_at) row.push_back(fmt::format("{:.3f}", best));
  for (std::size_t m = 0; m < score_margins.size(); ++m) row.push_back(arrival(line, m));
  return row;
}

Json json_of(const ScoreLine& line, const std::vector<std::int64_t>& budgets) {
  Json json = {{"landscape", line.name},    {"score", line.score},
               {"random", line.random},     {"normalised", line.normalised},
               {"best_at", Json::object()}, {"evaluations_to", Json::object()},
               {"reached", Json::object()}};
  for (std::size_t b = 0; b < budgets.size(); ++b) {
    json["best_at"][std::to_string(budgets[b])] = line.best_at[b];
  }
  for (std::size_t m = 0; m < score_margins.size(); ++m) {
    const std::string margin = fmt::format("{:.0f}%", 100 * score_margins[m]);
    json["evaluations_to"][margin] =
        line.evaluations_to[m] > 0 ? Json(line.evaluations_to[m]) : Json();
    json["reached"][margin] = line.reached[m];
  }
  return json;
}

/// "[0.912, 0.934] over 30 seeds".
std::string interval_text(const ScoreInterval& interval, std::string_view unit) {
  const bool few = interval.units < statistics::least_units_for_intervals;
  if (interval.units < 2) return fmt::format("no interval over {} {}", interval.units, unit);
  return fmt::format("[{:.3f}, {:.3f}] over {} {}s{}", interval.low, interval.high, interval.units,
                     unit, few ? " (few: wide)" : "");
}

std::string text_of(const ScoreRequest& request, const ScoreSummary& summary) {
  std::vector<std::string> head = {"landscape", "score", "random", "normalised"};
  for (const std::int64_t budget : request.budgets) head.push_back(fmt::format("@{}", budget));
  for (const double margin : score_margins)
    head.push_back(fmt::format("to {:.0f} %", 100 * margin));
  Table table(std::move(head));
  for (const ScoreLine& line : summary.landscapes) table.add(row_of(line));
  table.add(row_of(summary.total));
  return fmt::format(
      "{}: score {:.4f} {}, {}; {:.0f} evaluations/s of one "
      "core ({} evaluations of {} proposals)\n{}",
      summary.name, summary.total.score, interval_text(summary.over_seeds, "seed"),
      interval_text(summary.over_kernels, "kernel"),
      static_cast<double>(summary.evaluations) / summary.cpu_s, summary.evaluations,
      summary.proposals, table.text());
}

}  // namespace

std::string score_text(const ScoreRequest& request, const std::vector<ScoreSummary>& summaries,
                       double wall_s) {
  std::string text;
  std::int64_t evaluations = 0;
  for (const ScoreSummary& summary : summaries) {
    text += text_of(request, summary) + "\n";
    evaluations += summary.evaluations;
  }
  return text + fmt::format(
                    "{} evaluations in {:.1f} s on {} threads; random: exact expectation, "
                    "without replacement\n",
                    evaluations, wall_s, request.threads);
}

Json score_json(const ScoreRequest& request, const std::vector<ScoreSummary>& summaries,
                double wall_s) {
  Json json = {{"budgets", request.budgets},
               {"seeds", request.seeds.size()},
               {"threads", request.threads},
               {"wall_s", wall_s},
               {"experiments", Json::array()}};
  for (const ScoreSummary& summary : summaries) {
    Json one = json_of(summary.total, request.budgets);
    one["landscape"] = "all";
    Json experiment = {
        {"name", summary.name},
        {"score", summary.total.score},
        {"ci", {summary.over_kernels.low, summary.over_kernels.high}},
        {"units", summary.over_kernels.units},
        {"ci_seeds", {summary.over_seeds.low, summary.over_seeds.high}},
        {"evaluations", summary.evaluations},
        {"proposals", summary.proposals},
        {"evaluations_per_core_s", static_cast<double>(summary.evaluations) / summary.cpu_s},
        {"total", std::move(one)},
        {"landscapes", Json::array()}};
    for (const ScoreLine& line : summary.landscapes) {
      experiment["landscapes"].push_back(json_of(line, request.budgets));
    }
    json["experiments"].push_back(std::move(experiment));
  }
  return json;
}

}  // namespace ke
