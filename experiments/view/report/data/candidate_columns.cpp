#include "experiments/view/report/data/candidate_columns.hpp"

#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "archive/run_figures.hpp"
#include "experiments/text/json.hpp"

namespace ke {
namespace {

using Entry = std::tuple<std::int64_t, std::int64_t, std::int64_t>;  // step, island, challenger
using Holding = std::pair<std::int64_t, std::int64_t>;               // island, elite

bool changes_elite(const ArchiveEventRow& event) {
  return event.status == "new_cell" || event.status == "improved";
}

std::set<Entry> entries_of(const RunRows& rows) {
  std::set<Entry> entries;
  for (const ArchiveEventRow& event : rows.events) {
    if (changes_elite(event)) entries.emplace(event.step_index, event.island, event.challenger);
  }
  return entries;
}

std::set<Holding> elites_at_end(const RunRows& rows) {
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> cells;  // island, cell -> elite
  for (const ArchiveEventRow& event : rows.events) {
    if (changes_elite(event)) cells[{event.island, event.cell}] = event.challenger;
  }
  std::set<Holding> elites;
  for (const auto& [place, elite] : cells) elites.emplace(place.first, elite);
  return elites;
}

}  // namespace

Json axes_json(const std::vector<AxisShape>& axes) {
  return column(axes, [](const AxisShape& axis) {
    return Json{{"measure", axis.measure}, {"unit", axis.unit}, {"bins", axis.bins}};
  });
}

Json event_columns(const RunRows& rows) {
  using Event = ArchiveEventRow;
  Json json;
  json["step_index"] = column(rows.events, &Event::step_index);
  json["island"] = column(rows.events, &Event::island);
  json["challenger"] = column(rows.events, &Event::challenger);
  json["cell"] = column(rows.events, &Event::cell);
  json["incumbent"] = column(rows.events, &Event::incumbent);
  json["status"] = name_column(rows.events, &Event::status);
  json["decision"] = name_column(rows.events, &Event::decision);
  json["low"] = column(rows.events, [](const Event& e) { return number(e.bound_low); });
  json["high"] = column(rows.events, [](const Event& e) { return number(e.bound_high); });
  return json;
}

Json migration_rows(const RunRows& rows) {
  struct Flow {
    std::int64_t sent = 0, entered = 0, alive = 0;
  };
  const auto entries = entries_of(rows);
  const auto elites = elites_at_end(rows);
  std::map<std::pair<std::int64_t, std::int64_t>, Flow> flows;
  for (const MigrationRow& m : rows.migrations) {
    Flow& flow = flows[{m.from, m.to}];
    const bool entered = entries.contains({m.step_index, m.to, m.migrant});
    ++flow.sent;
    flow.entered += entered ? 1 : 0;
    flow.alive += entered && elites.contains({m.to, m.migrant}) ? 1 : 0;
  }
  return column(flows, [](const auto& row) {
    const auto& [ends, flow] = row;
    return Json{{"from", ends.first},
                {"to", ends.second},
                {"sent", flow.sent},
                {"entered", flow.entered},
                {"alive", flow.alive}};
  });
}

namespace {

constexpr std::size_t most_points = 1000;

struct Spent {
  std::int64_t answers = 0;
  std::int64_t tokens = 0;
  double dollars = 0;
};

/// A point with its costs.
struct Point {
  ProgressPoint state;
  double device_s = 0;
  Spent spent = {};
};

std::map<std::int64_t, Spent> spent_by_step(const RunRows& rows) {
  std::map<std::int64_t, Spent> steps;
  for (const ExchangeRow& x : rows.exchanges) {
    if (x.step_index < 0) continue;
    Spent& spent = steps[x.step_index];
    ++spent.answers;
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
      sum.answers += own->second.answers;
      sum.tokens += own->second.tokens;
      sum.dollars += own->second.dollars;
    }
    point.spent = sum;
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
  json["answers"] = when(asked, [](const Point& p) { return Json(p.spent.answers); });
  json["tokens"] = when(asked, [](const Point& p) { return Json(p.spent.tokens); });
  const bool paid = asked && points.back().spent.dollars > 0;
  json["dollars"] = when(paid, [](const Point& p) { return number(p.spent.dollars); });
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

namespace {

using Candidates = std::vector<CandidateRow>;

/// Objective, or null for a failed candidate, whose value means nothing.
Json objective_of(const CandidateRow& c) {
  return c.verdict == "ok" && c.outcome != "no_child" ? number(c.objective) : Json(nullptr);
}

bool has_intervals(const Candidates& candidates) {
  return std::any_of(candidates.begin(), candidates.end(), [](const CandidateRow& c) {
    return c.verdict == "ok" && (c.ci_low != c.objective || c.ci_high != c.objective);
  });
}

void add_intervals(const Candidates& list, Json& json) {
  if (!has_intervals(list)) {
    json["low"] = json["high"] = nullptr;
    return;
  }
  json["low"] = column(list, [](const CandidateRow& c) { return number(c.ci_low); });
  json["high"] = column(list, [](const CandidateRow& c) { return number(c.ci_high); });
}

Json measures_of(const RunRows& rows) {
  Json json = Json::object();
  for (const auto& [axis, values] : rows.measures) json[axis] = numbers(values);
  return json;
}

/// {knob: {"names": [values], "rows": [...]}}; a row is -1 if the kernel lacks the knob.
Json knobs_of(const RunRows& rows) {
  struct Column {
    std::map<std::string, std::size_t> values;
    std::vector<std::int64_t> rows;
  };
  std::map<std::string, Column> columns;
  for (std::size_t i = 0; i < rows.genomes.size(); ++i) {
    for (const auto& [name, value] : rows.genomes[i].knobs) {
      Column& own = columns[name];
      own.rows.resize(rows.genomes.size(), -1);
      own.rows[i] =
          static_cast<std::int64_t>(own.values.emplace(value, own.values.size()).first->second);
    }
  }
  Json json = Json::object();
  for (const auto& [name, own] : columns) {
    std::vector<std::string> names(own.values.size());
    for (const auto& [value, at] : own.values) names[at] = value;
    json[name] = {{"names", names}, {"rows", own.rows}};
  }
  return json;
}

/// {"lists": [[flags]], "rows": [...]}: stores each list of flags once.
Json lists_of(const std::vector<GenomeRow>& genomes) {
  std::map<std::vector<std::string>, std::size_t> places;
  Json lists = Json::array();
  Json rows = column(genomes, [&](const GenomeRow& g) {
    const auto [found, is_new] = places.emplace(g.flags, places.size());
    if (is_new) lists.push_back(g.flags);
    return found->second;
  });
  return {{"lists", lists}, {"rows", rows}};
}

}  // namespace

Json candidate_columns(const RunRows& rows) {
  const Candidates& list = rows.candidates;
  Json json;
  json["step"] = column(list, [](const CandidateRow& c) { return c.id.step; });
  json["island"] = column(list, [](const CandidateRow& c) { return c.id.island; });
  json["slot"] = column(list, [](const CandidateRow& c) { return c.id.slot; });
  json["step_index"] = column(list, &CandidateRow::step_index);
  json["operator"] = name_column(list, &CandidateRow::operator_name);
  json["outcome"] = name_column(list, &CandidateRow::outcome);
  json["verdict"] = name_column(list, &CandidateRow::verdict);
  json["name"] = name_column(list, &CandidateRow::kernel_name);
  json["objective"] = column(list, objective_of);
  add_intervals(list, json);
  json["measured"] = column(list, [](const CandidateRow& c) { return c.measured ? 1 : 0; });
  json["genome"] = column(list, &CandidateRow::genome);
  json["build"] = column(list, &CandidateRow::build);
  json["duplicate_of"] = column(list, &CandidateRow::duplicate_of);
  json["cell"] = column(list, &CandidateRow::cell);
  json["measures"] = measures_of(rows);
  return json;
}

Json parent_columns(const RunRows& rows) {
  Json json;
  json["child"] = column(rows.parents, &ParentRow::child);
  json["parent"] = column(rows.parents, &ParentRow::parent);
  json["role"] = name_column(rows.parents, &ParentRow::role);
  return json;
}

Json kernel_columns(const RunRows& rows) {
  Json json;
  json["source"] = column(rows.genomes, &GenomeRow::source);
  json["language"] = name_column(rows.genomes, &GenomeRow::language);
  json["knobs"] = knobs_of(rows);
  json["flags"] = lists_of(rows.genomes);
  json["launch_plan"] = name_column(rows.genomes, &GenomeRow::launch_plan);
  json["sources"] = rows.sources;
  return json;
}

Json remark_rows(const RunRows& rows) {
  Json json = Json::object();
  for (std::size_t i = 0; i < rows.candidates.size(); ++i) {
    const CandidateRow& c = rows.candidates[i];
    const std::string& reason = c.outcome == "no_child" ? c.no_child_reason : c.reason;
    if (reason.empty() && c.message.empty()) continue;
    json[std::to_string(i)] = {{"reason", reason}, {"message", c.message}};
  }
  for (const DiagnosticRow& row : rows.diagnostics) {
    const Diagnostic& d = row.diagnostic;
    json[std::to_string(row.candidate)]["diagnostics"].push_back(
        {d.file, d.line, d.column, d.severity, d.message});
  }
  return json;
}

}  // namespace ke
