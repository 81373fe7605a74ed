#pragma once
// The correctness stage: checks a kernel on all shapes and classes before anything is timed.

#include <map>
#include <optional>
#include <string>

#include "core/result.hpp"
#include "fitness/host/session.hpp"
#include "fitness/judging/judged_device.hpp"

namespace ke {

/// A check whose process still runs.
struct OpenCheck {
  /// Repeats the wrong call on its inputs, which are still in place.
  std::optional<Finding> again();

  CheckReport report;
  /// Median time of single calls by workload label, not net. Not the least: a kernel may answer
  /// quickly where it has met a content before.
  std::map<std::string, double> call_ns;
  Session session;
  Seat seat;                  ///< seat of the last call
  std::int64_t limit_ns = 0;  ///< per call
};

/// Judges one library in a fresh process: test shapes with all classes, single-element edits, both
/// placements, repeated contents, then larger shapes, in random order. Takes about 50 to 150 ms for
/// a small kernel.
Result<OpenCheck> check_kernel(const Bench& bench, const Library& library,
                               Thoroughness thoroughness);

/// Calls another library, in a fresh process, on the contents of a wrong call.
Result<std::optional<Finding>> call_once(const Bench& bench, const Library& library,
                                         const WrongCall& wrong);

}  // namespace ke
