#pragma once
// Checks whether a kind of device accepts a task.

#include <memory>

#include "core/language.hpp"
#include "fitness/task.hpp"

namespace ke {

/// Returns the language of a task's kernels if devices of this kind can judge it. The error names a
/// device that can.
Result<std::shared_ptr<const Language>> require_language(const Task& task, std::string_view kind);

/// Wraps a shipped language for sharing.
std::shared_ptr<const Language> shared_language(std::string_view name);

}  // namespace ke
