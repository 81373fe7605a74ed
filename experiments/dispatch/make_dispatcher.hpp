#pragma once
// Makes a library that calls the best kernel for each shape from runs of one task.

#include <cstdint>
#include <string>
#include <vector>

#include "experiments/dispatch/dispatch_plan.hpp"
#include "experiments/dispatch/training_shapes.hpp"
#include "experiments/run/console.hpp"

namespace ke {

struct DispatchRequest {
  std::vector<std::string> run_files;
  std::string folder;         ///< folder of the library
  std::string symbol;         ///< name of the library; "" = the task's
  std::string tasks;          ///< folder that holds tasks/<name>, if it has moved; "" = not moved
  std::int64_t kernels = 12;  ///< kernels of the runs to try
  std::int64_t variants = 3;  ///< kernels that the library may hold
  ShapeRequest shapes;
};

/// The finished library; its plan's first device is this machine.
struct DispatchResult {
  DispatchPlan plan;
  std::vector<std::string> refused;  ///< refused kernels, with the reason
};

/// Screens kernels of the runs at every deciding shape, verifies the few that gain most there,
/// writes and builds the library, and measures it, last at shapes that decided nothing.
/// Measurements are stored in the folder, so that a repeated request resumes. Errors: runs of
/// several tasks, or of a device that cannot be measured here; a folder with other things in it; no
/// kernel that builds here.
Result<DispatchResult> make_dispatcher(const DispatchRequest& request, Console& console);

}  // namespace ke
