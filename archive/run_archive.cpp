// RunReader: steps, elites and their origin.

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

#include "archive/run_reader.hpp"
#include "archive/sqlite/fact_rows.hpp"
#include "archive/sqlite/step_rows.hpp"
#include "archive/sqlite/store_file.hpp"
#include "archive/sqlite/task_rows.hpp"

namespace ke {
namespace {

using sqlite::Row;
using sqlite::Sql;
using Place = std::tuple<std::string, std::int64_t, std::size_t>;

constexpr std::int64_t no_end = std::numeric_limits<std::int64_t>::max();

// Replays the changes of elites; the last change of a cell counts.
std::vector<EliteRow> elites_after(Sql& sql, std::int64_t index) {
  std::map<Place, EliteRow> cells;
  sql.each(
      "SELECT a.archive, CASE a.archive WHEN 'passive' THEN -1 ELSE s.island END, a.cell, "
      "c.step, c.island, c.slot, e.objective FROM archive_event a "
      "JOIN step s ON s.idx = a.step_idx JOIN candidate c ON c.id = a.challenger_id "
      "JOIN evaluation e ON e.candidate_id = c.id "
      "WHERE a.status IN ('new_cell', 'improved') AND a.step_idx <= ? "
      "ORDER BY a.step_idx, a.position",
      [&](const Row& row) {
        EliteRow elite{row.text(0), row.integer(1), static_cast<std::size_t>(row.integer(2)),
                       row.id(3), row.real(6)};
        const Place place{elite.archive, elite.island, elite.cell};
        cells.insert_or_assign(place, std::move(elite));
      },
      index);
  std::vector<EliteRow> elites;
  for (auto& [place, elite] : cells) elites.push_back(std::move(elite));
  return elites;
}

// Cumulative proposals, evaluations and best objective per step; the archive's figures come later.
std::vector<ProgressPoint> step_points(Sql& sql) {
  std::vector<ProgressPoint> points;
  ProgressPoint now;
  sql.each(
      "SELECT s.idx, s.committed_ms, count(c.id), total(e.measured), "
      "max(CASE WHEN e.verdict = 'ok' AND typeof(e.objective) = 'real' "
      "THEN e.objective END) FROM step s LEFT JOIN candidate c ON c.step_idx = s.idx "
      "LEFT JOIN evaluation e ON e.candidate_id = c.id GROUP BY s.idx ORDER BY s.idx",
      [&](const Row& row) {
        now.step_index = row.integer(0);
        now.committed_ms = row.integer(1);
        now.proposals += row.integer(2);
        now.evaluations += row.integer(3);
        if (!row.null(4)) now.best = std::max(now.best, row.real(4));
        points.push_back(now);
      });
  std::int64_t tried = 0;
  const auto trials = sqlite::read_timed_trials(sql);
  for (ProgressPoint& point : points) {
    if (const auto at = trials.find(point.step_index); at != trials.end()) tried += at->second;
    point.evaluations += tried;
  }
  return points;
}

void add_archive(Sql& sql, std::vector<ProgressPoint>& points) {
  std::map<std::int64_t, double> cells;
  double sum = 0;
  std::size_t next = 0;
  const auto fill_up_to = [&](std::int64_t index) {
    for (; next < points.size() && points[next].step_index < index; ++next) {
      points[next].filled = static_cast<std::int64_t>(cells.size());
      points[next].qd_score = sum;
    }
  };
  sql.each(
      "SELECT a.step_idx, a.cell, e.objective FROM archive_event a JOIN evaluation e "
      "ON e.candidate_id = a.challenger_id WHERE a.archive = 'passive' "
      "AND a.status IN ('new_cell', 'improved') ORDER BY a.step_idx, a.position",
      [&](const Row& row) {
        fill_up_to(row.integer(0));
        double& cell = cells[row.integer(1)];
        sum += row.real(2) - cell;
        cell = row.real(2);
      });
  fill_up_to(no_end);
}

// A numeric search has no candidates; its batches give the progress.
void add_numeric(Sql& sql, std::vector<ProgressPoint>& points) {
  std::int64_t solutions = 0;
  sql.each(
      "SELECT step_idx, solutions, best, filled, qd_score FROM numeric_batch ORDER BY step_idx",
      [&](const Row& row) {
        ProgressPoint& point = points.at(static_cast<std::size_t>(row.integer(0)));
        solutions += row.integer(1);
        point.proposals = point.evaluations = solutions;
        point.best = row.real(2);
        point.filled = row.integer(3);
        point.qd_score = row.real(4);
      });
}

}  // namespace

Result<std::optional<StepRecord>> RunReader::step(std::int64_t index) const {
  return file_->read([&](Sql& sql) { return sqlite::read_step(sql, index); });
}

Result<std::vector<EliteRow>> RunReader::elites(std::optional<std::int64_t> index) const {
  return file_->read([&](Sql& sql) { return elites_after(sql, index.value_or(no_end)); });
}

Result<std::vector<AxisShape>> RunReader::axes(const std::string& archive) const {
  return file_->read([&](Sql& sql) { return sqlite::read_axes(sql, archive); });
}

Result<std::vector<ProgressPoint>> RunReader::progress() const {
  return file_->read([](Sql& sql) {
    auto points = step_points(sql);
    add_archive(sql, points);
    add_numeric(sql, points);
    return points;
  });
}

std::size_t cells_of(const std::vector<AxisShape>& axes) {
  std::size_t cells = axes.empty() ? 0 : 1;
  for (const AxisShape& axis : axes) cells *= axis.bins.size();
  return cells;
}

namespace {

std::size_t places_of_cell(const std::vector<AxisShape>& axes) {
  const bool deep = !axes.empty() && axes.back().measure == "place";
  return deep ? axes.back().bins.size() : 1;
}

}  // namespace

std::size_t distinct_cells(const std::vector<AxisShape>& axes) {
  const bool specialists = !axes.empty() && axes.front().measure == "validation";
  return cells_of(axes) / places_of_cell(axes) / (specialists ? axes.front().bins.size() : 1);
}

std::optional<ArchiveFill> fill_of(const std::vector<EliteRow>& elites,
                                   const std::vector<AxisShape>& axes, std::string_view archive) {
  const std::size_t cells = distinct_cells(axes);
  if (cells == 0) return std::nullopt;
  std::map<std::size_t, double> best;
  for (const EliteRow& elite : elites) {
    const std::size_t cell = elite.cell / places_of_cell(axes);
    if (elite.archive != archive || cell >= cells) continue;
    const auto [at, is_new] = best.try_emplace(cell, elite.objective);
    if (!is_new) at->second = std::max(at->second, elite.objective);
  }
  ArchiveFill fill{static_cast<double>(best.size()) / static_cast<double>(cells), 0};
  for (const auto& [cell, objective] : best) fill.qd_score += objective;
  return fill;
}

}  // namespace ke
