#pragma once
// The folder of an exported dispatcher.

#include <string>
#include <vector>

#include "core/hash.hpp"
#include "experiments/dispatch/dispatch_plan.hpp"
#include "fitness/task.hpp"

namespace ke {

/// Makes the folder, or takes one that is empty or holds one of `ours`. Error: it holds other
/// things.
Result<void> claim_folder(const std::string& folder, const std::vector<std::string>& ours);

/// Copies a file, or a folder with all that is in it; what stands in their places is replaced.
Result<void> copy_over(const std::string& from, const std::string& to);

/// The plan, the task's interface and reference, and all sources; what stood there of an older plan
/// is replaced.
Result<void> write_library(const std::string& folder, const Task& task, const DispatchPlan& plan);

/// Runs build.sh. The library's absolute path. Error: what the compiler said.
Result<std::string> build_library(const std::string& folder, const DispatchPlan& plan);

Result<Digest> hash_of_file(const std::string& path);

}  // namespace ke
