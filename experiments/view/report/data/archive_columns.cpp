#include "experiments/view/report/data/archive_columns.hpp"

#include <map>
#include <set>
#include <tuple>

#include "experiments/view/report/data/name_column.hpp"
#include "experiments/view/report/json_number.hpp"

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
  json["step_index"] = column(rows.events, [](const Event& e) { return e.step_index; });
  json["island"] = column(rows.events, [](const Event& e) { return e.island; });
  json["challenger"] = column(rows.events, [](const Event& e) { return e.challenger; });
  json["cell"] = column(rows.events, [](const Event& e) { return e.cell; });
  json["incumbent"] = column(rows.events, [](const Event& e) { return e.incumbent; });
  json["status"] = name_column(
      rows.events, [](const Event& e) -> auto& { return e.status; });
  json["decision"] = name_column(
      rows.events, [](const Event& e) -> auto& { return e.decision; });
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

}  // namespace ke
