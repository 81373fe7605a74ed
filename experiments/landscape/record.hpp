#pragma once
// Records a landscape: measures every configuration of a kernel with the real evaluator.

#include <memory>
#include <ostream>
#include <string>

#include "core/search/dispatcher.hpp"
#include "fitness/cpu/cpu_evaluator.hpp"

namespace ke {

struct RecordRequest {
  std::shared_ptr<const Task> task;
  CpuOptions options;
  std::string kernel = "anchor";  ///< which kernel of the task
  std::string file;               ///< the landscape; FILE.partial is its journal
  std::int64_t limit = 0;         ///< configurations; 0 = all
  std::int64_t seed = 1;
};

struct RecordReport {
  std::int64_t planned = 0;
  std::int64_t recorded = 0;
  std::int64_t failed = 0;
  std::int64_t timed = 0;  ///< measured in this session; the others share a binary or were there
  double seconds = 0;
  bool complete = false;
};

/// Screens each configuration against the task's anchor, builds running ahead of the lane; equal
/// binaries are timed once. Each result is durable at once, so that a killed recording goes on
/// where it was. time = anchor's time, measured once, / speedup; raw samples are the same of each
/// quad. A configuration that could not be timed well enough twice is left out as `unreliable`.
Result<RecordReport> record_landscape(const RecordRequest& request, const StopToken& stop,
                                      std::ostream& progress, bool redraw);

}  // namespace ke
