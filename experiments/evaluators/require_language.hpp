#pragma once
// Which tasks a kind of device can take.

#include <memory>

#include "core/language.hpp"
#include "fitness/task.hpp"

namespace ke {

/// The language of a task's kernels, which devices of this kind must be able to judge. Error: they
/// are not; it names a device that can.
Result<std::shared_ptr<const Language>> require_language(const Task& task, std::string_view kind);

/// A shipped language to share.
std::shared_ptr<const Language> shared_language(std::string_view name);

}  // namespace ke
