#pragma once
// What the steps of a run cost on its device: for curves against device-seconds.

#include <vector>

#include "archive/run_reader.hpp"

namespace ke {

/// Seconds of compiler and lane that the run had spent when each step was committed, in the order
/// of RunReader::progress(). A fact counts at the first step that rests on it; verification and
/// facts that nothing rests on count nowhere.
Result<std::vector<double>> device_seconds(const RunReader& reader);

}  // namespace ke
