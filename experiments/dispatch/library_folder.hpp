#pragma once
// Writes and builds the folder of an exported dispatcher.

#include <string>
#include <vector>

#include "core/hash.hpp"
#include "experiments/dispatch/dispatch_plan.hpp"
#include "fitness/task.hpp"

namespace ke {

/// Creates the folder, or accepts one that is empty or holds one of `ours`. Error: it holds other
/// things.
Result<void> claim_folder(const std::string& folder, const std::vector<std::string>& ours);

/// Copies a file, or a folder recursively; replaces what is there.
Result<void> copy_over(const std::string& from, const std::string& to);

/// Writes the plan, the task's interface and reference, and all sources; replaces those of an older
/// plan.
Result<void> write_library(const std::string& folder, const Task& task, const DispatchPlan& plan);

/// Runs build.sh. Returns the library's absolute path. Error: the compiler's message.
Result<std::string> build_library(const std::string& folder, const DispatchPlan& plan);

Result<Digest> hash_of_file(const std::string& path);

}  // namespace ke
