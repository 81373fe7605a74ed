#pragma once
// Summarises a run with several devices: champions, and the value of transfers between devices.

#include <optional>
#include <vector>

#include "experiments/study/summary/run_summary.hpp"

namespace ke {

/// In island order; empty for a run with one device.
Result<std::vector<DeviceSummary>> summarise_devices(const RunReader& reader,
                                                     const std::optional<StopRecord>& stop);

/// Transfers by (from, to), in order of their first kernel.
Result<std::vector<TransferSummary>> summarise_transfers(const RunReader& reader);

/// Lines and a table for `show`; empty for a run with one device.
std::string devices_text(const RunSummary& run);

}  // namespace ke
