#pragma once
// Checks the integrity of a run file: rows, hash chain, facts.

#include <string>
#include <vector>

#include "archive/run_reader.hpp"

namespace ke {

struct VerifyReport {
  Digest history_hash;  ///< computed from the rows
  Digest record_hash;   ///< computed from the rows
  std::int64_t steps = 0;
  std::int64_t facts = 0;
  std::vector<std::string> problems;  ///< each names its row
  bool ok() const { return problems.empty(); }
};

/// Rebuilds every step, candidate, fact and figure from its rows and compares it with its stored
/// hash; rebuilds the hash chain from the header; checks the SQLite file itself. O(file).
Result<VerifyReport> verify_run(const RunReader& reader);

}  // namespace ke
