#pragma once
// From runs of one task to a library that calls the best kernel for each shape.

#include <cstdint>
#include <string>
#include <vector>

#include "experiments/cli/verb.hpp"
#include "experiments/dispatch/dispatch_plan.hpp"
#include "experiments/dispatch/training_shapes.hpp"

namespace ke {

struct DispatchRequest {
  std::vector<std::string> run_files;
  std::string folder;         ///< of the library
  std::string symbol;         ///< its name; "" = the task's
  std::string tasks;          ///< folder that holds tasks/<name>, if it has moved; "" = it has not
  std::int64_t kernels = 12;  ///< of the runs, that are tried
  std::int64_t variants = 3;  ///< of these, that the library may hold
  ShapeRequest shapes;
};

/// What was made; the first device is this machine.
struct DispatchResult {
  DispatchPlan plan;
  std::vector<std::string> refused;  ///< kernels that were left out, and why
};

/// Screens kernels of the runs at every shape that decides, verifies the few that gain most there,
/// writes and builds the library, and measures it, at last at shapes that decided nothing.
/// What was measured is kept in the folder, so that the same request goes on where it was ended.
/// Errors: runs of several tasks, or of a device other than a processor
/// or NVIDIA GPU; a folder with other things in
/// it; no kernel that builds here.
Result<DispatchResult> make_dispatcher(const DispatchRequest& request, Console& console);

}  // namespace ke
