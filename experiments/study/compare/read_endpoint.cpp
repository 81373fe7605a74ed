#include "experiments/study/compare/read_endpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "experiments/study/compare/sol_score.hpp"

namespace ke {
namespace {

Result<EndpointValue> best_seen(const RunReader& reader) {
  KE_TRY(const auto numeric, reader.numeric());
  if (numeric) return EndpointValue{numeric->best, false, ""};
  KE_TRY(const auto best, reader.best(1));
  if (best.empty()) return EndpointValue{};  // no kernel worked, so the objective is 0
  KE_TRY(const auto view, reader.candidate(best.front()));
  KE_CHECK(view.has_value());
  return EndpointValue{view->candidate->evaluation.objective, false, ""};
}

Result<EndpointValue> verified(const RunReader& reader, const Analysis& analysis) {
  KE_TRY(const auto stop, reader.stop());
  // Without a champion, the baseline stays deployed; its speedup over itself is 1.
  if (!stop || !stop->champion) return EndpointValue{1, false, ""};
  KE_TRY(const auto figures, reader.verified());
  for (const VerifiedFigure& figure : figures) {
    const bool wanted = figure.candidate == *stop->champion &&
                        figure.baseline == analysis.baseline && figure.role == analysis.role;
    if (wanted && figure.speedup > 0) return EndpointValue{figure.speedup, false, ""};
    if (wanted) return EndpointValue{0, false, "its champion was not verified: " + figure.note};
  }
  return EndpointValue{0, false,
                       fmt::format("its champion has no verified figure against '{}' on {}",
                                   analysis.baseline, analysis.role)};
}

Result<EndpointValue> diversity(const RunReader& reader, bool score) {
  KE_TRY(const auto numeric, reader.numeric());
  KE_TRY(const auto elites, reader.elites());
  if (score) {
    return EndpointValue{numeric ? numeric->qd_score : qd_score(elites, "passive"), false, ""};
  }
  KE_TRY(const auto axes, reader.axes("passive"));
  if (numeric) {
    return EndpointValue{static_cast<double>(numeric->filled) / static_cast<double>(cells_of(axes)),
                         false, ""};
  }
  return EndpointValue{coverage(elites, cells_of(axes), "passive"), false, ""};
}

/// The limit on evaluations, or the count at the run's end if it had no limit.
Result<std::int64_t> limit_of(const RunReader& reader, const std::vector<ProgressPoint>& points) {
  KE_TRY(const RunHeader header, reader.header());
  ComparedRun run;
  run.header = header;
  const std::string text = run.option("budget.evaluations");
  std::int64_t limit = 0;
  std::from_chars(text.data(), text.data() + text.size(), limit);
  if (limit > 0) return limit;
  return points.empty() ? 1 : std::max<std::int64_t>(1, points.back().evaluations);
}

Result<EndpointValue> to_target(const RunReader& reader, double target) {
  KE_TRY(const auto points, reader.progress());
  for (const ProgressPoint& point : points) {
    if (point.best >= target) {
      return EndpointValue{static_cast<double>(std::max<std::int64_t>(1, point.evaluations)), false,
                           ""};
    }
  }
  KE_TRY(const std::int64_t limit, limit_of(reader, points));
  return EndpointValue{static_cast<double>(limit), true, ""};
}

Result<EndpointValue> area(const RunReader& reader) {
  KE_TRY(const auto points, reader.progress());
  KE_TRY(const std::int64_t limit, limit_of(reader, points));
  return EndpointValue{area_under_curve(points, limit), false, ""};
}

/// Adds what only speedups have: the task's group and the SOL score.
Result<void> describe_speedup(const RunReader& reader, const Analysis& analysis,
                              Observation& observation) {
  if (analysis.endpoint != Endpoint::best_verified_speedup) return {};
  KE_TRY(const auto labels, reader.task_labels());
  for (const char* name : {"op_type", "category"}) {
    const auto label = labels.find(name);
    if (label != labels.end()) observation.group = label->second;
  }
  KE_TRY(observation.sol, sol_score_of(reader, analysis.baseline, analysis.role));
  return {};
}

}  // namespace

double area_under_curve(const std::vector<ProgressPoint>& points, std::int64_t limit) {
  KE_CHECK(limit >= 1);
  double sum = 0, best = 0;
  std::int64_t at = 0;
  for (const ProgressPoint& point : points) {
    // The first evaluation that has `point.best` is point.evaluations.
    const std::int64_t until = std::clamp<std::int64_t>(point.evaluations - 1, at, limit);
    sum += best * static_cast<double>(until - at);
    at = until;
    best = point.best;
  }
  sum += best * static_cast<double>(limit - at);
  return sum / static_cast<double>(limit);
}

Result<EndpointValue> read_endpoint(const RunReader& reader, const Analysis& analysis) {
  switch (analysis.endpoint) {
    case Endpoint::best_seen: return best_seen(reader);
    case Endpoint::best_verified_speedup: return verified(reader, analysis);
    case Endpoint::qd_score: return diversity(reader, true);
    case Endpoint::coverage: return diversity(reader, false);
    case Endpoint::auc: return area(reader);
    case Endpoint::evaluations_to_target: return to_target(reader, analysis.target);
  }
  return Error{Failure::config, "no such endpoint"};
}

Result<std::vector<Observation>> observe(ComparedRuns& runs, const Analysis& analysis) {
  std::vector<Observation> observations;
  for (const ComparedRun& run : runs.runs) {
    KE_TRY(const auto reader, RunReader::open(run.file));
    KE_TRY(const EndpointValue read, read_endpoint(*reader, analysis));
    if (!read.missing.empty()) {
      runs.missing.push_back(fmt::format("{}: {}", run.file, read.missing));
      continue;
    }
    observations.push_back({run.arm, run.task, run.hardware, run.seed, read.value, read.censored});
    KE_TRY_VOID(describe_speedup(*reader, analysis, observations.back()));
  }
  return observations;
}

}  // namespace ke
