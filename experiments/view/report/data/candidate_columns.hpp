#pragma once
// Candidates, their parents and their kernels as columns: one list per property, one entry per row.

#include "archive/run_rows.hpp"
#include "experiments/text/json.hpp"

namespace ke {

/// Rows in commit order; `low` and `high` are null if no interval is wider than its value.
Json candidate_columns(const RunRows& rows);
/// Parents as positions in the candidates' rows.
Json parent_columns(const RunRows& rows);
/// Kernels by genome; stores each source text once.
Json kernel_columns(const RunRows& rows);
/// Messages, reasons and diagnostics of the few candidates that have them, by row.
Json remark_rows(const RunRows& rows);

}  // namespace ke
