#pragma once
// The text that Nsight Compute prints with `--csv --page raw`: one line a launch, metrics in
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

/// The launches of a run in their order. Lines in front of the table, such as the tool's progress
/// and what the program prints, are skipped; so are columns that hold no numbers ("n/a") and lines
/// that are cut off.
std::vector<ProfiledLaunch> parse_ncu_csv(std::string_view text);

/// Fields of one line: quoted ones may hold commas, and "" for a quote.
std::vector<std::string> csv_fields(std::string_view line);

/// "1,234.5" and "2.0e-05"; nothing when it is no number.
std::optional<double> number_of_field(std::string_view field);

}  // namespace ke::gpu
