#pragma once
// The correctness stage: is a kernel right, on all shapes and classes, before anything is timed?

#include <map>
#include <optional>
#include <string>

#include "core/result.hpp"
#include "fitness/host/session.hpp"
#include "fitness/judging/judged_device.hpp"

namespace ke {

/// A check whose process still runs.
struct OpenCheck {
  /// Calls the library once more on the inputs of the call that was wrong, which are still placed.
  std::optional<Finding> again();

  CheckReport report;
  std::map<std::string, double> call_ns;  ///< best single call by workload label (not net)
  Session session;
  Seat seat;                  ///< of the last call
  std::int64_t limit_ns = 0;  ///< of one call
};

/// Judges one library in a fresh process: test shapes with all classes, single-element edits, both
/// placements, repeated contents, then larger shapes, in random order. About 50 to 150 ms for a
/// small kernel.
Result<OpenCheck> check_kernel(const Bench& bench, const Library& library,
                               Thoroughness thoroughness);

/// Calls another library, in a fresh process, on the contents of a wrong call.
Result<std::optional<Finding>> call_once(const Bench& bench, const Library& library,
                                         const WrongCall& wrong);

}  // namespace ke
