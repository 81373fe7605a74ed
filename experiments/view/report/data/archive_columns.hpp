#pragma once
// Data of the heat maps: axes, elite changes and migrations.

#include "archive/run_rows.hpp"
#include "experiments/text/json.hpp"

namespace ke {

/// [{measure, unit, bins: [labels]}]; the last axis varies fastest in a cell's number.
Json axes_json(const std::vector<AxisShape>& axes);

/// Elite changes and duels in commit order; island -1 is the archive shared by all islands.
Json event_columns(const RunRows& rows);

/// [{from, to, sent, entered, alive}]: candidates sent between two islands, how many of them became
/// an elite at the destination, and how many still are one at the end.
Json migration_rows(const RunRows& rows);

}  // namespace ke
