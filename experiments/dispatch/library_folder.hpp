#pragma once
// The folder of an exported dispatcher.

#include <string>

#include "core/hash.hpp"
#include "experiments/dispatch/dispatch_plan.hpp"
#include "fitness/task.hpp"

namespace ke {

/// Makes the folder, or takes one that holds a dispatcher, or what an interrupted call measured.
/// Error: it holds other things.
Result<void> claim_folder(const std::string& folder);

/// The plan and all sources; what stood there of an older plan is replaced.
Result<void> write_library(const std::string& folder, const Task& task, const DispatchPlan& plan);

/// Runs build.sh. The library's absolute path. Error: what the compiler said.
Result<std::string> build_library(const std::string& folder, const DispatchPlan& plan);

Result<Digest> hash_of_file(const std::string& path);

}  // namespace ke
