#pragma once
// Parses the output of Nsight Compute with `--csv --page raw`: one line per launch, metrics in
// columns.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ke::gpu {

/// One launch of one kernel.
struct ProfiledLaunch {
  std::string kernel;
  std::map<std::string, double> metrics;  ///< by name; times in ns, bytes in bytes
};

/// The launches of a run in order. Skips lines before the table, such as the tool's progress and
/// the program's output, columns without numbers ("n/a"), and truncated lines.
std::vector<ProfiledLaunch> parse_ncu_csv(std::string_view text);

/// Fields of one line. Quoted fields may hold commas, and "" for a quote.
std::vector<std::string> csv_fields(std::string_view line);

/// Parses "1,234.5" and "2.0e-05"; nothing for text that is no number.
std::optional<double> number_of_field(std::string_view field);

}  // namespace ke::gpu
