#include <algorithm>
#include <map>

#include "core/random_stream.hpp"
#include "experiments/study/landscape/exact_random.hpp"
#include "experiments/study/landscape/score_report.hpp"
#include "experiments/study/statistics/hierarchical_bootstrap.hpp"

namespace ke {
namespace {

constexpr double never = 1e18;

double mean(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

/// Median that sorts runs that never arrived last; 0 if the median run never arrived.
double median_arrival(std::vector<double> arrivals) {
  if (arrivals.empty()) return 0;
  std::sort(arrivals.begin(), arrivals.end());
  const std::size_t half = arrivals.size() / 2;
  const double low = arrivals[(arrivals.size() - 1) / 2];
  const double high = arrivals[half];
  return high >= never ? 0 : (low + high) / 2;
}

void normalise(ScoreLine& line) {
  line.normalised = line.random < 1 ? (line.score - line.random) / (1 - line.random) : 0;
}

ScoreLine line_of(const ScoreRequest& request, const LandscapeFile& file,
                  const std::vector<ScoredRun>& runs) {
  ScoreLine line;
  line.name = file.landscape->name();
  const std::vector<double> ranked = ranked_quality(*file.landscape);
  std::vector<double> exact;
  for (std::size_t b = 0; b < request.budgets.size(); ++b) {
    std::vector<double> seeds;
    for (const ScoredRun& run : runs) seeds.push_back(run.best_at[b]);
    line.best_at.push_back(mean(seeds));
    exact.push_back(expected_best(ranked, request.budgets[b]));
  }
  line.score = mean(line.best_at);
  line.random = mean(exact);
  normalise(line);
  for (std::size_t m = 0; m < score_margins.size(); ++m) {
    std::vector<double> arrivals;
    std::size_t count = 0;
    for (const ScoredRun& run : runs) {
      const bool there = run.reached[m] > 0;
      count += there ? 1 : 0;
      arrivals.push_back(there ? static_cast<double>(run.reached[m]) : never);
    }
    line.reached[m] = static_cast<double>(count) / static_cast<double>(runs.size());
    line.evaluations_to[m] = median_arrival(std::move(arrivals));
  }
  return line;
}

ScoreLine total_of(const std::vector<ScoreLine>& lines) {
  ScoreLine total;
  total.name = "all";
  total.best_at.assign(lines.front().best_at.size(), 0);
  const auto n = static_cast<double>(lines.size());
  for (const ScoreLine& line : lines) {
    total.score += line.score / n;
    total.random += line.random / n;
    for (std::size_t b = 0; b < total.best_at.size(); ++b) total.best_at[b] += line.best_at[b] / n;
    for (std::size_t m = 0; m < score_margins.size(); ++m) total.reached[m] += line.reached[m] / n;
  }
  for (std::size_t m = 0; m < score_margins.size(); ++m) {
    std::vector<double> arrivals;
    for (const ScoreLine& line : lines) {
      arrivals.push_back(line.evaluations_to[m] > 0 ? line.evaluations_to[m] : never);
    }
    total.evaluations_to[m] = median_arrival(std::move(arrivals));
  }
  normalise(total);
  return total;
}

std::string kernel_of(const std::string& name) { return name.substr(0, name.rfind('/')); }

/// values[kernel][device][seed], each the mean over budgets.
statistics::Hierarchy hierarchy(const ScoreRequest& request,
                                const std::vector<std::vector<ScoredRun>>& runs) {
  std::map<std::string, std::vector<std::vector<double>>> kernels;
  for (std::size_t l = 0; l < runs.size(); ++l) {
    std::vector<double> seeds;
    for (const ScoredRun& run : runs[l]) seeds.push_back(mean(run.best_at));
    kernels[kernel_of(request.landscapes[l].landscape->name())].push_back(std::move(seeds));
  }
  statistics::Hierarchy values;
  for (auto& [kernel, devices] : kernels) values.push_back(std::move(devices));
  return values;
}

/// Each seed is the mean over all landscapes, which are held fixed.
statistics::Hierarchy by_seed(const std::vector<std::vector<ScoredRun>>& runs) {
  statistics::Hierarchy values;
  for (std::size_t seed = 0; seed < runs.front().size(); ++seed) {
    std::vector<double> landscapes;
    for (const auto& seeds : runs) landscapes.push_back(mean(seeds[seed].best_at));
    values.push_back({{mean(landscapes)}});
  }
  return values;
}

/// Scores are shares of the optimum: no bound lies beyond [0, 1].
ScoreInterval interval_of(const statistics::Hierarchy& values) {
  RandomStream stream({.seed = 1, .purpose = Purpose::bootstrap});
  const auto interval = statistics::hierarchical_bootstrap(
      values, [&](std::size_t bound) { return stream.below(bound); });
  return {std::max(0.0, interval.low), std::min(1.0, interval.high), interval.units};
}

}  // namespace

std::vector<ScoreSummary> summarise(const ScoreRequest& request, const ScoredRuns& scored) {
  std::vector<ScoreSummary> summaries;
  for (std::size_t e = 0; e < request.experiments.size(); ++e) {
    ScoreSummary summary;
    summary.name = request.experiments[e].name;
    for (std::size_t l = 0; l < request.landscapes.size(); ++l) {
      summary.landscapes.push_back(line_of(request, request.landscapes[l], scored.runs[e][l]));
      for (const ScoredRun& run : scored.runs[e][l]) {
        summary.evaluations += run.evaluations;
        summary.proposals += run.proposals;
        summary.cpu_s += run.cpu_s;
      }
    }
    summary.total = total_of(summary.landscapes);
    const auto kernels = hierarchy(request, scored.runs[e]);
    if (kernels.size() > 1) summary.over_kernels = interval_of(kernels);
    summary.over_seeds = interval_of(by_seed(scored.runs[e]));
    summaries.push_back(std::move(summary));
  }
  return summaries;
}

}  // namespace ke
