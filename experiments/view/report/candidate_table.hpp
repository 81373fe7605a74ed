#pragma once
// Exports all candidates of runs, one row each.

#include <ostream>

#include "archive/run_reader.hpp"

namespace ke {

enum class TableFormat { csv, jsonl };

/// Header of the CSV form, with line end.
std::string candidate_csv_head();

/// Writes one row per candidate in commit order. CSV follows RFC 4180; JSONL also has parents,
/// measures and knobs.
Result<void> write_candidates(const RunReader& reader, TableFormat format, std::ostream& out);

}  // namespace ke
