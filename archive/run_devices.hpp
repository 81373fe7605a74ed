#pragma once
// Devices of a run with several, and kernels transferred between them.

#include <string>
#include <vector>

#include "archive/device_record.hpp"
#include "archive/run_reader.hpp"

namespace ke {

/// In order of islands; empty for a run with one device.
Result<std::vector<DeviceRecord>> recorded_devices(const RunReader& reader);

/// Work done on one device.
struct DeviceWork {
  std::int64_t evaluations = 0;
  double best = 0;  ///< highest objective of an ok candidate; 0 before the first
};

/// By device, in the order of recorded_devices().
Result<std::vector<DeviceWork>> work_of_devices(const RunReader& reader);

/// A kernel transferred from one device to another and judged again there.
struct TransferRow {
  std::string from;  ///< name of the device
  std::string to;
  bool ok = false;            ///< verdict on the receiving device
  double from_objective = 0;  ///< during the search, each against its device's anchor
  double to_objective = 0;    ///< 0 unless ok
  std::string entry;          ///< new_cell, improved, rejected or "", see v_transfer
};

/// In commit order.
Result<std::vector<TransferRow>> transfers(const RunReader& reader);

}  // namespace ke
