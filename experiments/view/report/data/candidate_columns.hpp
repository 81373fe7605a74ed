#pragma once
// Data of the page as columns, one list per property, one entry per row: candidates with their
// parents and kernels; axes, elite changes and migrations; the state of a run over its costs.

#include <algorithm>
#include <string>
#include <vector>

#include "archive/run_rows.hpp"
#include "experiments/text/json.hpp"

namespace ke {

/// {"names": [...], "rows": [...]}; names in the order of their first row.
template <typename Items, typename F>
Json name_column(const Items& items, F&& name_of) {
  std::vector<std::string> names;
  Json rows = Json::array();
  for (const auto& item : items) {
    const std::string& name = std::invoke(name_of, item);
    auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end()) at = names.insert(names.end(), name);
    rows.push_back(at - names.begin());
  }
  return {{"names", names}, {"rows", rows}};
}

/// [{measure, unit, bins: [labels]}]; the last axis varies fastest in a cell's number.
Json axes_json(const std::vector<AxisShape>& axes);

/// Elite changes and duels in commit order; island -1 is the archive shared by all islands.
Json event_columns(const RunRows& rows);

/// [{from, to, sent, entered, alive}]: candidates sent between two islands, how many of them became
/// an elite at the destination, and how many still are one at the end.
Json migration_rows(const RunRows& rows);

/// Points of RunReader::progress() with the costs so far: {step_index, proposals, evaluations,
/// seconds, device_seconds, tokens, dollars, best, filled, qd_score}. Long runs are thinned to
/// every point at which the best changed and about 1,000 others. `tokens` and `dollars` are null
/// without exchanges, `device_seconds` if the device cost nothing.
Result<Json> progress_columns(const RunReader& reader, const RunRows& rows);

/// Rows in commit order; `low` and `high` are null if no interval is wider than its value.
Json candidate_columns(const RunRows& rows);
/// Parents as positions in the candidates' rows.
Json parent_columns(const RunRows& rows);
/// Kernels by genome; stores each source text once.
Json kernel_columns(const RunRows& rows);
/// Messages, reasons and diagnostics of the few candidates that have them, by row.
Json remark_rows(const RunRows& rows);

}  // namespace ke
