#pragma once
// The counters of Nsight Compute in use, and the names of the measures made of them.

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

/// Plain sentences for operators and reports: the limiter first, then the reasons for stalls, the
/// occupancy, and inefficient accesses. Omits missing measures.
std::vector<std::string> ncu_sentences(const std::map<std::string, double>& measures);

/// Metrics to request from the tool. Some exist only for some GPUs.
std::vector<std::string> ncu_metric_names();

/// Measures over all launches, each metric weighted by the launch's time: ncu_time_ns (sum),
/// ncu_dram_pct, ncu_sm_pct, ncu_tensor_pct, ncu_issue_pct, ncu_occupancy_pct (of peak),
/// ncu_l1_hit_pct, ncu_l2_hit_pct, ncu_registers (most of any launch), ncu_bank_conflicts (per
/// request to shared memory), ncu_sectors_per_load (32-byte sectors per request to global memory, 4
/// or 16 at best for 4 or 16 bytes per thread), and ncu_stall_REASON for the two most frequent
/// reasons of stalls, in cycles per issued instruction. Omits measures that the tool did not
/// report.
std::map<std::string, double> ncu_measures(const std::vector<ProfiledLaunch>& launches);

}  // namespace ke::gpu
