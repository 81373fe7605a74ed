#pragma once
// All candidates of runs, one row each, for other programs.

#include <ostream>

#include "archive/run_reader.hpp"

namespace ke {

enum class TableFormat { csv, jsonl };

/// Head of the CSV form, with line end.
std::string candidate_csv_head();

/// One row for each candidate in commit order. CSV as RFC 4180; JSONL has parents, measures and
/// knobs as well.
Result<void> write_candidates(const RunReader& reader, TableFormat format, std::ostream& out);

}  // namespace ke
