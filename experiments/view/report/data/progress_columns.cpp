#include "experiments/view/report/data/progress_columns.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "archive/step_costs.hpp"
#include "experiments/view/report/json_number.hpp"

namespace ke {
namespace {

constexpr std::size_t most_points = 1000;

/// A point with its costs.
struct Point {
  ProgressPoint state;
  double device_s = 0;
  std::int64_t tokens = 0;
  double dollars = 0;
};

struct Spent {
  std::int64_t tokens = 0;
  double dollars = 0;
};

std::map<std::int64_t, Spent> spent_by_step(const RunRows& rows) {
  std::map<std::int64_t, Spent> steps;
  for (const ExchangeRow& x : rows.exchanges) {
    if (x.step_index < 0) continue;
    Spent& spent = steps[x.step_index];
    spent.tokens += x.input_tokens + x.output_tokens;
    spent.dollars += x.dollars;
  }
  return steps;
}

void add_spent(const RunRows& rows, std::vector<Point>& points) {
  const auto steps = spent_by_step(rows);
  Spent sum;
  for (Point& point : points) {
    const auto own = steps.find(point.state.step_index);
    if (own != steps.end()) {
      sum.tokens += own->second.tokens;
      sum.dollars += own->second.dollars;
    }
    point.tokens = sum.tokens;
    point.dollars = sum.dollars;
  }
}

/// Adds the best ok objective so far, NaN before the first. A numeric search has no candidates and
/// records its best itself.
void add_best(const RunRows& rows, std::vector<Point>& points) {
  if (rows.candidates.empty()) return;
  double best = std::numeric_limits<double>::quiet_NaN();
  std::size_t next = 0;
  for (Point& point : points) {
    for (; next < rows.candidates.size(); ++next) {
      const CandidateRow& c = rows.candidates[next];
      if (c.step_index > point.state.step_index) break;
      if (c.verdict == "ok") best = std::fmax(best, c.objective);
    }
    point.state.best = best;
  }
}

/// Compares figures; NaN equals NaN.
bool differ(double a, double b) { return std::isnan(a) != std::isnan(b) || a < b || a > b; }

std::vector<Point> thinned(const std::vector<Point>& points) {
  const std::size_t every = points.size() / most_points + 1;
  std::vector<Point> kept;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const bool ends = i == 0 || i + 1 == points.size();
    const bool changes = ends || differ(points[i].state.best, points[i - 1].state.best);
    if (changes || i % every == 0) kept.push_back(points[i]);
  }
  return kept;
}

Json columns_of(const std::vector<Point>& points) {
  const auto integers = [&](auto ProgressPoint::*member) {
    return column(points, [&](const Point& p) { return Json(p.state.*member); });
  };
  Json json;
  json["step_index"] = integers(&ProgressPoint::step_index);
  json["proposals"] = integers(&ProgressPoint::proposals);
  json["evaluations"] = integers(&ProgressPoint::evaluations);
  json["seconds"] = column(points, [&](const Point& p) {
    return number(static_cast<double>(p.state.committed_ms - points.front().state.committed_ms) /
                  1000);
  });
  json["best"] = column(points, [](const Point& p) { return number(p.state.best); });
  json["filled"] = integers(&ProgressPoint::filled);
  json["qd_score"] = column(points, [](const Point& p) { return number(p.state.qd_score); });
  return json;
}

void add_costs(const std::vector<Point>& points, const RunRows& rows, Json& json) {
  const bool device = !points.empty() && points.back().device_s > 0;
  const auto when = [&](bool there, auto&& f) { return there ? column(points, f) : Json(nullptr); };
  json["device_seconds"] = when(device, [](const Point& p) { return number(p.device_s); });
  const bool asked = !rows.exchanges.empty();
  json["tokens"] = when(asked, [](const Point& p) { return Json(p.tokens); });
  const bool paid = asked && points.back().dollars > 0;
  json["dollars"] = when(paid, [](const Point& p) { return number(p.dollars); });
}

}  // namespace

Result<Json> progress_columns(const RunReader& reader, const RunRows& rows) {
  KE_TRY(const auto states, reader.progress());
  KE_TRY(const auto seconds, device_seconds(reader));
  std::vector<Point> points;
  for (std::size_t i = 0; i < std::min(states.size(), seconds.size()); ++i) {
    points.push_back({states[i], seconds[i]});
  }
  add_spent(rows, points);
  add_best(rows, points);
  const auto kept = thinned(points);
  Json json = columns_of(kept);
  add_costs(kept, rows, json);
  return json;
}

}  // namespace ke
