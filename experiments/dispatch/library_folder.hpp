#pragma once
// Writes and builds the folder of an exported dispatcher.
// Describes a library's kernels to programs that call them.

#include <string>
#include <vector>

#include "core/hash.hpp"
#include "experiments/dispatch/dispatch_plan.hpp"
#include "fitness/task.hpp"

namespace ke {

/// `interface.json` of a library: the task's tensors in argument order, its axes with the lengths
/// at which kernels are right, and the origin. An axis that is a whole dimension of an input names
/// that input; only the caller knows the others.
std::string interface_text(const Task& task);

/// File name of the task's reference in the library's folder: reference.cpp or reference.py.
std::string reference_name(const Task& task);

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
