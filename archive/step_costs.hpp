#pragma once
// Device time of a run's steps, for plots against device-seconds.

#include <vector>

#include "archive/run_reader.hpp"

namespace ke {

/// Compiler and lane seconds spent until each step's commit, in the order of RunReader::progress().
/// A fact counts at the first step that uses it; verification and unused facts do not count.
Result<std::vector<double>> device_seconds(const RunReader& reader);

}  // namespace ke
