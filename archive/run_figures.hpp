#pragma once
// Figures of one stored run: whether its axes fit its measurements, values of knobs and flags with
// which no kernel was ok, the message that most failed kernels share, device time of its steps.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "archive/run_reader.hpp"

namespace ke {

/// One sentence per value that at least three judged kernels had, none of them ok, while other
/// kernels of the same source were ok; most failures first, at most five.
Result<std::vector<std::string>> never_ok(const RunReader& reader);

struct FrequentFailure {
  std::string verdict;
  std::string message;  ///< first error of the compiler, else the judge's message
  std::int64_t kernels = 0;
};

/// Nothing if no two kernels failed with the same message.
Result<std::optional<FrequentFailure>> frequent_failure(const RunReader& reader);

/// Compiler and lane seconds spent until each step's commit, in the order of RunReader::progress().
/// A fact counts at the first step that uses it; verification and unused facts do not count.
Result<std::vector<double>> device_seconds(const RunReader& reader);

/// Distribution of a run's ok kernels on one axis of its common archive.
struct AxisUse {
  AxisShape shape;
  std::int64_t kernels = 0;  ///< kernels with this measure
  std::int64_t outside = 0;  ///< kernels clipped to a border bin; 0 for categories
  std::int64_t filled = 0;   ///< bins with at least one kernel
  double least = 0;          ///< smallest and largest value seen
  double most = 0;
};

/// In axis order, without axes that are not measures of kernels. One query per axis.
Result<std::vector<AxisUse>> axis_use(const RunReader& reader);

/// One sentence per axis that separates kernels badly: half or more lie outside it, or all are in
/// one bin. Nothing for runs with few kernels.
std::vector<std::string> axis_warnings(const std::vector<AxisUse>& uses);

}  // namespace ke
