#pragma once
// Device lines of letters, kept in a file for runs that shall write equal letters.

#include <string>

#include "core/device_sheet.hpp"
#include "core/result.hpp"

namespace ke {

/// The first sheet in `file` under `key`; if there is none, `measured`, which is added to it.
/// Measured rates differ a little from run to run, and a bank knows answers by the whole text of a
/// letter. Processes that share the file get one sheet. Failure::io: the file cannot be read or
/// written; Failure::config: a line of it is no sheet.
Result<DeviceSheet> kept_sheet(const std::string& file, const std::string& key,
                               const DeviceSheet& measured);

}  // namespace ke
