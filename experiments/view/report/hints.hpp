#pragma once
// The hints that a run bred, from its recorded exchanges.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "archive/run_reader.hpp"
#include "core/hints.hpp"
#include "experiments/text/json.hpp"

namespace ke {

struct ReportedHint {
  Hint hint;
  HintCredit credit;
};

struct HintReport {
  std::vector<ReportedHint> hints;  ///< those that a letter carried or an edit made, oldest first
  std::map<std::string, std::int64_t> refused;  ///< answers to edits that made no hint, by reason
};

/// Reads all committed steps. Empty for a run without hints.
Result<HintReport> hints_of(const std::shared_ptr<const RunReader>& reader);

/// A table: hint, parent, children, right, elites, best gain, text; below it the refused edits.
std::string text_of(const HintReport& report);
/// {"hints": [{"id", "parent", "children", "right", "elites", "best_gain", "text"}], "refused":
/// {}}; parent and best_gain are null where there is none.
Json json_of(const HintReport& report);

}  // namespace ke
