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
  std::string kernel = "anchor";  ///< name of a kernel of the task
  std::string file;               ///< landscape file; FILE.partial is its journal
  std::int64_t limit = 0;         ///< configurations; 0 = all
  std::int64_t seed = 1;
};

struct RecordReport {
  std::int64_t planned = 0;
  std::int64_t recorded = 0;
  std::int64_t failed = 0;
  std::int64_t timed = 0;  ///< timed in this session; others share a binary or were recorded before
  double seconds = 0;
  bool complete = false;
};

/// Screens each configuration against the task's anchor while builds run ahead of the lane; times
/// equal binaries once. Each result is durable at once, so a killed recording resumes. time =
/// anchor's time (measured once) / speedup; raw samples are the same per quad. A configuration that
/// was too noisy twice counts as `unreliable`, outside of the landscape.
Result<RecordReport> record_landscape(const RecordRequest& request, const StopToken& stop,
                                      std::ostream& progress, bool redraw);

}  // namespace ke
