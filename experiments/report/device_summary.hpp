#pragma once
// Devices of a run that has several: their champions, and what transfer between them was worth.

#include <optional>
#include <vector>

#include "experiments/report/run_summary.hpp"

namespace ke {

/// In the order of the islands; empty for a run with one device.
Result<std::vector<DeviceSummary>> summarise_devices(const RunReader& reader,
                                                     const std::optional<StopRecord>& stop);

/// By (from, to) in the order of their first kernels.
Result<std::vector<TransferSummary>> summarise_transfers(const RunReader& reader);

/// Lines and a table for `show`; empty for a run with one device.
std::string devices_text(const RunSummary& run);

}  // namespace ke
